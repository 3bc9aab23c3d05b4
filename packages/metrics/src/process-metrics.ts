// What one process of a crawl has to tell for its metrics: what it counted since it was asked last, and what it is now.
import { getHeapStatistics } from 'node:v8'
import type { Crawl } from '@avocet/core'
import { isRefusal, reasonOf, type TraceEvent } from '@avocet/core/plugin'
import type { Clock, Frontier } from '@avocet/core/store'
import { COMMIT, countDuration, LATENCY } from './laws/family.ts'
import { CountDelta, type Counted, type CountKey, STATUS_CLASSES, type StatusClass } from './laws/counted.ts'
import type { LiveFigures } from './laws/crawl-book.ts'
import { LoopDelay } from './process-figures.ts'

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
      countDuration(COMMIT, (this.#clock.monotonic() - from) / scale / 1_000, (key, by) => this.#delta.count(key, by))
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
    countTrace(crawl, this.#delta)
  }

  /** What was counted since the last call. */
  counted(): Counted {
    return this.#delta.take()
  }

  /** What it is now. */
  live(): LiveFigures {
    const loopDelay = this.#loop.look()
    return { heapBytes: getHeapStatistics().used_heap_size, ...(loopDelay && { loopDelay }) }
  }

  [Symbol.dispose](): void {
    this.#loop[Symbol.dispose]()
  }
}

// Counts what the trace of a crawl tells.

/** Made once. */
const RESPONSES = Object.fromEntries(STATUS_CLASSES.map((name) => [name, `response ${name}`])) as Record<StatusClass, CountKey>

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>

/** Counts what happens in a crawl from now on. */
function countTrace(crawl: Pick<Crawl, 'hooks'>, delta: CountDelta): void {
  const counts = new TraceCounts(delta)
  crawl.hooks.onTrace.tap('metrics', (event: TraceEvent) => counts.heard(event))
}

class TraceCounts {
  readonly #delta: CountDelta
  readonly #count = (key: CountKey, by?: number): void => this.#delta.count(key, by)

  constructor(delta: CountDelta) {
    this.#delta = delta
  }

  /** The frequent ones first. */
  heard(event: TraceEvent): void {
    const { kind } = event
    if (kind === 'sent') this.#delta.countHost(event.exchange.hostKey, 'requests')
    else if (kind === 'answered') this.#answered(event)
    else if (kind === 'committed') this.#committed(event)
    else if (kind === 'failed') {
      this.#count(`failure ${reasonOf(event.failure.code)}`)
      this.#delta.countHost(event.exchange.hostKey, 'failures')
    }
  }

  #answered({ exchange, response: { status, timings } }: EventOf<'answered'>): void {
    this.#count(RESPONSES[classOf(status)])
    const { connectMs = 0, firstByteMs, bodyMs, waitedMs = 0 } = timings
    countDuration(LATENCY, Math.max(0, connectMs + firstByteMs + bodyMs - waitedMs) / 1_000, this.#count)
    if (!isRefusal(status)) return
    this.#count(`refusal ${status}`)
    this.#delta.countHost(exchange.hostKey, 'refusals')
  }

  /** The status counts a page before the store has it, and takes it back where that fails: a counter must not. */
  #committed({ outcome }: EventOf<'committed'>): void {
    if (outcome.kind === 'done') this.#count('page')
  }
}

function classOf(status: number): StatusClass {
  return STATUS_CLASSES[Math.floor(status / 100) - 1] ?? 'other'
}
