// The crawl's time on a store that several processes may have open.
//
// What a store keeps (when a host may be asked again, when a page is due) are moments of the crawl's time, so all its processes must mean the same by one.
// A store on another machine keeps the time itself, and each process goes by that. Processes on one machine go by its clock, each of which hears within a
// second that it was put forward. Where it was set back, those that run go on by their own time (clock.ts): a process that opens the store later takes that
// over, and goes on from it until the machine's clock is past it. Leases depend on none of this: whether a process lives is measured by monotonic clocks.
import type { Clock } from '../ports/clock.ts'
import type { CrawlInfo } from '../ports/crawl-info.ts'
import type { Tenure } from '../ports/sharing.ts'

/** A wait by another time than this machine's is looked at so often: that time may jump. */
const LOOK_MS = 10_000

/** The clock of one process on a store. */
export class StoreClock implements Clock {
  readonly #own: Clock
  /** Absent while it is that of the machine. */
  #time: (() => number) | undefined

  constructor(own: Clock) {
    this.#own = own
  }

  get trouble(): string | undefined {
    return this.#own.trouble
  }

  now(): number {
    return this.#time === undefined ? this.#own.now() : this.#time()
  }

  monotonic(): number {
    return this.#own.monotonic()
  }

  get scale(): number {
    return this.#own.scale ?? 1
  }

  at(epochMs: number, wake: () => void): Disposable {
    const wait = (): Disposable => this.#own.at(this.#ownAt(epochMs), check)
    const check = (): void => {
      if (epochMs <= this.now()) wake()
      else waiting = wait()
    }
    let waiting = wait()
    return { [Symbol.dispose]: () => waiting[Symbol.dispose]() }
  }

  hold(name: string): Disposable {
    return this.#own.hold(name)
  }

  /** Goes by the time of a store that keeps it itself. */
  keepTo(time: () => number): void {
    this.#time = time
  }

  /** Is ahead of the machine's clock by so much, as the other processes are, until that has caught up. */
  goAheadBy(ms: number): void {
    const own = this.#own
    const offsetMs = own.now() + ms - own.monotonic()
    this.#time = () => Math.max(own.now(), own.monotonic() + offsetMs)
  }

  /** When to look, by the machine's clock; no sooner than in a moment, for no clock gets past a fraction of a millisecond. */
  #ownAt(epochMs: number): number {
    if (this.#time === undefined || epochMs === Infinity) return epochMs
    return this.#own.now() + Math.max(1, Math.min(epochMs - this.#time(), LOOK_MS))
  }
}

/** Goes by the time of the store that was just opened. */
export function adoptStoreTime(clock: Clock, { aheadMs = 0 }: CrawlInfo, tenure?: Tenure): void {
  if (!(clock instanceof StoreClock)) return
  if (tenure !== undefined) clock.keepTo(() => tenure.now())
  else if (aheadMs > 0) clock.goAheadBy(aheadMs)
}
