// Lets so many through at once; the others wait in the order in which they came.

/** What is done inside; `leave` is to be called once, when it is over. */
export type Inside = (leave: () => void) => void

/** A cap on what is in progress. */
export class Turnstile {
  readonly #most: number
  readonly #waiting = new Set<Inside>()
  #inside = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Runs it now, or when its turn comes. */
  enter(inside: Inside): void {
    if (this.#inside >= this.#most) return void this.#waiting.add(inside)
    this.#inside += 1
    inside(() => this.#leave())
  }

  #leave(): void {
    this.#inside -= 1
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      return this.enter(next)
    }
  }
}
