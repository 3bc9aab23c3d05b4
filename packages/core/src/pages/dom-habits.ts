// Which handlers use the DOM of their pages: that of a large page is then built in steps, before the handler runs and would build it in one go.
//
// A DOM costs 60 times what a scan does, and the first one 17 MB of code, so it is not built for handlers that only follow links. Whether one asks is
// known when it has asked once, until a few were built for it in vain. Before that, of pages so large that they would stop the loop for long, its
// source is looked at: who never names `$` or `text()` does not ask, unless what it calls does. A wrong guess costs the CPU of one page, or one pause
// of the loop; what the handler gets is the same.
import type { CrawledPage } from '../page.ts'
import type { Handler } from '../handler.ts'

/** `page.$`, `text()` or a selector; not the `${` of a template. */
const NAMES_DOM = /\$(?!\{)|\btext\s*\(|\blinks\s*\(\s*[^\s)]/

/** Up to so many it is not worth guessing: a page of nothing but tags takes 200 ms. */
const GUESSED_BYTES = 512 * 2 ** 10

/** Documents that may be built in vain in a row before a handler counts as one that does not ask. */
const MAX_IN_VAIN = 3

/** Learns it, handler by handler. */
export class DomHabits {
  /** Of handlers that are known: documents that may still be built in vain. */
  readonly #patience = new WeakMap<Handler<unknown>, number>()

  /** Whether `handler` may use the DOM of a page of so many bytes. */
  mayAsk(handler: Handler<unknown>, bytes: number): boolean {
    const patience = this.#patience.get(handler)
    if (patience !== undefined) return patience > 0
    return bytes > GUESSED_BYTES && NAMES_DOM.test(Function.prototype.toString.call(handler))
  }

  /** `handler` is done with `page`. */
  seen(handler: Handler<unknown>, page: CrawledPage): void {
    if (page.wasAskedForDom) this.#patience.set(handler, MAX_IN_VAIN)
    // A guess is no experience: one document in vain is enough.
    else if (page.hasDom) this.#patience.set(handler, (this.#patience.get(handler) ?? 1) - 1)
  }
}
