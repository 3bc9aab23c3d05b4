// The processes of one command as one crawl: what is shown of it while they run, and its report.
//
// Counts of the run are those that the processes tell, added up; totals and failures are those of the store, which knows what all have done. They differ by a
// beat. How single hosts are is not told: each process knows that of its own.
import type { CrawlConfig, CrawlReport } from '@avocet/core'
import type { Clock, FrontierReader, Counts } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { given } from '@avocet/project/options'
import type { HostIndex } from '../store/host-index.ts'
import { Pace } from '../view/pace.ts'
import type { Scene } from '../view/scene.ts'
import type { FromWorker, SentError } from './process-messages.ts'
import { mergedRounds, mergedSinks, sumOfRuns, wholeReport, type StoredParts } from './whole-report.ts'

/** What the store says while they crawl. */
export interface WholeTotals {
  readonly counts: Counts
  readonly failures: Awaited<ReturnType<FrontierReader['failures']>>
  /** Those of other commands among them. */
  readonly liveProcesses: number
  /** What its hosts are like, once they are read. */
  readonly judged?: HostIndex['judged']
}

/** What the command knows of its crawl. */
interface Known {
  /** What bounds it: what is left of it is worked out from that. */
  readonly bounds: Pick<CrawlConfig, 'patienceMs' | 'maxTimeMs' | 'maxPages'>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** As they were read last. */
  readonly totals: () => WholeTotals | undefined
}

const PHASES = ['running', 'paused', 'draining', 'closed', 'opening'] as const satisfies readonly CrawlStatus['phase'][]

/** The crawl of one command. */
export class WholeCrawl {
  readonly #known: Known
  readonly #pace: Pace
  readonly #startedAt: number
  readonly #statuses = new Map<number, CrawlStatus>()
  /** When each that crawls was seen last, in monotonic ms: it tells its status four times a second. */
  readonly #seenAt = new Map<number, number>()
  readonly #reports = new Map<number, CrawlReport>()
  /** Counts of processes that died: of one run at most. */
  #past: readonly CrawlStatus['run'][] = []
  /** Shown while all are dead. */
  #last: Scene | undefined
  #resumed: boolean | undefined
  #outputError: SentError | undefined

  constructor(known: Known) {
    this.#known = known
    this.#pace = new Pace(known.bounds)
    this.#startedAt = known.clock.now()
  }

  /** The first error of an output. */
  get outputError(): SentError | undefined {
    return this.#outputError
  }

  /** Why it ends for all, when it has ended for one: it has failed there, or somebody has ordered that it stops. */
  get endsForAll(): boolean {
    return [...this.#reports.values()].some(({ ended }) => ended === 'failed' || ended === 'stopped')
  }

  /** Whether none that has ended could read the store: another look would wait as long as each of theirs did. */
  get foundNoStore(): boolean {
    return this.#reports.size > 0 && [...this.#reports.values()].every(({ withoutStore }) => withoutStore === true)
  }

  /** Whether each that crawls was seen within so many ms. */
  isWell(withinMs: number): boolean {
    const now = this.#known.clock.monotonic()
    return [...this.#seenAt.values()].every((at) => now - at < withinMs)
  }

  /** Notes what a process has said. */
  heard(number: number, message: FromWorker): void {
    if (message.kind === 'opened') this.#resumed ??= message.resumed
    if (message.kind === 'opened' || message.kind === 'beat') this.#seenAt.set(number, this.#known.clock.monotonic())
    if (message.kind === 'beat') this.#statuses.set(number, message.status)
    else if (message.kind === 'output-failed') this.#outputError ??= message.error
    else if (message.kind === 'ended') {
      this.#outputError ??= message.outputError
      this.#seenAt.delete(number)
      this.#reports.set(number, message.report)
    }
  }

  /** A process has died: its counts are kept. */
  died(number: number): void {
    const status = this.#statuses.get(number)
    this.#statuses.delete(number)
    this.#seenAt.delete(number)
    if (status !== undefined) this.#past = [sumOfRuns([...this.#past, status.run])]
  }

  /** All as one; undefined before one has told something. */
  look(): Scene | undefined {
    const [first, ...others] = this.#statuses.values()
    if (first === undefined) return this.#last
    const { failures = [], judged } = this.#known.totals() ?? {}
    return (this.#last = {
      // Those that have ended, too: the store's count is a second old.
      processes: this.#statuses.size,
      ...given('judged', judged),
      glance: this.#pace.glance(this.#statusOf(first, [first, ...others])),
      failures: failures.map(({ reason: kind, count }) => ({ kind, count })),
      ...{ troubles: [], refusals: 0, parkedHosts: 0, parkedHolds: [], heldHosts: 0, workingHosts: 0, rows: [] },
    })
  }

  /** The report of all; undefined where none has one. `stored`: what the store has at the end; absent where it cannot be read. */
  report(stored: StoredParts | undefined): CrawlReport | undefined {
    return wholeReport([...this.#reports.values()], {
      startedAt: this.#startedAt,
      past: this.#past,
      resumed: this.#resumed ?? false,
      ...(stored && { stored }),
    })
  }

  #statusOf(first: CrawlStatus, each: readonly CrawlStatus[]): CrawlStatus {
    const phase = PHASES.find((one) => each.some((status) => status.phase === one)) ?? 'closed'
    const paused = each.find(({ pausedFor }) => pausedFor !== undefined)
    const sum = (name: 'inFlight' | 'slots' | 'handlersRunning' | 'liveHosts'): number =>
      each.reduce((total, status) => total + status[name], 0)
    const connections = each.flatMap((status) => status.connections ?? [])
    const sinks = mergedSinks(each)
    const { pausedFor: _for, pausedBy: _by, drain: _drain, connections: _open, sinks: _sinks, ...rest } = first
    return {
      ...rest,
      ...totalsOf(this.#known.totals()?.counts),
      phase,
      now: Math.max(...each.map(({ now }) => now)),
      startedAt: this.#startedAt,
      rounds: mergedRounds(each),
      run: sumOfRuns([...each.map(({ run }) => run), ...this.#past]),
      inFlight: sum('inFlight'),
      slots: sum('slots'),
      handlersRunning: sum('handlersRunning'),
      liveHosts: sum('liveHosts'),
      ...(connections.length > 0 && {
        connections: connections.reduce((a, b) => ({ open: a.open + b.open, busy: a.busy + b.busy })),
      }),
      ...(sinks && { sinks }),
      ...(phase === 'paused' && paused?.pausedFor !== undefined && { pausedFor: paused.pausedFor }),
      ...(phase === 'paused' && paused?.pausedBy !== undefined && { pausedBy: paused.pausedBy }),
    }
  }
}

/** Before they are read, those of a process are as good. */
function totalsOf(counts: Counts | undefined): Partial<CrawlStatus> {
  if (counts === undefined) return {}
  const { known, waiting, done, moved, failed, items } = counts
  return { known, waiting, settled: done + moved + failed, done, moved, failed, items }
}
