// What one process of a crawl has to tell for its metrics: what it counted since it was asked last, and what it is now.
import type { Crawl } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'
import type { CrawlStatus, Explanation, HostStatus } from '@avocet/core/tools'
import { COMMIT, countDuration } from './laws/buckets.ts'
import { CountDelta, type Counted } from './laws/counted.ts'
import type { LiveFigures, ShownHost } from './laws/measured-crawl.ts'
import { cpuSeconds, LoopDelay } from './process-figures.ts'
import { countTrace } from './trace-counts.ts'

/** A crawl that is watched. */
type Watched = Pick<Crawl, 'hooks' | 'explain'>

/** What one process tells. */
export interface ToldMetrics {
  readonly counted: Counted
  /** What it is now. Absent: as it was told last. */
  readonly live?: LiveFigures
}

/** A rate that a policy has found. */
interface Found {
  /** Epoch ms. */
  readonly at: number
  readonly rps: number | undefined
}

/** To ask all plugins about a host, or the system about memory, takes longer than all else that is shown, and both change slowly. */
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
  readonly #found = new Map<string, Found>()
  #memory: (Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'> & { readonly at: number }) | undefined
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
    countTrace(crawl, this.#delta)
  }

  /** What was counted since the last call. */
  counted(): Counted {
    const used = cpuSeconds()
    this.#delta.count('cpu', Math.max(0, used - this.#cpuSeconds))
    this.#cpuSeconds = used
    return this.#delta.take()
  }

  /** What it is now, by the status of its crawl. `names`: hosts that are shown by name. */
  live(names: readonly string[], { hosts, now }: Pick<CrawlStatus, 'hosts' | 'now'>): LiveFigures {
    const wanted = new Set(names)
    const named = hosts.filter(({ hostKey }) => wanted.has(hostKey)).map((host) => this.#namedHost(host, now))
    const loopDelay = this.#loop.look()
    const { rss, heapUsed } = this.#memoryAt(now)
    return { named, residentBytes: rss, heapBytes: heapUsed, ...(loopDelay && { loopDelay }) }
  }

  [Symbol.dispose](): void {
    this.#loop[Symbol.dispose]()
  }

  #namedHost({ hostKey, inFlight, waiting, proven }: HostStatus, now: number): ShownHost {
    // Of a host that never answered well nothing was found yet.
    const foundRps = proven ? this.#foundAt(hostKey, now) : undefined
    return { hostKey, inFlight, waiting, ...(foundRps !== undefined && { foundRps }) }
  }

  #memoryAt(now: number): Pick<NodeJS.MemoryUsage, 'rss' | 'heapUsed'> {
    if (this.#memory === undefined || now - this.#memory.at >= SLOW_MS) this.#memory = { at: now, ...process.memoryUsage() }
    return this.#memory
  }

  /** Kept for the hosts with a name alone, which are few. */
  #foundAt(hostKey: string, now: number): number | undefined {
    const known = this.#found.get(hostKey)
    if (known !== undefined && now - known.at < SLOW_MS) return known.rps
    const found = foundIn(this.#crawl?.explain(hostKey))
    const rps = typeof found === 'number' && Number.isFinite(found) ? found : undefined
    this.#found.set(hostKey, { at: now, rps })
    return rps
  }
}

/** What the first plugin says that has found one. */
function foundIn(explanation: Explanation | undefined): unknown {
  return Object.values(explanation?.values ?? {}).find(({ foundRps }) => foundRps !== undefined)?.['foundRps']
}
