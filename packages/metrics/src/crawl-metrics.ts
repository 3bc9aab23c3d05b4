// The metrics of the crawl in this process: what its trace tells, how long commits take, and what the process is now.
import { getHeapStatistics } from 'node:v8'
import type { Crawl, CrawlReport } from '@avocet/core'
import { isRefusal, reasonOf, type TraceEvent } from '@avocet/core/plugin'
import type { Clock, Frontier } from '@avocet/core/store'
import type { CrawlStatus } from '@avocet/core/tools'
import { STATUS_CLASSES, type CountKey, type MeasuredCrawl, type ShownStatus, type StatusClass } from './laws/counted.ts'
import { COMMIT, countDuration, LATENCY } from './laws/family.ts'
import { LoopDelay } from './process-figures.ts'

/** Made once. */
const RESPONSES = Object.fromEntries(STATUS_CLASSES.map((name) => [name, `response ${name}`])) as Record<StatusClass, CountKey>

type Answered = Extract<TraceEvent, { readonly kind: 'answered' }>

/**
 * The metrics of one run. Made before the crawl, whose store it times.
 *
 * @example
 * ```ts
 * const metrics = new CrawlMetrics(clock)
 * const run = crawl({ spider, policies: polite(), frontier: metrics.timed(frontier) })
 * metrics.watch(run)
 * metrics.shown(run.status())
 * ```
 */
export class CrawlMetrics implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic' | 'scale'>
  readonly #counts = new Map<CountKey, number>()
  readonly #loop: LoopDelay
  #report: CrawlReport | undefined

  constructor(clock: Pick<Clock, 'monotonic' | 'scale'>) {
    this.#clock = clock
    this.#loop = new LoopDelay(clock)
  }

  /** The frontier, whose commits are timed: on the clock of the machine, also where that of the crawl runs faster. */
  timed(frontier: Frontier): Frontier {
    const { scale = 1 } = this.#clock
    const commit: Frontier['commit'] = async (units) => {
      const from = this.#clock.monotonic()
      const results = await frontier.commit(units)
      countDuration(COMMIT, (this.#clock.monotonic() - from) / scale / 1_000, this.#count)
      return results
    }
    // Of a store that is a class, a copy would have no method.
    return new Proxy({} as Frontier, {
      get(_none, name) {
        const member: unknown = name === 'commit' ? commit : Reflect.get(frontier, name)
        return typeof member === 'function' ? member.bind(frontier) : member
      },
    })
  }

  /** Listens from now on. */
  watch(crawl: Pick<Crawl, 'hooks'>): void {
    const kinds = ['answered', 'failed', 'committed'] as const
    crawl.hooks.onTrace.tap({ name: 'metrics', kinds }, (event: TraceEvent) => this.#heard(event))
  }

  /** The run is over, and its report is what counts. */
  finish(report: CrawlReport): void {
    this.#report = report
  }

  /** All of it, with `status` for what the status says. `read`: how many hosts are what, as the store was read last (`StoredReport.conditions`). */
  shown({ hosts: _hosts, liveHosts: _liveHosts, ...status }: CrawlStatus, read?: CrawlReport['conditions']): MeasuredCrawl {
    const conditions = this.#report?.conditions ?? read
    const loopDelay = this.#loop.look()
    return {
      ...(conditions && { conditions }),
      status: this.#report === undefined ? this.#running(status) : ended(status, this.#report),
      counted: this.#counted,
      live: { heapBytes: getHeapStatistics().used_heap_size, ...(loopDelay && { loopDelay }) },
    }
  }

  [Symbol.dispose](): void {
    this.#loop[Symbol.dispose]()
  }

  readonly #count = (key: CountKey, by = 1): void => void this.#counts.set(key, this.#counted(key) + by)

  readonly #counted = (key: CountKey): number => this.#counts.get(key) ?? 0

  #heard(event: TraceEvent): void {
    if (event.kind === 'answered') this.#answered(event)
    // The status counts a page before the store has it, and takes it back where that fails: a counter must not.
    else if (event.kind === 'committed') this.#count('page', event.outcome.kind === 'done' ? 1 : 0)
    else if (event.kind === 'failed') this.#count(`failure ${reasonOf(event.failure.code)}`)
  }

  #answered({ response: { status, timings } }: Answered): void {
    this.#count(RESPONSES[classOf(status)])
    const { connectMs = 0, firstByteMs, bodyMs, waitedMs = 0 } = timings
    countDuration(LATENCY, Math.max(0, connectMs + firstByteMs + bodyMs - waitedMs) / 1_000, this.#count)
    if (isRefusal(status)) this.#count(`refusal ${status}`)
  }

  #running(status: ShownStatus): ShownStatus {
    const { run, known, settled, waiting } = status
    // What is settled was known, also where another command has added it (`CrawlWatcher` shows it so, too).
    const totals = { known: Math.max(known, settled), waiting: Math.max(0, waiting) }
    return { ...status, ...totals, run: { ...run, pages: this.#counted('page') } }
  }
}

function classOf(status: number): StatusClass {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? 'other'
}

/** As the report has it, which has read the store. Sinks are those of the status, by the names that people know them by. */
function ended(status: ShownStatus, { run, counts }: CrawlReport): ShownStatus {
  const { known, waiting, done, moved, failed, items } = counts
  return { ...status, phase: 'closed', run, known, waiting, settled: done + moved + failed, items }
}
