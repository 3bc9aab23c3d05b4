// Looks how much room the disk of the store has: when it runs low, no new URLs are taken in, long before the store cannot be written and all must stop;
// and says when it has room again, so that what waits need not wait until its moment.
import type { Clock } from '../ports/clock.ts'
import { messageOf } from '../values/errors.ts'
import type { Frontier } from '../ports/frontier.ts'

const LOOK_MS = 5_000
/** While it is low, whether a page asks or not. */
const WAIT_MS = 30_000
/** Room is enough again when there is so much more than that: with a disk that hovers there pages would be requested only to be put back. */
const ENOUGH_RATIO = 1.1

/** What it watches by. */
interface DiskParts {
  readonly minFreeBytes: number
  problem(message: string): void
  /** It was low, and is no longer. */
  recovered(): void
}

/** Looks when it is asked, at most every five seconds, and while it is low every thirty; where the frontier has no disk there is always room. */
export class DiskWatch implements Disposable {
  readonly #frontier: Pick<Frontier, 'freeBytes'>
  readonly #clock: Clock
  readonly #parts: DiskParts
  #wasLow = false
  #lookAt = 0
  #timer: Disposable | undefined

  constructor(frontier: Pick<Frontier, 'freeBytes'>, clock: Clock, parts: DiskParts) {
    this.#frontier = frontier
    this.#clock = clock
    this.#parts = parts
  }

  /** Whether less is left than should be. */
  get isLow(): boolean {
    if (this.#frontier.freeBytes === undefined || this.#parts.minFreeBytes === 0) return false
    const now = this.#clock.now()
    if (now >= this.#lookAt) {
      this.#lookAt = now + LOOK_MS
      this.#look(this.#frontier.freeBytes.bind(this.#frontier))
    }
    return this.#wasLow
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
  }

  #look(freeBytes: () => number): void {
    const { minFreeBytes, problem, recovered } = this.#parts
    try {
      const wasLow = this.#wasLow
      this.#wasLow = freeBytes() < minFreeBytes * (wasLow ? ENOUGH_RATIO : 1)
      if (this.#wasLow && !wasLow) {
        this.#wait()
        problem(
          `the disk of the store has less than ${Math.ceil(minFreeBytes / 2 ** 20)} MiB left (discoveryLimits.minFreeBytes): pages that link to new URLs wait for free space and will be requested again; other pages continue`,
        )
      } else if (wasLow && !this.#wasLow) {
        this[Symbol.dispose]()
        recovered()
      }
    } catch (error) {
      problem(`cannot read the free space of the store's disk: ${messageOf(error)}`)
    }
  }

  /** Nobody asks while all that is left waits. */
  #wait(): void {
    this.#timer = this.#clock.at(this.#clock.now() + WAIT_MS, () => {
      if (this.isLow) this.#wait()
    })
  }
}
