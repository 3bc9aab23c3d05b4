// An answer that is kept for a while: a page asks four times a second for what changes every few seconds, or costs much to find out.
//
// It is kept for fifty times as long as it took to find, if that is longer: so a question that a large store answers slowly costs 2 % of the time at most.
import type { Clock } from '@avocet/core/store'

const COST_SHARE = 50

/** How an answer is found. */
export interface KeptParts<Answer> {
  readonly clock: Clock
  /** At least so long, ms. */
  readonly keepMs: number
  find(): Promise<Answer>
}

/** One question. */
export class KeptFor<Answer> {
  readonly #parts: KeptParts<Answer>
  #answer: Answer | undefined
  #pending: Promise<Answer> | undefined
  /** Ms of the machine at which the next one is found. */
  #nextAt = -Infinity

  constructor(parts: KeptParts<Answer>) {
    this.#parts = parts
  }

  /** The answer; that of before while a younger one is found. Throws what `find` throws where there is none. */
  async ask(): Promise<Answer> {
    const isDue = this.#pending === undefined && this.#parts.clock.monotonic() >= this.#nextAt
    const pending = isDue || this.#answer === undefined ? this.#find() : undefined
    if (this.#answer === undefined && pending !== undefined) return pending
    return this.#answer as Answer
  }

  /** The last answer, without waiting for one; undefined before the first. */
  soon(): Answer | undefined {
    void this.ask().catch(() => undefined)
    return this.#answer
  }

  /** The next one is found anew. */
  forget(): void {
    this.#nextAt = -Infinity
  }

  #find(): Promise<Answer> {
    const pending = (this.#pending ??= this.#found())
    // Said to those who wait for it; the others have the answer of before.
    pending.catch(() => undefined)
    return pending
  }

  async #found(): Promise<Answer> {
    const { clock, keepMs, find } = this.#parts
    const from = clock.monotonic()
    this.#nextAt = Infinity
    try {
      return (this.#answer = await find())
    } catch (error) {
      this.#answer = undefined
      throw error
    } finally {
      const now = clock.monotonic()
      // Forgotten meanwhile: it may be of before.
      if (this.#nextAt === Infinity) this.#nextAt = from + Math.max(keepMs, (now - from) * COST_SHARE)
      this.#pending = undefined
    }
  }
}
