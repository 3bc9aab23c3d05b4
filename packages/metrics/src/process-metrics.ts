// What one process of a crawl has to tell for its metrics: what it counted since it was asked last, and what it is now.
import type { Crawl } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'
import { COMMIT, countDuration } from './laws/buckets.ts'
import { CountDelta, type Counted } from './laws/counted.ts'
import type { LiveFigures } from './laws/measured-crawl.ts'
import { cpuSeconds, LoopDelay } from './process-figures.ts'
import { countTrace } from './trace-counts.ts'

/** What one process tells. */
export interface ToldMetrics {
  readonly counted: Counted
  /** What it is now. Absent: as it was told last. */
  readonly live?: LiveFigures
}

/** To ask the system about memory takes longer than all else that is shown, and it changes slowly. */
const SLOW_MS = 5_000

/**
 * The metrics of one process. Made before the crawl, whose store it times.
 *
 * @example
 * ```ts
 * const metrics = new ProcessMetrics(clock)
 * const run = crawl({ spider, policies: polite(), frontier: metrics.timed(frontier) })
 * metrics.watch(run)
 * ```
 */
export class ProcessMetrics implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic' | 'scale'>
  readonly #delta = new CountDelta()
  readonly #loop: LoopDelay
  #cpuSeconds = cpuSeconds()
  #memory: (Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'> & { readonly at: number }) | undefined

  constructor(clock: Pick<Clock, 'monotonic' | 'scale'>) {
    this.#clock = clock
    this.#loop = new LoopDelay(clock)
  }

  /** The frontier, whose commits are timed: on the clock of the machine, also where that of the crawl runs faster. */
  timed(frontier: Frontier): Frontier {
    const { scale = 1 } = this.#clock
    return {
      ...frontier,
      commit: async (units) => {
        const from = this.#clock.monotonic()
        const results = await frontier.commit(units)
        countDuration(COMMIT, (this.#clock.monotonic() - from) / scale / 1_000, (key, by) => this.#delta.count(key, by))
        return results
      },
    }
  }

  /** Listens from now on. */
  watch(crawl: Pick<Crawl, 'hooks'>): void {
    countTrace(crawl, this.#delta)
  }

  /** What was counted since the last call. */
  counted(): Counted {
    const used = cpuSeconds()
    this.#delta.count('cpu', Math.max(0, used - this.#cpuSeconds))
    this.#cpuSeconds = used
    return this.#delta.take()
  }

  /** What it is now. */
  live(): LiveFigures {
    const loopDelay = this.#loop.look()
    const { rss, heapUsed } = this.#memoryNow()
    return { residentBytes: rss, heapBytes: heapUsed, ...(loopDelay && { loopDelay }) }
  }

  [Symbol.dispose](): void {
    this.#loop[Symbol.dispose]()
  }

  #memoryNow(): Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'> {
    const now = this.#clock.monotonic() / (this.#clock.scale ?? 1)
    if (this.#memory === undefined || now - this.#memory.at >= SLOW_MS) this.#memory = { at: now, ...process.memoryUsage() }
    return this.#memory
  }
}
