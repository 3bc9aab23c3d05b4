// Shops behind one limiter: 240 of 800 hosts share 12 requests a second at one address, the others are alone. On virtual time.
//
// Printed for a crawl that is told of it, by name (`limits`) and by address; for one that learns of it; for one that cannot, as there are no addresses; and for
// one without the platform. `edge`: 500 hosts at one address, each with a limiter of its own, beside the same without an address.
// Bars: of the oracle, which has the whole bucket and no refusal, at least 0.95 inside (learned 0.90); at most 0.3 % refused (learned 1 % in the first ten
// minutes); hosts outside within 1 % of the run without; Jain inside 0.9, and nobody without a page after ten minutes; at the edge within 2 %.
//
//   npm run bench:platform -- --minutes 60 --processes 2 --only learned
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
    minutes: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    processes: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const FOR_MS = Number(values.minutes) * 60_000
const FIRST_MS = 600_000
const PROCESSES = Number(values.processes)
const [HOSTS, INSIDE, PER_SECOND, EDGE, BURST] = [800, 240, 12, 500, 3]
const PLATFORM = { share: true, maxRps: PER_SECOND } as const

/** Who is at one address. */
type World = 'platform' | 'no address' | 'without' | 'edge' | 'no edge'

/** Every host has more pages than a crawl gets to. */
function world(kind: World): SiteModel {
  const chance = seeded(values.seed, 'platform')
  const isEdge = kind === 'edge' || kind === 'no edge'
  const all = Array.from({ length: isEdge ? EDGE : HOSTS }, (_, n): HostSpec => {
    const medianMs = Math.round(200 + 600 * chance(2 * n))
    const isInside = isEdge || n < INSIDE
    const host = {
      pages: { kind: 'plain', pages: 2_000, branching: 8 },
      latency: { law: 'lognormal', medianMs, spread: 0.4 },
      ...((kind === 'platform' || kind === 'edge') && { address: isInside ? `192.0.2.${n % 250}` : `20.${n >> 8}.${n & 255}.1` }),
    } as const
    if (isInside && !isEdge) return { ...host, name: `shop-${n}.platform.test`, sharedCapacity: 'platform' }
    const perSecond = Number((0.1 + 0.3 * chance(2 * n + 1)).toPrecision(2))
    return { ...host, name: `shop-${n}.test`, capacity: { law: 'bucket', perSecond, burst: BURST } }
  })
  return siteModel({
    seed: values.seed,
    hosts: kind === 'without' ? all.slice(INSIDE) : all,
    sharedCapacities: { platform: { law: 'bucket', perSecond: PER_SECOND, burst: PER_SECOND } },
    seedOrder: 'shuffled',
  })
}

interface Seen {
  /** Pages of each host inside, after ten minutes and in all; and of all outside. */
  readonly early: readonly number[]
  readonly inside: readonly number[]
  readonly outside: number
  /** In the first ten minutes, and later; outside, in all. */
  readonly refused: readonly [early: number, late: number]
  readonly requests: readonly [early: number, late: number]
  readonly refusedOutside: number
  readonly cpuS: number
}

async function crawled(kind: World, limits: CrawlConfig['limits'] = []): Promise<Seen> {
  const model = world(kind)
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
      limits,
    }),
  )
  const began = process.cpuUsage()
  const felt = (): readonly [number, number] => [
    sum(inside.map(({ refused }) => refused)),
    sum(inside.map(({ requests }) => requests)),
  ]
  let early: readonly number[] = []
  let [earlyRefused, earlyRequests] = [0, 0]
  using _early = clock.at(clock.now() + FIRST_MS, () => {
    early = inside.map(pagesOf)
    ;[earlyRefused, earlyRequests] = felt()
  })
  using _end = clock.at(clock.now() + FOR_MS, () => runs.forEach((run) => run.abort()))
  await clock.run(() => Promise.all(runs.map((run) => run.run())))
  rmSync(folder, { recursive: true, force: true })
  const { user, system } = process.cpuUsage(began)
  const [refused, requests] = felt()
  return {
    early,
    inside: inside.map(pagesOf),
    outside: sum(outside.map(({ served }) => served)),
    refused: [earlyRefused, refused - earlyRefused],
    requests: [earlyRequests, requests - earlyRequests],
    refusedOutside: sum(outside.map(({ refused: each }) => each)),
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

const shown = (name: string): boolean => values.only === '' || values.only.split(',').includes(name)
const percent = (part: number, of: number): string => `${((100 * part) / Math.max(1, of)).toFixed(2)} %`

const alone = values.only === 'edge' ? { outside: 1, cpuS: 0 } : await crawled('without')
for (const [name, kind, limits] of [
  ['limits', 'platform', [{ match: '*.platform.test', ...PLATFORM }]],
  ['address', 'platform', [{ match: '*.platform.test', by: 'address', ...PLATFORM }]],
  ['learned', 'platform', []],
  ['unknown', 'no address', []],
] as const) {
  if (!shown(name)) continue
  const { early, inside, outside, refused, requests, cpuS } = await crawled(kind, limits)
  const oracle = PER_SECOND + (PER_SECOND * FOR_MS) / 1_000 - INSIDE
  const [used, outsideRatio] = [sum(inside) / oracle, outside / alone.outside]
  const unmet = early.filter((pages) => pages === 0).length
  const [most, least] = name === 'learned' ? [0.01, 0.9] : [0.003, 0.95]
  const isHeld =
    used >= least &&
    refused[0] <= most * requests[0] &&
    refused[1] <= 0.003 * requests[1] &&
    Math.abs(outsideRatio - 1) <= 0.01 &&
    jain(inside) >= 0.9 &&
    unmet === 0
  const words = [
    name.padEnd(7),
    `of the oracle ${used.toFixed(3)}`,
    `429 in ten minutes ${percent(refused[0], requests[0])}, later ${percent(refused[1], requests[1])}`,
    `outside ${(100 * outsideRatio - 100).toFixed(2)} %`,
    `Jain ${jain(inside).toFixed(3)}`,
    `without a page after ten minutes ${unmet}`,
    `pages ${sum(inside)} + ${outside}`,
    `CPU ${cpuS.toFixed(1)} s`,
  ]
  console.log([...words, isHeld ? 'bars met' : 'bars missed'].join('  '))
  if (!isHeld && name !== 'unknown') process.exitCode = 1
}
console.log(`without the platform: ${alone.outside} pages outside, CPU ${alone.cpuS.toFixed(1)} s`)
if (shown('edge')) {
  const [edge, without] = [await crawled('edge'), await crawled('no edge')]
  const ratio = edge.outside / without.outside
  const isHeld = Math.abs(ratio - 1) <= 0.02
  console.log(
    `edge     ${(100 * ratio - 100).toFixed(2)} % pages, 429 ${edge.refusedOutside} beside ${without.refusedOutside}, CPU ${edge.cpuS.toFixed(1)} s beside ${without.cpuS.toFixed(1)} s  ${isHeld ? 'bar met' : 'bar missed'}`,
  )
  if (!isHeld) process.exitCode = 1
}
