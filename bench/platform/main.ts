// Shops behind one limiter: 240 of 800 hosts share 12 requests a second, the others are alone. On virtual time.
//
// Printed for a crawl that is told (`limits`), for one that is not, and for one without the platform. Bars: of the oracle, which has the whole bucket and no
// refusal, at least 0.95 inside; at most 0.3 % refused; hosts outside within 1 % of the run without; Jain inside 0.9, and nobody without a page.
//
//   npm run bench:platform -- --minutes 60 --processes 2
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type CrawlConfig } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { seeded, simulatedWeb, siteModel, VirtualClock, type Felt, type HostSpec, type SiteModel } from '@avocet/simulator'
import { toldOptions } from '../told-options.ts'

const { values } = toldOptions('bench:platform', {
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
  },
})
const FOR_MS = Number(values.minutes) * 60_000
const FIRST_MS = 600_000
const PROCESSES = Number(values.processes)
const [HOSTS, INSIDE, PER_SECOND] = [800, 240, 12]
const limits: CrawlConfig['limits'] = [{ match: '*.platform.test', share: true, maxRps: PER_SECOND }]

/** Every host has more pages than a crawl gets to. */
function world(withPlatform: boolean): SiteModel {
  const chance = seeded(values.seed, 'platform')
  const all = Array.from({ length: HOSTS }, (_, n): HostSpec => {
    const medianMs = Math.round(200 + 600 * chance(2 * n))
    const host = {
      pages: { kind: 'plain', pages: 2_000, branching: 8 },
      latency: { law: 'lognormal', medianMs, spread: 0.4 },
    } as const
    if (n < INSIDE) return { ...host, name: `shop-${n}.platform.test`, sharedCapacity: 'platform' }
    const perSecond = Number((0.1 + 0.3 * chance(2 * n + 1)).toPrecision(2))
    return { ...host, name: `shop-${n}.test`, capacity: { law: 'bucket', perSecond, burst: 3 } }
  })
  return siteModel({
    seed: values.seed,
    hosts: withPlatform ? all : all.slice(INSIDE),
    sharedCapacities: { platform: { law: 'bucket', perSecond: PER_SECOND, burst: PER_SECOND } },
    seedOrder: 'shuffled',
  })
}

interface Seen {
  /** Pages of each host inside, after ten minutes and in all; and of all outside. */
  readonly early: readonly number[]
  readonly inside: readonly number[]
  readonly outside: number
  readonly refused: number
  readonly requests: number
  readonly cpuS: number
}

async function crawled(withPlatform: boolean, config: Partial<CrawlConfig> = {}): Promise<Seen> {
  const model = world(withPlatform)
  const clock = new VirtualClock()
  const web = simulatedWeb(model, { clock })
  const inside = model.hosts.filter(({ sharedCapacity }) => sharedCapacity !== undefined).map(({ name }) => web.felt(name))
  const outside = model.hosts.filter(({ sharedCapacity }) => sharedCapacity === undefined).map(({ name }) => web.felt(name))
  const folder = mkdtempSync(join(tmpdir(), 'avocet-platform-'))
  const runs = Array.from({ length: PROCESSES }, () =>
    crawl({
      spider: spider({
        name: 'platform',
        seeds: model.seeds(),
        handlers: {
          *start(page) {
            yield* page.links()
          },
        },
      }),
      policies: polite(),
      clock,
      fetcher: web,
      frontier: sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' }),
      randomSeed: values.seed,
      ...config,
    }),
  )
  const began = process.cpuUsage()
  let early: readonly number[] = []
  using _early = clock.at(clock.now() + FIRST_MS, () => (early = inside.map(pagesOf)))
  using _end = clock.at(clock.now() + FOR_MS, () => runs.forEach((run) => run.abort()))
  await clock.run(() => Promise.all(runs.map((run) => run.run())))
  rmSync(folder, { recursive: true, force: true })
  const { user, system } = process.cpuUsage(began)
  return {
    early,
    inside: inside.map(pagesOf),
    outside: sum(outside.map(({ served }) => served)),
    refused: sum(inside.map(({ refused }) => refused)),
    requests: sum(inside.map(({ requests }) => requests)),
    cpuS: (user + system) / 1e6,
  }
}

/** Without its robots.txt. */
function pagesOf({ served }: Felt): number {
  return Math.max(0, served - 1)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** 1 = all have the same, 1/n = one has all (Jain 1984). */
function jain(numbers: readonly number[]): number {
  return sum(numbers) ** 2 / (numbers.length * sum(numbers.map((each) => each ** 2)))
}

const alone = await crawled(false)
for (const [name, config] of [
  ['limits', { limits }],
  ['no limits', {}],
] as const) {
  const { early, inside, outside, refused, requests, cpuS } = await crawled(true, config)
  const oracle = PER_SECOND + (PER_SECOND * FOR_MS) / 1_000 - INSIDE
  const [used, refusedRatio, outsideRatio] = [sum(inside) / oracle, refused / requests, outside / alone.outside]
  const unmet = early.filter((pages) => pages === 0).length
  const isHeld = used >= 0.95 && refusedRatio <= 0.003 && Math.abs(outsideRatio - 1) <= 0.01 && jain(inside) >= 0.9 && unmet === 0
  const words = [
    name.padEnd(9),
    `of the oracle ${used.toFixed(3)}`,
    `429 ${(100 * refusedRatio).toFixed(2)} %`,
    `outside ${(100 * outsideRatio - 100).toFixed(2)} %`,
    `Jain ${jain(inside).toFixed(3)}`,
    `without a page after ten minutes ${unmet}`,
    `pages ${sum(inside)} + ${outside}`,
    `CPU ${cpuS.toFixed(1)} s`,
  ]
  console.log([...words, isHeld ? 'bars met' : 'bars missed'].join('  '))
  if (!isHeld && name === 'limits') process.exitCode = 1
}
console.log(`without the platform: ${alone.outside} pages outside, CPU ${alone.cpuS.toFixed(1)} s`)
