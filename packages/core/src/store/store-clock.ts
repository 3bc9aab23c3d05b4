// The crawl's time where several processes work on one store: that of the process that has it open longest, not that of their wall clocks.
//
// What a store keeps (when a host may be asked again, when a page is due) are moments of the crawl's time, so all its processes must mean the
// same by one. The first of them goes by its own clock. The others go by the monotonic clock, which all processes of a machine share, set to what the
// first one shows, and are set anew at each heartbeat by the rules of the machine's clock (clock.ts): ahead is adopted, behind is not, for `now`
// never goes back. They do not hear their own wall clock: when it is put right, the first process follows it, once for all.
// When the first one ends, the next goes on from the time that it has by then, by its own clock again. Both clocks are the machine's, and each hears
// of a suspend within a minute, in either order. So what this process shows more than its own clock counts as of before the jump: a jump that its own
// clock knows and the first one did not is adopted on taking over; one that only the first one knew is waited for, for it would be counted twice.
import { TOLERANCE_MS, type Clock } from '../ports/clock.ts'
import type { CrawlInfo } from '../ports/crawl-info.ts'
import type { Tenure } from '../ports/frontier.ts'
import { formatDuration } from '../values/duration-text.ts'
import { SETBACK_TOLERANCE_MS } from '../values/setback.ts'

/** While this process follows, a wait is looked at so often: the time it waits for may come sooner. */
const LOOK_MS = 10_000
/** A jump of the machine's clock is known to all after the minute in which each compares, and a beat. What differs for longer differs for good. */
const SETTLED_MS = 120_000

/** The clock of one process on a store. */
export class StoreClock implements Clock {
  readonly #own: Clock
  /** What this process shows more than its own clock; while it follows, what it did when that was last settled. */
  #aheadMs = 0
  /** Since when it shows another difference than that (monotonic); undefined: it does not. */
  #unsettledAt: number | undefined
  /** What it shows more than monotonic time while it follows; undefined while it leads. */
  #offsetMs: number | undefined
  /** The time of a store that keeps it itself; undefined: it does not. */
  #kept: (() => number) | undefined
  #latest = -Infinity

  constructor(own: Clock) {
    this.#own = own
  }

  get trouble(): string | undefined {
    return this.#own.trouble
  }

  now(): number {
    if (this.#kept !== undefined) return (this.#latest = Math.max(this.#latest, this.#kept()))
    if (this.#offsetMs === undefined) return this.#own.now() + this.#aheadMs
    return this.#own.monotonic() + this.#offsetMs
  }

  monotonic(): number {
    return this.#own.monotonic()
  }

  get scale(): number {
    return this.#own.scale ?? 1
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

  /** Goes by the time of a store that keeps it itself, from now on. */
  keepTo(time: () => number): void {
    this.#kept = time
  }

  /** Takes over the time of the store that was just opened, `aheadMs` later than this process's, or sooner. Before anything is timed. */
  join(aheadMs: number): void {
    this.#set(this.now() + aheadMs)
    this.#aheadMs += aheadMs
  }

  /** Keeps up with a store whose time is `aheadMs` later than this one, or sooner; undefined: with its own clock, for this process is the first now. */
  follow(aheadMs: number | undefined): void {
    if (aheadMs === undefined) {
      if (this.#offsetMs !== undefined) this.#lead()
      return
    }
    this.#set(this.now() + (aheadMs > TOLERANCE_MS ? aheadMs : 0))
    const shownMs = this.now() - this.#own.now()
    if (!this.#isForGood(Math.abs(shownMs - this.#aheadMs))) return
    this.#aheadMs = shownMs
    this.#unsettledAt = undefined
  }

  /** Goes by its own clock again: at once, unless that may yet hear of what the first one knew. */
  #lead(): void {
    const behindMs = this.now() - this.#own.now() - this.#aheadMs
    if (behindMs > TOLERANCE_MS && !this.#isForGood(behindMs)) return
    this.#aheadMs += Math.max(0, behindMs)
    this.#offsetMs = undefined
    this.#unsettledAt = undefined
  }

  /** Whether this process has shown another difference to its own clock, by `byMs`, for so long that it is no jump which one of them has yet to hear of. */
  #isForGood(byMs: number): boolean {
    const at = this.#own.monotonic()
    if (byMs > TOLERANCE_MS) return at - (this.#unsettledAt ??= at) >= SETTLED_MS
    this.#unsettledAt = undefined
    return false
  }

  #set(now: number): void {
    this.#offsetMs = now - this.#own.monotonic()
  }

  /** Once more, and no sooner than in a moment: of a fraction of a millisecond no clock gets past. */
  #wait(epochMs: number, check: () => void): Disposable {
    return this.#own.at(Math.max(this.#ownAt(epochMs), this.#own.now() + 1), check)
  }

  /** When to look, by this process's own clock. */
  #ownAt(epochMs: number): number {
    if (this.#offsetMs === undefined && this.#kept === undefined) return epochMs - this.#aheadMs
    return epochMs === Infinity ? Infinity : this.#own.now() + Math.min(epochMs - this.now(), LOOK_MS)
  }
}

/** Goes by the time of the store that was just opened; returns what is worth a line in the report. */
export function adoptStoreTime(clock: Clock, { setBackMs = 0, aheadMs = 0 }: CrawlInfo, tenure?: Tenure): string[] {
  if (clock instanceof StoreClock) {
    if (tenure !== undefined) clock.keepTo(() => tenure.now())
    else if (aheadMs !== 0) clock.join(aheadMs)
  }
  const problems: string[] = []
  if (setBackMs > 0)
    problems.push(
      `the clock is ${formatDuration(setBackMs)} behind the last run, so it was ahead: all waits were moved back by as much`,
    )
  if (Math.abs(aheadMs) > SETBACK_TOLERANCE_MS) {
    const off = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead of'}`
    problems.push(
      tenure === undefined
        ? `the clock is ${off} that of another process on this store: this run goes by the time of that process`
        : `the clock is ${off} the time of the store: this run goes by the time of the store`,
    )
  }
  return problems
}
