// Handlers that yield nothing for page after page: a selector that matches nothing, most likely, which no error ever says.
//
// Only first visits count: a page that is as it was, or is read again for its links, has nothing to say. One item or link ever, and a handler is never told of.
import type { Page } from '../page.ts'
import { isUnchanged } from '../recrawl/recrawl.ts'
import { shellWord } from '../shell-word.ts'

/** So many pages in a row, and the handler is told of. */
const MANY = 10

/** Counts them, handler by handler of the spider. */
export class SilentHandlers {
  readonly #silent = new Map<string, number>()
  readonly #problem: (message: string) => void

  constructor(problem: (message: string) => void) {
    this.#problem = problem
  }

  /** The handler of `page` is done, and yielded so many items and links. */
  seen({ request, response }: Page, yielded: number): void {
    const { handler, url, earlier, cut } = request
    if (isUnchanged(request, response.status)) return
    if (yielded > 0) this.#silent.set(handler, Infinity)
    else if (earlier === undefined && cut === undefined) this.#count(handler, url)
  }

  #count(handler: string, url: string): void {
    const pages = (this.#silent.get(handler) ?? 0) + 1
    this.#silent.set(handler, pages)
    if (pages === MANY)
      this.#problem(
        `handler ${handler} yielded nothing for each of its first ${MANY} pages; see what its selectors find: avocet parse ${shellWord(url)} --handler ${handler}`,
      )
  }
}
