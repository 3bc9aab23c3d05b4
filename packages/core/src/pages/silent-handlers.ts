// Handlers that yield nothing for page after page: a selector that matches nothing, most likely, which no error ever says.
//
// Only first visits count: a page that is as it was, or is read again for its links, has nothing to say. One item or link ever, and a handler is never told of.
import type { Page } from '../page.ts'
import { isUnchanged } from '../recrawl/recrawl.ts'
import type { SilentHandler } from '../report.ts'

/** With fewer pages it may be chance. */
const MANY = 10

/** Counts them, handler by handler of the spider. */
export class SilentHandlers {
  /** By name: how many pages, and the last of them. `undefined`: it has yielded. */
  readonly #silent = new Map<string, { readonly pages: number; readonly url: string } | undefined>()

  /** The handler of `page` is done, and yielded so many items and links. */
  seen({ request, response }: Page, yielded: number): void {
    const { handler, url, earlier, cut } = request
    if (isUnchanged(request, response.status)) return
    if (yielded > 0) this.#silent.set(handler, undefined)
    else if (earlier === undefined && cut === undefined) this.#count(handler, url)
  }

  /** Those that never yielded, at the end of a run: before it nobody knows. */
  get found(): readonly SilentHandler[] {
    return [...this.#silent].flatMap(([handler, silent]) =>
      silent === undefined || silent.pages < MANY ? [] : [{ handler, ...silent }],
    )
  }

  #count(handler: string, url: string): void {
    const met = this.#silent.get(handler)
    if (met === undefined && this.#silent.has(handler)) return
    this.#silent.set(handler, { pages: (met?.pages ?? 0) + 1, url })
  }
}
