// The backoff from a sink that fails: 1 s, doubling to 60 s, a quarter of it by chance, so that many sinks of one server do not come back together.

import { SinkDown } from '@avocet/core/sink'
const FIRST_MS = 1_000
const LONGEST_MS = 60_000
/** What a sink may ask for. */
const LATEST_MS = 3_600_000

/** The backoff of one sink. */
export class Backoff {
  readonly #chance: (salt: string) => number
  /** Since it worked last. */
  #count = 0
  #salt = 0

  constructor(chance: (salt: string) => number) {
    this.#chance = chance
  }

  worked(): void {
    this.#count = 0
  }

  /** Ms to rest after one more. `now`: epoch ms. */
  failed(error: unknown, now: number): number {
    const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(this.#count++, 10))
    const restMs = ms * (0.75 + 0.25 * this.#chance(`${this.#salt++}`))
    const askedAt = error instanceof SinkDown ? error.retryAt : undefined
    // A sink in JavaScript may hand on a header field as it is: a text would make a rest that is no number, and so none.
    const asked = typeof askedAt !== 'number' || Number.isNaN(askedAt) ? 0 : Math.min(LATEST_MS, askedAt - now)
    return Math.max(restMs, asked)
  }
}
