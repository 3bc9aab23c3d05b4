// How long this process was kept waiting by the machine: where it was, so were the others, and what they were late with is not theirs.
//
// A timer that is due every 20 ms says how late it came. What is judged by time alone, and was found while it came late, may be the machine's fault.

const EVERY_MS = 20

/** The longest wait since it was made. */
export class Starvation implements Disposable {
  readonly #timer: NodeJS.Timeout
  #due = performance.now() + EVERY_MS
  #longestMs = 0

  constructor() {
    this.#timer = setInterval(() => this.#look(), EVERY_MS)
  }

  /** In ms of the machine. */
  get longestMs(): number {
    return Math.round(this.#longestMs)
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    this.#longestMs = Math.max(this.#longestMs, now - this.#due)
    this.#due = now + EVERY_MS
  }
}
