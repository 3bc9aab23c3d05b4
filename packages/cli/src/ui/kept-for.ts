// An answer that is kept for a while: a page asks four times a second for what changes every few seconds, or costs much to find out.

/** One question. */
export class KeptFor<Answer> {
  readonly #find: () => Promise<Answer>
  readonly #keepMs: number
  #answer: Answer | undefined
  #pending: Promise<Answer> | undefined
  #askedAt = -Infinity

  constructor(keepMs: number, find: () => Promise<Answer>) {
    this.#keepMs = keepMs
    this.#find = find
  }

  /** The answer; that of before while a younger one is found. Throws what the first one throws. `now`: epoch ms. */
  async at(now: number): Promise<Answer> {
    if (this.#pending === undefined && now - this.#askedAt >= this.#keepMs) void this.#ask(now).catch(() => undefined)
    return this.#answer === undefined ? this.#ask(now) : this.#answer
  }

  /** The last answer, without waiting for one; undefined before the first. */
  soon(now: number): Answer | undefined {
    void this.at(now).catch(() => undefined)
    return this.#answer
  }

  /** The next one is found anew. */
  forget(): void {
    this.#askedAt = -Infinity
  }

  #ask(now: number): Promise<Answer> {
    this.#askedAt = now
    const pending = (this.#pending ??= this.#find().finally(() => (this.#pending = undefined)))
    pending.then(
      (answer) => (this.#answer = answer),
      () => (this.#answer = undefined),
    )
    return pending
  }
}
