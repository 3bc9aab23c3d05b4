// Looks how much room the disk of the store has: when it runs low, no new URLs are taken in, long before the store cannot be written and all must stop.
import type { Clock } from '../clock.ts'
import { messageOf } from '../errors.ts'
import type { Frontier } from '../frontier.ts'

const LOOK_MS = 5_000
/** Room is enough again when there is so much more than that. */
const ENOUGH_RATIO = 1.1

/** What it watches by. */
interface DiskParts {
  readonly minFreeBytes: number
  problem(message: string): void
}

/** Looks when it is asked, at most every five seconds; where the frontier has no disk there is always room. */
export class DiskWatch {
  readonly #frontier: Pick<Frontier, 'freeBytes'>
  readonly #clock: Clock
  readonly #parts: DiskParts
  #wasLow = false
  #lookAt = 0

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

  #look(freeBytes: () => number): void {
    const { minFreeBytes, problem } = this.#parts
    try {
      const wasLow = this.#wasLow
      this.#wasLow = freeBytes() < minFreeBytes * (wasLow ? ENOUGH_RATIO : 1)
      if (this.#wasLow && !wasLow)
        problem(
          `the disk of the store has less than ${Math.round(minFreeBytes / 2 ** 20)} MiB left (discoveryLimits.minFreeBytes): pages that link to new URLs wait until it has more, and are asked for again; the others go on`,
        )
    } catch (error) {
      problem(`cannot read the free space of the store's disk: ${messageOf(error)}`)
    }
  }
}
