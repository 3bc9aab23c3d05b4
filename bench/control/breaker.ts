// What breaker and retries are worth on sick hosts: how often a dead one is asked, how soon one that recovered is found, and what is lost.
//
// Whole crawls of one host on virtual time, with core's own politeness (a request a second). Every figure is read off what was asked of it.
import { crawl, memoryFrontier, spider, type Fetcher, type Plugin } from '@avocet/core'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/testkit'
import { ratioLaw } from '../../packages/plugin-breaker/src/ratio-law.ts'
import { noted, type Trouble } from '../../packages/plugin-breaker/src/trouble.ts'
import { seeded } from './seeded.ts'

/** A figure with its bar. */
export interface Row {
  readonly name: string
  readonly bar: string
  readonly median: number
  readonly worst: number
  readonly unit: string
  readonly holds: boolean
}

/** How a sick host was asked, and what became of its pages. */
export interface Sickness {
  /** Ms since the beginning of the outage at which it was asked, while it was down. */
  readonly asked: readonly number[]
  /** Ms from the end of the outage to the first page that it served. */
  readonly foundAfterMs: number
  readonly done: number
  readonly failed: number
  readonly retired: number
}

/** A host and its outage. */
export interface SickHost {
  readonly seed: number
  readonly pages: number
  readonly style: NonNullable<HostSpec['death']>
  /** Well for so long first; 0 = it never answered. */
  readonly fromMs: number
  /** Infinity = for good. */
  readonly downMs: number
  readonly maxTimeMs: number
  readonly plugins?: readonly Plugin[]
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const HOST = 'sick.test'

/** Crawls it. */
export async function sickCrawl(sick: SickHost): Promise<Sickness> {
  const { seed, pages, style, fromMs, downMs, maxTimeMs, plugins = [breaker(), retry()] } = sick
  const untilMs = fromMs + downMs
  const outage = { style, fromMs, ...(downMs < Infinity && { untilMs }) }
  const model = siteModel({
    seed: `sick ${seed}`,
    hosts: [
      {
        name: HOST,
        pages: { kind: 'list', pages },
        latency: { law: 'lognormal', medianMs: 200, spread: 0.5 },
        outages: [outage],
      },
    ],
  })
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock })
  // A refused connection is felt by nobody, so what is asked is noted here.
  const asked: number[] = []
  const fetcher: Fetcher = {
    fetch(outbound, sink) {
      asked.push(clock.now() - startedAt)
      return web.fetch(outbound, sink)
    },
    close: () => web.close(),
  }
  const frontier = memoryFrontier()
  const patienceMs = 7 * 24 * HOUR
  const subject = crawl({
    spider: listSpider(model.seeds()),
    frontier,
    clock,
    fetcher,
    plugins,
    patienceMs,
    maxTimeMs,
    randomSeed: `sick ${seed}`,
  })
  const report = await clock.run(() => subject.run())
  const back = web.felt(HOST).log.find(({ at, status }) => at - startedAt >= untilMs && status === 200)
  return {
    asked: asked.filter((at) => at >= fromMs && at < untilMs).map((at) => at - fromMs),
    foundAfterMs: back === undefined ? Infinity : back.at - startedAt - untilMs,
    done: report.counts.done,
    failed: report.counts.failed,
    retired: report.counts.retired,
  }
}

function listSpider(seeds: readonly string[]): ReturnType<typeof spider> {
  return spider({
    name: 'sick',
    seeds,
    handlers: {
      *start(page) {
        yield { url: page.url.href }
      },
    },
  })
}

