// A stop that waits: what is in flight may end for `drainMs`, and for less where nothing comes.
//
// A user who stops a crawl should not wait for hosts that hang. So a request whose server sent nothing for `silentMs`, counted from the stop at the earliest,
// is taken back as if it had not been sent: it waits in the store, uncounted, and nobody is blamed. The start of its host stays where it was, because the host
// was asked. What flows goes on until `drainMs` is over, and so does what must not be sent twice.
import type { Clock } from '../ports/clock.ts'
import type { DrainStatus } from '../ports/report.ts'

/** A body that stalls is found out at most this much later. */
const LOOK_AGAIN_MS = 250

/** How long a stop waits. */
export interface StopWait {
  /**
   * A request whose server sends nothing for so long after the stop (ms) goes back to the queue, and counts neither against it nor against its host. A body
   * that is flowing is waited for, and so is a request that must not be sent twice. Default: `drainMs` for all.
   */
  readonly silentMs?: number
  /** A signal has asked for it, which may have ended others that the crawl works with: sinks are told. Default false. */
  readonly interrupted?: boolean
}

/** What a drain does to the requests in flight. */
interface Draining {
  /** Takes back what has been silent since `silentSince`, epoch ms. */
  takeBack(silentSince: number): void
  letGo(): void
}

/** From the stop to the end of the run. */
export class Drain implements Disposable {
  readonly #clock: Clock
  readonly #draining: Draining
  readonly #startedAt: number
  readonly #until: number
  readonly #end: Disposable
  #silentMs = Infinity
  #silentUntil = Infinity
  #look: Disposable | undefined

  constructor(clock: Clock, drainMs: number, draining: Draining) {
    this.#clock = clock
    this.#draining = draining
    this.#startedAt = clock.now()
    this.#until = this.#startedAt + drainMs
    this.#end = clock.at(this.#until, () => draining.letGo())
  }

  get status(): DrainStatus {
    const silentUntil = this.#silentUntil
    return { until: this.#until, ...(silentUntil < this.#until && { silentUntil }) }
  }

  /** From `silentMs` from now on, waits no longer for what is silent for so long. */
  hasten(silentMs: number): void {
    if (silentMs >= this.#silentMs) return
    this.#silentMs = silentMs
    this.#silentUntil = Math.min(this.#silentUntil, this.#clock.now() + silentMs)
    this.#lookAt(this.#silentUntil)
  }

  #lookAt(at: number): void {
    this.#look?.[Symbol.dispose]()
    this.#look = this.#clock.at(at, () => {
      const now = this.#clock.now()
      this.#lookAt(now + LOOK_AGAIN_MS)
      this.#draining.takeBack(now - this.#silentMs)
    })
  }

  [Symbol.dispose](): void {
    this.#end[Symbol.dispose]()
    this.#look?.[Symbol.dispose]()
  }
}
