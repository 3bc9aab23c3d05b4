// One soak: the world of a seed, crawled for its days on virtual time, with the oracles looking on. The same options give the same findings.
import type { CrawlConfig } from '@avocet/core'
import { sleepUntil, type Clock, type Fetcher } from '@avocet/core/store'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, VirtualClock, type SimulatedWeb } from '@avocet/simulator'
import { Books } from './books.ts'
import { datedWeb } from './dated-web.ts'
import { Findings, momentOf, type Finding } from './findings.ts'
import { Freshness } from './freshness.ts'
import { Growth } from './growth.ts'
import { ItemsOracle } from './items-oracle.ts'
import { Operator } from './operator.ts'
import { pagesOf, type PageLife } from './page-life.ts'
import { ProbationOracle } from './probation-oracle.ts'
import { Restraint } from './restraint.ts'
import { Runaway } from './runaway.ts'
import { DAY_MS, soakSpider, SOAK_RULES } from './soak-spider.ts'
import { storeInFile, storeInRam, type OpenStore, type SoakStore } from './stores.ts'
import { Witness } from './witness.ts'
import { soakWorld, type SoakOptions, type SoakWorld } from './world.ts'

/** What a soak came to. */
export interface Soaked {
  readonly seed: string
  readonly days: number
  /** Good visits, exchanges and items. */
  readonly visits: number
  readonly requests: number
  readonly items: number
  /** Visits that were due in fair weather or not, as far as rounds can tell: what there could have been. */
  readonly rounds: number
  readonly heapMb: number
  readonly realMs: number
  readonly findings: readonly Finding[]
}

/** How it is watched, and spoiled. */
export interface Soaking {
  /** Told at the end of each virtual day. */
  readonly day?: (day: number, soFar: { readonly requests: number; readonly findings: number }) => void
  /** Looks at the heap too; not for tests, where others live in the same heap. */
  readonly heap?: boolean
  /** Breaks something on purpose, so that one can see the oracle turn red. */
  readonly sabotage?: {
    readonly store?: (store: OpenStore) => OpenStore
    readonly net?: (net: Fetcher, clock: Clock) => Fetcher
    readonly config?: Pick<CrawlConfig, 'recrawl' | 'maxTimeMs' | 'plugins'>
  }
}

const CONCURRENCY = 200
/** Days are looked at when it is quiet: most visits are made in the first minutes of an hour. */
const QUIET_MS = 20 * 60_000
/** A crawl that runs away is ended: so many times the requests that the rules would make. */
const RUNAWAY = 20
/** Real ms without progress; a garbage collection of a large heap may take a second or two. */
const STUCK_AFTER_MS = 20_000
const USER_AGENT = 'soak (+https://example.org/bot)'

