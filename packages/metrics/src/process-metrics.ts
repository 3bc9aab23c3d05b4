// What one process of a crawl has to tell for its metrics: what it counted since it was asked last, and what it is now.
import type { Crawl } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'
import type { Explanation, HostStatus } from '@avocet/core/tools'
import { COMMIT, countDuration } from './laws/buckets.ts'
import { CountDelta, type Counted } from './laws/counted.ts'
import type { LiveFigures, NamedHost } from './laws/shown-crawl.ts'
import { cpuSeconds, LoopDelay } from './process-figures.ts'
import { countTrace } from './trace-counts.ts'

/** A crawl that is watched. */
type Watched = Pick<Crawl, 'hooks' | 'status' | 'explain'>

/** What one process tells. */
export interface ToldMetrics {
  readonly counted: Counted
  readonly live: LiveFigures
}

/** A host that waits no longer than this is held by nothing that a person could want to know. */
const SOON_MS = 5_000
/** Waits of this length are not those of a pace: the plugin that holds a host for so long is asked for the reason. */
const ILL_MS = 1_000

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
  #crawl: Watched | undefined

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
  watch(crawl: Watched): void {
    this.#crawl = crawl
    countTrace(crawl, this.#delta, (hostKey) => isBreakerOpen(crawl.explain(hostKey)))
  }

  /** What was counted since the last call, and what is now. `names`: hosts that are shown by name. */
  take(names: readonly string[]): ToldMetrics {
    const used = cpuSeconds()
    this.#delta.count('cpu', Math.max(0, used - this.#cpuSeconds))
    this.#cpuSeconds = used
    return { counted: this.#delta.take(), live: this.#live(names) }
  }

  [Symbol.dispose](): void {
    this.#loop[Symbol.dispose]()
  }

  #live(names: readonly string[]): LiveFigures {
    const { hosts, now } = this.#crawl?.status() ?? { hosts: [], now: 0 }
    const states = { working: 0, ready: 0, held: 0, breakerOpen: 0 }
    const wanted = new Set(names)
    const named: NamedHost[] = []
    for (const host of hosts) {
      const state = this.#stateOf(host, now)
      if (state !== undefined) states[state]++
      if (wanted.has(host.hostKey)) named.push(this.#namedHost(host))
    }
    const loopDelay = this.#loop.look()
    const { rss, heapUsed } = process.memoryUsage()
    return { hosts: states, named, residentBytes: rss, heapBytes: heapUsed, ...(loopDelay && { loopDelay }) }
  }

  /** Undefined: it has nothing to do. */
  #stateOf({ hostKey, inFlight, waiting, hold, consecutiveFailures }: HostStatus, now: number): keyof LiveFigures['hosts'] | undefined {
    if (inFlight === 0 && waiting === 0) return undefined
    const heldMs = hold === undefined || !Number.isFinite(hold.until) ? 0 : hold.until - now
    if ((consecutiveFailures > 0 || heldMs > ILL_MS) && isBreakerOpen(this.#crawl?.explain(hostKey))) return 'breakerOpen'
    if (inFlight > 0) return 'working'
    return heldMs > SOON_MS ? 'held' : 'ready'
  }

  #namedHost({ hostKey, inFlight, waiting, proven }: HostStatus): NamedHost {
    // Of a host that never answered well nothing was found yet.
    const foundRps = proven ? valueIn(this.#crawl?.explain(hostKey), 'foundRps') : undefined
    return { hostKey, inFlight, waiting, ...(typeof foundRps === 'number' && Number.isFinite(foundRps) && { foundRps }) }
  }
}

/** By any plugin that explains a state, as that of a breaker. */
function isBreakerOpen(explanation: Explanation | undefined): boolean {
  const state = valueIn(explanation, 'state')
  return typeof state === 'string' && state !== 'closed'
}

/** What the first plugin says that knows it. */
function valueIn(explanation: Explanation | undefined, name: 'foundRps' | 'state'): unknown {
  return Object.values(explanation?.values ?? {}).find((values) => values[name] !== undefined)?.[name]
}
