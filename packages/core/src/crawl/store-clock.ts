// The crawl's time where several processes work on one store: that of the process that has it open longest, whatever their wall clocks say.
//
// What a store keeps (when a host may be asked again, when a page is due) are moments of the crawl's time, so all its processes must mean the
// same by one. The first of them goes by its own clock. The others go by the monotonic clock, which all processes of a machine share, set to what the
// first one shows, and are set anew at each heartbeat by the rules of the machine's clock (clock.ts): ahead is adopted, up to an hour behind is
// slewed, for `now` never goes back. They do not hear their own wall clock: when it is put right, the first process follows it, once for all.
// When the first one ends, the next goes on from the time that it has by then.
import { LONGEST_SLEW_MS, SLEW, TOLERANCE_MS, type Clock } from '../clock.ts'

/** While this process follows, a wait is looked at so often: the time it waits for may come sooner. */
const LOOK_MS = 10_000

/** The clock of one process on a store. */
export class StoreClock implements Clock {
  readonly #own: Clock
  /** What this process shows more than its own clock, while it leads. */
  #aheadMs = 0
  /** What it shows more than monotonic time while it follows, as of `#setAt`; undefined while it leads. */
  #offsetMs: number | undefined
  #setAt = 0
  /** What is still to be lost by running slower, as of then. */
  #slewMs = 0

  constructor(own: Clock) {
    this.#own = own
  }

  get trouble(): string | undefined {
    return this.#own.trouble
  }

  now(): number {
    if (this.#offsetMs === undefined) return this.#own.now() + this.#aheadMs
    const at = this.#own.monotonic()
    const slewedMs = this.#slewMs === 0 ? 0 : Math.min(this.#slewMs, (at - this.#setAt) * SLEW)
    return at + this.#offsetMs - slewedMs
  }

  monotonic(): number {
    return this.#own.monotonic()
  }

  at(epochMs: number, wake: () => void): Disposable {
    const check = (): void => {
      if (epochMs <= this.now()) wake()
      else wait = this.#wait(epochMs, check)
    }
    let wait = this.#own.at(this.#ownAt(epochMs), check)
    return { [Symbol.dispose]: () => wait[Symbol.dispose]() }
  }

  hold(name: string): Disposable {
    return this.#own.hold(name)
  }

  /** Takes over the time of the store that was just opened, `aheadMs` later than this process's, or sooner. Before anything is timed. */
  join(aheadMs: number): void {
    this.#set(this.now() + aheadMs)
  }

  /** Keeps up with a store whose time is `aheadMs` later than this one, or sooner; undefined: with its own clock, for this process is the first now. */
  follow(aheadMs: number | undefined): void {
    const now = this.now()
    if (aheadMs !== undefined) {
      this.#set(now + (aheadMs > TOLERANCE_MS ? aheadMs : 0))
      if (aheadMs < -TOLERANCE_MS && aheadMs >= -LONGEST_SLEW_MS) this.#slewMs = -aheadMs
    } else if (this.#offsetMs !== undefined) {
      this.#offsetMs = undefined
      this.#aheadMs = now - this.#own.now()
    }
  }

  #set(now: number): void {
    this.#setAt = this.#own.monotonic()
    this.#offsetMs = now - this.#setAt
    this.#slewMs = 0
  }

  /** Once more, and no sooner than in a moment: of a fraction of a millisecond no clock gets past. */
  #wait(epochMs: number, check: () => void): Disposable {
    return this.#own.at(Math.max(this.#ownAt(epochMs), this.#own.now() + 1), check)
  }

  /** When to look, by this process's own clock. */
  #ownAt(epochMs: number): number {
    if (this.#offsetMs === undefined) return epochMs - this.#aheadMs
    return epochMs === Infinity ? Infinity : this.#own.now() + Math.min(epochMs - this.now(), LOOK_MS)
  }
}
