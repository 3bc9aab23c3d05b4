// One timer for the whole crawl, at the next moment at which anything can change by time alone.
import type { Clock } from '../ports/clock.ts'
import { isUntilResumed } from '../ports/frontier-reader.ts'

/** The timer. */
export class Alarm implements Disposable {
  readonly #clock: Clock
  readonly #ring: () => void
  #at = Infinity
  #timer: Disposable | undefined

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock
    this.#ring = ring
  }

  /** Rings at `at` (epoch ms) and not before; Infinity, or one that comes for nobody: not at all. */
  set(at: number): void {
    if (at === this.#at) return
    this[Symbol.dispose]()
    if (at === Infinity || isUntilResumed(at)) return
    this.#at = at
    this.#timer = this.#clock.at(at, () => {
      this.#at = Infinity
      this.#ring()
    })
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#at = Infinity
  }
}
