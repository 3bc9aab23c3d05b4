// Ends exchanges that are over one of their time limits, with one timer for all of them.
//
// Every 50 ms it compares one number of each exchange with the clock. A heap would be exact to the millisecond, but would cost each
// exchange a sift at every change of phase; a scan costs the whole crawl 5 µs a tick per 1,000 exchanges and a change of phase nothing.
//
// A tick that comes late was held up by our own work (a page that was parsed for 300 ms). What arrived meanwhile is still unread, so
// that tick judges nobody: the next one does, after the sockets had their turn.
import type { Clock } from '@avocet/core/store'

/** Granularity of all limits, in ms: a limit fires at most this late. */
const TICK_MS = 50

/** What the watchdog looks after. */
export interface Watchable {
  /** `clock.monotonic()` at which to call `overdue`. May change at any time. */
  readonly dueAt: number
  /** The moment has come: end, or set a later `dueAt`. */
  overdue(now: number): void
  /** All is being closed: end now. */
  cancel(): void
}

/** One timer for any number of exchanges. */
export class Watchdog {
  readonly #clock: Clock
  readonly #watched = new Set<Watchable>()
  #timer: Disposable | undefined
  /** The last tick judged nobody: two in a row never do. */
  #spared = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  watch(watched: Watchable): void {
    this.#watched.add(watched)
    if (this.#timer === undefined) this.#arm()
  }

  unwatch(watched: Watchable): void {
    this.#watched.delete(watched)
  }

  /** Ends everything that is in flight. */
  close(): void {
    for (const watched of this.#watched) watched.cancel()
    this.#watched.clear()
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }

  #arm(): void {
    const dueAt = this.#clock.now() + TICK_MS
    this.#timer = this.#clock.at(dueAt, () => {
      this.#timer = undefined
      const late = this.#clock.now() - dueAt > TICK_MS
      if (!late || this.#spared) this.#judge()
      this.#spared = late && !this.#spared
      if (this.#watched.size > 0 && this.#timer === undefined) this.#arm()
    })
  }

  #judge(): void {
    const now = this.#clock.monotonic()
    for (const watched of this.#watched) if (watched.dueAt <= now) watched.overdue(now)
  }
}
