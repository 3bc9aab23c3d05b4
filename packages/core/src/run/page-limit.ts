// How many pages a run may still begin, and when the limit ends it: `maxPages`, and where several runs share that, what was granted to this one.
import type { FellowRuns, PagesOfRun } from '../fellow-runs.ts'
import type { Settings } from './settings.ts'

/** The limit of one run. */
export class PageLimit {
  readonly #maxPages: number
  readonly #grant: FellowRuns['pages']

  constructor({ maxPages, fellows }: Pick<Settings, 'maxPages' | 'fellows'>) {
    this.#maxPages = maxPages
    this.#grant = fellows?.pages
  }

  /** The run begins. */
  begin(run: PagesOfRun): void {
    this.#grant?.begin(run)
  }

  /** Whether another page may begin beside `inUse`, which are handled, in a handler or in flight. */
  allows(inUse: number): boolean {
    if (inUse >= this.#maxPages) return false
    if (this.#grant === undefined || inUse < this.#grant.pages) return true
    if (!this.#grant.isSpent) this.#grant.runShort()
    return false
  }

  /** The end of a run that has handled so many, if that is the limit. */
  endAt(handled: number): { readonly ended: 'limit'; readonly why: string } | undefined {
    if (handled < this.#maxPages && this.#grant?.isSpent !== true) return undefined
    return { ended: 'limit', why: `maxPages (${this.#maxPages}) is reached` }
  }
}