/** The table. `quick`: what a test can afford. */
export async function breakerTable({
  seeds,
  quick = false,
}: {
  readonly seeds: number
  readonly quick?: boolean
}): Promise<readonly Row[]> {
  const tries = Array.from({ length: quick ? 2 : seeds }, (_, seed) => seed)
  const rows: Row[] = []
  const row = async (name: string, unit: string, most: number, figure: (seed: number) => Promise<number>): Promise<void> => {
    const figures: number[] = []
    for (const seed of tries) figures.push(await figure(seed))
    figures.sort((a, b) => a - b)
    const worst = figures.at(-1) ?? 0
    rows.push({ name, bar: `≤ ${most}`, median: figures[Math.floor(figures.length / 2)] ?? 0, worst, unit, holds: worst <= most })
  }
  const dead = (seed: number, style: SickHost['style'] = 'refuse'): Promise<Sickness> =>
    sickCrawl({ seed, pages: 60, style, fromMs: 20 * SECOND, downMs: Infinity, maxTimeMs: 13 * HOUR })
  const down = (seed: number, downMs: number): Promise<Sickness> =>
    sickCrawl({ seed, pages: 200, style: 'reset', fromMs: 20 * SECOND, downMs, maxTimeMs: 24 * HOUR })

  await row('dies: requests before the circuit opens', 'requests', 5, async (seed) => opening(await dead(seed)))
  await row('dies: most requests in a minute after that', 'requests', 1, async (seed) =>
    busiest(afterOpening(await dead(seed)), MINUTE),
  )
  await row('dies: requests in the first hour', 'requests', 12, async (seed) => within(await dead(seed), 0, HOUR))
  await row(
    'dies: requests an hour after three hours',
    'requests/h',
    1,
    async (seed) => within(await dead(seed), 3 * HOUR, 13 * HOUR) / 10,
  )
  await row('hangs: requests in the first hour', 'requests', 12, async (seed) => within(await dead(seed, 'hang'), 0, HOUR))
  await row('never answered: requests until it is given up', 'requests', 3, async (seed) => neverAnswered(seed))
  for (const minutes of quick ? [5] : [1, 5, 30, 120]) {
    const downMs = minutes * MINUTE
    await row(`down ${minutes} min: back after it is (shares of 1.2 × cool-down)`, '×', 1, async (seed) =>
      lateness(await down(seed, downMs), downMs),
    )
    await row(`down ${minutes} min: pages lost`, 'pages', 0, async (seed) => (await down(seed, downMs)).failed)
  }
  await row('down 30 min, three pages left: back after it is (the same)', '×', 1, async (seed) => {
    const downMs = 30 * MINUTE
    return lateness(
      await sickCrawl({ seed, pages: 23, style: 'refuse', fromMs: 20 * SECOND, downMs, maxTimeMs: 24 * HOUR }),
      downMs,
    )
  })
  await row('well but for 5 % of the pages: opened in 10,000 answers', 'times', 1, async (seed) => openedByChance(seed, 0.05))
  if (quick) return rows
  const alone = await Promise.all(
    tries.map((seed) =>
      sickCrawl({ seed, pages: 60, style: 'refuse', fromMs: 20 * SECOND, downMs: Infinity, maxTimeMs: HOUR, plugins: [retry()] }),
    ),
  )
  const asked = alone.map((sickness) => within(sickness, 0, HOUR)).sort((a, b) => a - b)
  const [median = 0, worst = 0] = [asked[Math.floor(asked.length / 2)], asked.at(-1)]
  rows.push({
    name: 'for comparison, dies without a breaker: requests in the first hour',
    bar: 'none',
    median,
    worst,
    unit: 'requests',
    holds: true,
  })
  return rows
}

/** How often a proven host that fails by chance is left alone: a figure of the law alone, two answers a second. */
function openedByChance(seed: number, failureRatio: number): number {
  const chance = seeded(seed)
  const law = ratioLaw(5)
  let opened = 0
  let trouble: Trouble | undefined
  for (let n = 0; n < 10_000; n++) {
    const now = n * 500
    const signal = chance() < failureRatio ? ({ kind: 'failure', word: 'reset' } as const) : ({ kind: 'alive' } as const)
    trouble = noted(trouble, signal, now)
    if (trouble === undefined || law.trips(trouble, { signal, now, proven: true, fragile: false }) === undefined) continue
    opened++
    trouble = undefined
  }
  return opened
}

async function neverAnswered(seed: number): Promise<number> {
  const never = { seed, pages: 60, style: 'refuse', fromMs: 0, downMs: Infinity, maxTimeMs: 13 * HOUR } as const
  return (await sickCrawl(never)).asked.length
}

/** Requests that come less than 30 s after one another at the beginning: those before the first cool-down. */
function opening({ asked }: Sickness): number {
  const pause = asked.findIndex((at, n) => n > 0 && at - (asked[n - 1] ?? 0) > 30 * SECOND)
  return pause < 0 ? asked.length : pause
}

function afterOpening(sickness: Sickness): readonly number[] {
  return sickness.asked.slice(opening(sickness))
}

function busiest(asked: readonly number[], windowMs: number): number {
  return Math.max(0, ...asked.map((from) => asked.filter((at) => at >= from && at < from + windowMs).length))
}

function within({ asked }: Sickness, fromMs: number, toMs: number): number {
  return asked.filter((at) => at >= fromMs && at < toMs).length
}

/** How late it was found, as a share of 1.2 times the cool-down that was under way when it recovered. */
function lateness({ asked, foundAfterMs }: Sickness, downMs: number): number {
  const level = Math.max(0, asked.length - 5)
  const coolDownMs = Math.min(HOUR, MINUTE * 2 ** level)
  return downMs < MINUTE ? 0 : Number((foundAfterMs / (1.2 * coolDownMs)).toFixed(2))
}

if (import.meta.main) {
  const rows = await breakerTable({ seeds: Number(process.argv[2] ?? 5) })
  for (const { name, bar, median, worst, unit, holds } of rows)
    console.log(
      `${holds ? 'ok ' : 'NO '} ${name.padEnd(64)} ${String(median).padStart(7)} ${String(worst).padStart(7)} ${unit} (${bar})`,
    )
}