/** Runs it. */
export async function soak(options: SoakOptions, soaking: Soaking = {}): Promise<Soaked> {
  const began = performance.now()
  const world = soakWorld(options)
  const clock = new VirtualClock({ stuckAfterMs: STUCK_AFTER_MS })
  const web = simulatedWeb(world.model, { clock })
  const findings = new Findings()
  const pages = pagesOf(world)
  const freshness = new Freshness(findings)
  const items = new ItemsOracle(world.model, findings)
  const probation = new ProbationOracle(findings, world.own.suspends)
  const witness = new Witness(clock, pages, { freshness, items, probation, outages: world.own.clientOutages })
  const store = options.store === 'sqlite' ? storeInFile() : storeInRam()
  const { sabotage = {} } = soaking
  const operators = world.own.shifts.map(
    () =>
      new Operator({
        ...{ world, clock, web: datedWeb(web, clock), findings, store, watcher: witness },
        spoiledNet: sabotage.net ?? ((net) => net),
        config: () => ({ ...configOf(world, options.seed), ...sabotage.config }),
        spoiledStore: sabotage.store ?? ((one) => one),
        disturbed: (nowMs) => {
          for (const oracle of [items, probation]) oracle.disturbed(nowMs, fullSince(world, nowMs))
        },
      }),
  )
  const watch: Watch = { world, clock, web, findings, pages, freshness, witness, store, operators, soaking }
  using runaway = new Runaway(clock, () => witness.asked, RUNAWAY * mostVisits(pages, world.lengthMs))
  const { growth, books } = oraclesOf(watch)
  try {
    const shifts = Promise.all(operators.map((operator, n) => operator.work(world.own.shifts[n] ?? [])))
    await clock.run(Promise.race([Promise.all([shifts, days(watch, { growth, books })]), runaway.seen]))
    items.compare(await store.items(), pages)
  } catch (error) {
    findings.add('run', 'cannot go on', `${momentOf(witness.nowMs)}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await store.close()
  }
  return {
    seed: options.seed,
    days: options.days,
    visits: freshness.visits,
    requests: witness.asked,
    items: books.counts?.items ?? 0,
    rounds: mostVisits(pages, world.lengthMs),
    heapMb: growth.heapMb,
    realMs: Math.round(performance.now() - began),
    findings: findings.all,
  }
}

/** What is looked at. */
interface Watch {
  readonly world: SoakWorld
  readonly clock: VirtualClock
  readonly web: SimulatedWeb
  readonly findings: Findings
  readonly pages: ReadonlyMap<string, PageLife>
  readonly freshness: Freshness
  readonly witness: Witness
  readonly store: SoakStore
  readonly operators: readonly Operator[]
  readonly soaking: Soaking
}

interface Oracles {
  readonly growth: Growth
  readonly books: Books
}

function oraclesOf({ pages, findings }: Watch): Oracles {
  return { growth: new Growth(findings, CONCURRENCY), books: new Books(pages, findings) }
}

/** Looks at the end of each day (of each half of a shorter soak), while time stands still. */
async function days(watch: Watch, { growth, books }: Oracles): Promise<void> {
  const { world, clock, web, findings, pages, freshness, witness, store, operators, soaking } = watch
  const startedAt = clock.now()
  const restraint = new Restraint(world, web, findings)
  const lookMs = Math.min(DAY_MS, world.lengthMs / 2)
  for (let day = 1; day * lookMs <= world.lengthMs; day++) {
    await sleepUntil(clock, startedAt + day * lookMs - QUIET_MS)
    using _hold = clock.hold('the oracle')
    const nowMs = witness.nowMs
    const machines = operators.flatMap(({ machine }) => machine ?? [])
    // What one process counts is the truth only where it is alone.
    const status = operators.length === 1 && machines[0]?.status.phase === 'running' ? machines[0].status : undefined
    const reader = await store.reader()
    await freshness.endOfDay(pages.values(), nowMs, reader)
    await books.endOfDay(reader, nowMs, status)
    restraint.endOfDay(pages.values(), witness, { fromMs: Math.max(0, nowMs - lookMs), untilMs: nowMs })
    growth.endOfDay(nowMs, machines)
    if (soaking.heap === true) growth.heap(nowMs, books.counts?.items ?? 0)
    witness.beginDay()
    soaking.day?.((day * lookMs) / DAY_MS, { requests: witness.asked, findings: findings.all.length })
  }
}

function configOf(world: SoakWorld, seed: string): Omit<CrawlConfig, 'clock' | 'fetcher' | 'frontier'> {
  return {
    spider: soakSpider(world),
    recrawl: SOAK_RULES,
    policies: polite(),
    userAgent: USER_AGENT,
    concurrency: CONCURRENCY,
    randomSeed: seed,
  }
}

/** Visits that the rules would make if all were well. */
function mostVisits(pages: ReadonlyMap<string, PageLife>, lengthMs: number): number {
  let visits = 0
  for (const { knownMs, bornMs, untilMs, everyMs } of pages.values())
    visits += Math.ceil(Math.max(0, Math.min(untilMs, lengthMs) - Math.max(bornMs, knownMs === Infinity ? 0 : knownMs)) / everyMs)
  return visits
}

/** Since when the disk has been full, where it is, or was a moment ago: since then nothing may have been written. */
function fullSince({ own }: SoakWorld, nowMs: number): number {
  const span = own.disk.find(({ fromMs, untilMs }) => nowMs >= fromMs && nowMs < untilMs + QUIET_MS)
  return span?.fromMs ?? nowMs
}
