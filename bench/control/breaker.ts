// What breaker and retries are worth on sick hosts: how often a dead one is asked, how soon one that recovered is found, and what is lost.
//
// Whole crawls of one host on virtual time, with core's own politeness (a request a second). Every figure is read off what was asked of it.
import { crawl, memoryFrontier, spider, type Plugin } from 'avocet'
import type { Fetcher } from '@avocet/core/store'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec } from '@avocet/simulator'
import { ratioLaw } from '../../packages/plugin-breaker/src/trip-law.ts'
import { noted, type RecentTrouble } from '../../packages/plugin-breaker/src/trouble.ts'
import { flappingRows } from './flapping.ts'
import { rowsOn, type Row } from './row.ts'
import { seeded, seedsTo } from './seeded.ts'

/** How a sick host was asked, and what became of its pages. */
export interface Sickness {
  /** Ms since the beginning of the outage at which it was asked, while it was down. */
  readonly asked: readonly number[]
  /** Ms from the end of the outage to the first page that it served. */
  readonly foundAfterMs: number
  readonly downMs: number
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
  /** More than one, instead. */
  readonly outages?: readonly { readonly fromMs: number; readonly untilMs: number }[]
  readonly maxTimeMs: number
  readonly plugins?: readonly Plugin[]
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const HOST = 'sick.test'
const REQUESTS = { unit: 'requests' }

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
        outages: sick.outages?.map((each) => ({ ...each, style })) ?? [outage],
      },
    ],
  })
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock })
  // A refused connection is felt by nobody, so what is asked is noted here.
  const asked: number[] = []
  const fetcher: Fetcher = {
    fetch(outbound, receiver) {
      asked.push(clock.now() - startedAt)
      return web.fetch(outbound, receiver)
    },
    close: () => web.close(),
  }
  const frontier = memoryFrontier()
  const patienceMs = 7 * 24 * HOUR
  const subject = crawl({
    policies: [],
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
    downMs,
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
  const tries = seedsTo(seeds)
  const rows = [
    ...(await deadRows(tries)),
    ...(await policiesRows(tries)),
    ...(await recoveryRows(tries, quick ? [5] : [1, 5, 30, 120])),
    rowsOn(tries)('well but for 5 % of the pages: opened in 10,000 answers', (seed) => openedByChance(seed, 0.05), {
      unit: 'times',
      atMost: 1,
    }),
  ]
  if (quick) return [...rows, ...(await flappingRows(1, true))]
  const alone = await each(tries, (seed) => sickCrawl({ ...dying(seed), maxTimeMs: HOUR, plugins: [retry()] }))
  const name = 'for comparison, dies without a breaker: requests in the first hour'
  return [...rows, ...(await flappingRows(seeds)), rowsOn(alone)(name, (one) => within(one, 0, HOUR), REQUESTS)]
}

function dying(seed: number): SickHost {
  return { seed, pages: 60, style: 'refuse', fromMs: 20 * SECOND, downMs: Infinity, maxTimeMs: 13 * HOUR }
}

async function deadRows(tries: readonly number[]): Promise<Row[]> {
  const dead = await each(tries, (seed) => sickCrawl(dying(seed)))
  const hung = await each(tries, (seed) => sickCrawl({ ...dying(seed), style: 'hang' }))
  const never = await each(tries, (seed) => sickCrawl({ ...dying(seed), fromMs: 0 }))
  const firstHour = (one: Sickness): number => within(one, 0, HOUR)
  return [
    rowsOn(dead)('dies: requests before the circuit opens', opening, { ...REQUESTS, atMost: 5 }),
    ...afterTrip('dies', dead),
    rowsOn(dead)('dies: requests in the first hour', firstHour, { ...REQUESTS, atMost: 14 }),
    rowsOn(dead)('dies: requests in the first minute', (one) => within(one, 0, MINUTE), { ...REQUESTS, atMost: 6 }),
    rowsOn(hung)('hangs: requests in the first hour', firstHour, { ...REQUESTS, atMost: 14 }),
    rowsOn(never)('never answered: requests until it is given up', ({ asked }) => asked.length, { ...REQUESTS, atMost: 3 }),
  ]
}

/** The same with all that `polite()` brings, so with a robots.txt to be asked for, a rate of its own, and several in flight. */
async function policiesRows(tries: readonly number[]): Promise<Row[]> {
  const dead = await each(tries, (seed) => sickCrawl({ ...dying(seed), pages: 2_000, plugins: polite() }))
  const before = rowsOn(dead)('all policies, dies: requests before the circuit opens', opening, REQUESTS)
  return [before, ...afterTrip('all policies, dies', dead)]
}

function afterTrip(name: string, dead: readonly Sickness[]): Row[] {
  const row = rowsOn(dead)
  const atMostOne = { ...REQUESTS, atMost: 1 }
  const late = (one: Sickness): readonly number[] => one.asked.filter((at) => at >= 3 * HOUR)
  return [
    row(`${name}: requests in the first minute after the circuit opened`, (one) => opened(one, 0, MINUTE).length, {
      ...REQUESTS,
      atMost: 3,
    }),
    row(`${name}: most in any minute after that`, (one) => busiest(opened(one, MINUTE, Infinity), MINUTE), atMostOne),
    row(`${name}: most in any hour, three hours on`, (one) => busiest(late(one), HOUR), atMostOne),
  ]
}

async function recoveryRows(tries: readonly number[], minutes: readonly number[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const minute of minutes) {
    const downMs = minute * MINUTE
    const hosts = await each(tries, (seed) => sickCrawl({ ...dying(seed), pages: 200, style: 'reset', downMs }))
    const lost = rowsOn(hosts)(`down ${minute} min: pages lost`, ({ failed }) => failed, { unit: 'pages', atMost: 0 })
    rows.push(lateRow(`down ${minute} min`, hosts), lost)
  }
  const downMs = 30 * MINUTE
  const few = await each(tries, (seed) => sickCrawl({ ...dying(seed), pages: 23, downMs }))
  return [...rows, lateRow('down 30 min, three pages left', few)]
}

function lateRow(name: string, hosts: readonly Sickness[]): Row {
  return rowsOn(hosts)(`${name}: first page after it is well again`, lateness, { unit: '× cool-down', atMost: 1.2 })
}

async function each<T>(tries: readonly number[], run: (seed: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (const seed of tries) results.push(await run(seed))
  return results
}

/** How often a proven host that fails by chance is left alone: a figure of the law alone, two answers a second. */
function openedByChance(seed: number, failureRatio: number): number {
  const chance = seeded(seed)
  const law = ratioLaw(5)
  let opened = 0
  let trouble: RecentTrouble | undefined
  for (let n = 0; n < 10_000; n++) {
    const now = n * 500
    const signal = chance() < failureRatio ? ({ kind: 'failure', word: 'reset' } as const) : ({ kind: 'alive' } as const)
    trouble = noted(trouble, signal, now)
    if (
      trouble === undefined ||
      law.trips(trouble, { signal, now, proven: true, banned: false, fragile: false, comesAndGoes: false }) === undefined
    )
      continue
    opened++
    trouble = undefined
  }
  return opened
}

/** Requests that come less than 4.5 s after one another at the beginning: those before the first cool-down. */
function opening({ asked }: Sickness): number {
  const pause = asked.findIndex((at, n) => n > 0 && at - (asked[n - 1] ?? 0) > 4.5 * SECOND)
  return pause < 0 ? asked.length : pause
}

/** Requests from so many ms after the circuit opened on: after the last of those before it did. */
function opened(sickness: Sickness, fromMs: number, toMs: number): readonly number[] {
  const first = opening(sickness)
  const openedAt = sickness.asked[first - 1] ?? 0
  return sickness.asked.slice(first).filter((at) => at >= openedAt + fromMs && at < openedAt + toMs)
}

function busiest(asked: readonly number[], windowMs: number): number {
  return Math.max(0, ...asked.map((from) => asked.filter((at) => at >= from && at < from + windowMs).length))
}

function within({ asked }: Sickness, fromMs: number, toMs: number): number {
  return asked.filter((at) => at >= fromMs && at < toMs).length
}

/** How late it was found, as a share of the longest cool-down that can have been under way: as long as it had been down, and 5 s; at most an hour. */
function lateness({ foundAfterMs, downMs }: Sickness): number {
  return foundAfterMs / Math.min(HOUR, downMs + 5 * SECOND)
}
