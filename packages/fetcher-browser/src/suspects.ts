// Pages that a browser had when it broke down. One of them may have brought it about, and the others happened to be there.
//
// So from then on each is built alone, in a browser of its own, one at a time: what breaks that one again is to blame, and what does not is cleared. Blaming
// all that were there would fail the pages of other sites, for the same few are built side by side again when the next browser starts.

/** A page with which the browser broke down so many times in a row is to blame; only the first time others may have been there. */
const MAX_BREAKDOWNS = 3
/** The one that was suspected first is forgotten. */
const MAX_REMEMBERED = 1_000

/** The pages under suspicion, by URL. */
export class Suspects {
  /** How often in a row the browser broke down with each. */
  readonly #times = new Map<string, number>()
  #last: Promise<void> = Promise.resolve()

  has(url: string): boolean {
    return this.#times.has(url)
  }

  /** Resolves when it may be built alone; until this is disposed no other is. */
  async turn(): Promise<Disposable> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = this.#last
    this.#last = promise
    await before
    return { [Symbol.dispose]: () => resolve() }
  }

  /** It was built. */
  clear(url: string): void {
    this.#times.delete(url)
  }

  /** The browser broke down with it. Returns how often in a row it did, if by now the page is to blame. It stays suspected: it may be requested once more. */
  brokeDown(url: string): number | undefined {
    const times = (this.#times.get(url) ?? 0) + 1
    this.#times.delete(url)
    this.#times.set(url, times)
    const [oldest] = this.#times.keys()
    if (this.#times.size > MAX_REMEMBERED && oldest !== undefined) this.#times.delete(oldest)
    return times < MAX_BREAKDOWNS ? undefined : times
  }
}
