// A stop that waits: what is in flight may end for `drainMs`.
//
// A user who stops a crawl should not wait for hosts that hang. So a stop may say `recallMs`: a request that is still in flight then is taken back as if it had
// not been sent. It waits in the store, uncounted, and nobody is blamed. The start of its host stays where it was, because the host was asked. What must not
// be sent twice goes on until `drainMs` is over, and so do handlers.
import type { Clock } from '../ports/clock.ts'
import type { DrainStatus } from '../ports/report.ts'

/** How long a stop waits. */
export interface StopWait {
  /**
   * Requests that are still in flight so long after the stop (ms) go back to the queue, and count neither against them nor against their hosts; those that
   * must not be sent twice are waited for. Default: `drainMs` for all.
   */
  readonly recallMs?: number
  /** A signal has asked for it, which may have ended others that the crawl works with: sinks are told. Default false. */
  readonly interrupted?: boolean
}

/** What a drain does to the requests in flight. */
interface Draining {
  /** Takes back what may be sent twice. */
  takeBack(): void
  letGo(): void
}

/** From the stop to the end of the run. */
export class Drain implements Disposable {
  readonly #clock: Clock
  readonly #draining: Draining
  readonly #until: number
  readonly #end: Disposable
  #recallAt = Infinity
  #recall: Disposable | undefined

  constructor(clock: Clock, drainMs: number, draining: Draining) {
    this.#clock = clock
    this.#draining = draining
    this.#until = clock.now() + drainMs
    this.#end = clock.at(this.#until, () => draining.letGo())
  }

  get status(): DrainStatus {
    const recallAt = this.#recallAt
    return { until: this.#until, ...(recallAt < this.#until && { recallAt }) }
  }

  /** Waits for what may be sent twice no longer than `recallMs` from now. */
  hasten(recallMs: number): void {
    const at = this.#clock.now() + recallMs
    if (at >= this.#recallAt) return
    this.#recallAt = at
    this.#recall?.[Symbol.dispose]()
    this.#recall = this.#clock.at(at, () => this.#draining.takeBack())
  }

  [Symbol.dispose](): void {
    this.#end[Symbol.dispose]()
    this.#recall?.[Symbol.dispose]()
  }
}
