// The processes of one command as one crawl: what is shown of it while they run, and its report.
//
// Counts of the run are those that the processes tell, added up; all else is that of the store, which knows what all have done. They differ by a beat. What is
// in flight, and how single hosts are, is not told: each process knows that of its own.
import type { CrawlConfig, CrawlReport } from '@avocet/core'
import type { Clock, FrontierReader, Counts } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { given } from '@avocet/project/options'
import type { HostIndex } from '../store/host-index.ts'
import { Pace } from '../view/pace.ts'
import type { Scene } from '../view/scene.ts'
import type { FromWorker, SentError } from './process-messages.ts'
import { leastOffered, sumOfRuns, wholeReport, type StoredParts } from './whole-report.ts'

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
  /** What bounds it, too: what is left of it is worked out from that. */
  readonly config: Pick<CrawlConfig, 'patienceMs' | 'maxTimeMs' | 'maxPages'> & { readonly spider: { readonly name: string } }
  readonly clock: Pick<Clock, 'now'>
  /** As they were read last. `isPaused`: by an order. */
  readonly totals: () => (WholeTotals & { readonly isPaused: boolean }) | undefined
}

type Run = CrawlReport['run']

/** The crawl of one command. */
export class WholeCrawl {
  readonly #known: Known
  readonly #pace: Pace
  readonly #startedAt: number
  /** Of those that crawl, as they told it last. */
  readonly #runs = new Map<number, Pick<CrawlReport, 'run' | 'seeds'>>()
  readonly #reports = new Map<number, CrawlReport>()
  /** Of processes that died: of one run at most. */
  #past: readonly Run[] = []
  #resumed: boolean | undefined
  #outputError: SentError | undefined

  constructor(known: Known) {
    this.#known = known
    this.#pace = new Pace(known.config)
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

  /** Notes what a process has said. */
  heard(number: number, message: FromWorker): void {
    if (message.kind === 'opened') this.#resumed ??= message.resumed
    else if (message.kind === 'alive') this.#runs.set(number, message)
    else if (message.kind === 'ended') {
      this.#outputError ??= message.outputError
      this.#reports.set(number, message.report)
      this.#runs.set(number, message.report)
    }
  }

  /** A process has died: its counts are kept. */
  died(number: number): void {
    const { run } = this.#runs.get(number) ?? {}
    this.#runs.delete(number)
    if (run !== undefined) this.#past = [sumOfRuns([...this.#past, run])]
  }

  /** All as one; undefined before one has told something, and before the store was read. */
  look(): Scene | undefined {
    const totals = this.#known.totals()
    const told = [...this.#runs.values()]
    const runs = [...told.map(({ run }) => run), ...this.#past]
    if (totals === undefined || runs.length === 0) return undefined
    return {
      processes: this.#runs.size - this.#reports.size,
      ...given('judged', totals.judged),
      glance: this.#pace.glance({ ...this.#statusOf(totals, sumOfRuns(runs)), ...given('seeds', leastOffered(told)) }),
      failures: totals.failures.map(({ reason: kind, count }) => ({ kind, count })),
      ...{ troubles: [], refusals: 0, parkedHosts: 0, parkedHolds: [], heldHosts: 0, workingHosts: 0, rows: [] },
    }
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

  #statusOf({ counts, isPaused }: { counts: Counts; isPaused: boolean }, run: Run): CrawlStatus {
    const { known, waiting, done, moved, failed, items } = counts
    const { config, clock } = this.#known
    return {
      ...{ name: config.spider.name, run, known, waiting, settled: done + moved + failed, done, moved, failed, items },
      ...{ now: clock.now(), startedAt: this.#startedAt },
      ...(isPaused ? { phase: 'paused', pausedFor: 'an order', pausedBy: 'operator' } : { phase: 'running' }),
      ...{ inFlight: 0, slots: 0, handlersRunning: 0, liveHosts: 0, hosts: [] },
    }
  }
}
