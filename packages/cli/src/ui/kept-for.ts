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
  #answer: { readonly value: Answer } | undefined
  /** Why there is none. */
  #trouble: unknown
  /** Raised by what makes all that was found old. */
  #turn = 0
  #pending: Promise<Answer> | undefined
  /** Ms of the machine at which the next one is found. */
  #nextAt = -Infinity

  constructor(parts: KeptParts<Answer>) {
    this.#parts = parts
  }

  /** The answer; that of before while a younger one is found. Throws what `find` threw last, until it is asked again. */
  async ask(): Promise<Answer> {
    const isDue = this.#pending === undefined && this.#parts.clock.monotonic() >= this.#nextAt
    const pending = isDue ? this.#find() : this.#pending
    if (this.#answer !== undefined) return this.#answer.value
    if (pending === undefined) throw this.#trouble
    return pending
  }

  /** The last answer, without waiting for one; undefined before the first. */
  soon(): Answer | undefined {
    void this.ask().catch(() => undefined)
    return this.#answer?.value
  }

  /** What was found is no longer so, nor what is being found: the next answer is waited for. */
  forget(): void {
    this.#turn++
    this.#nextAt = -Infinity
    this.#answer = this.#pending = undefined
  }

  #find(): Promise<Answer> {
    const pending = this.#found(this.#turn)
    this.#pending = pending
    // Said to those who wait for it; the others have the answer of before.
    pending.catch(() => undefined)
    return pending
  }

  async #found(turn: number): Promise<Answer> {
    const { clock, keepMs, find } = this.#parts
    const from = clock.monotonic()
    const take = (answer: { readonly value: Answer } | undefined, trouble?: unknown): void => {
      if (turn !== this.#turn) return
      const now = clock.monotonic()
      this.#answer = answer
      this.#trouble = trouble
      this.#nextAt = now + Math.max(keepMs, (now - from) * COST_SHARE)
      this.#pending = undefined
    }
    try {
      const value = await find()
      take({ value })
      return value
    } catch (error) {
      take(undefined, error)
      throw error
    }
  }
}
