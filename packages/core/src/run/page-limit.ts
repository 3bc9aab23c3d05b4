// How many pages a run may handle: `maxPages`, or fewer, where who runs several at once says so while they run.
import type { Settings } from './settings.ts'

/** The limit of one run. */
export class PageLimit {
  readonly #maxPages: number
  #pages: number

  constructor({ maxPages }: Pick<Settings, 'maxPages'>) {
    this.#maxPages = this.#pages = maxPages
  }

  /** From now on it is `pages`, and never more than `maxPages`. `goOn`: the run looks what it may do. */
  set(pages: number, goOn: () => void): void {
    this.#pages = Math.min(this.#maxPages, pages)
    goOn()
  }

  /** Whether another page may begin beside `inUse`, which are handled, in a handler or in flight. */
  allows(inUse: number): boolean {
    return inUse < this.#pages
  }

  /** The end of a run that has handled so many, if that is the limit. */
  endAt(handled: number): { readonly ended: 'limit'; readonly why: string } | undefined {
    if (handled < this.#pages) return undefined
    return { ended: 'limit', why: `maxPages (${this.#maxPages}) is reached` }
  }
}
