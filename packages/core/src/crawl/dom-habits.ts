// Which handlers ask for the DOM of their pages: that of a large page is then built in steps, before the handler runs and would build it in one go.
//
// A DOM costs 60 times what a scan does, and the first one 17 MB of code and a heap that may grow, so it is not built for handlers that only follow links.
// Whether one asks is known when it has asked once. Before that, of pages so large that they would stop the loop for long, its source is looked at: who never
// names `$` or `text()` does not ask, unless what it calls does. A wrong guess costs the CPU of one page, or one pause of the loop; what the handler gets
// is the same.
import { wasAskedForDom } from '../html/html-page.ts'
import type { Page } from '../page.ts'
import type { Handler } from '../spider.ts'

/** `page.$`, `text()` or a selector; not the `${` of a template. */
const NAMES_DOM = /\$(?!\{)|\btext\s*\(|\blinks\s*\(\s*[^\s)]/

/** Up to so many it is not worth guessing: a page of nothing but tags takes 200 ms. */
const GUESSED_BYTES = 512 * 2 ** 10

/** Learns it, handler by handler. */
export class DomHabits {
  readonly #asks = new WeakSet<Handler<unknown>>()
  /** A document was built for them in vain. */
  readonly #guessedWrong = new WeakSet<Handler<unknown>>()

  /** Whether `handler` may ask for the DOM of a page of so many bytes. */
  mayAsk(handler: Handler<unknown>, bytes: number): boolean {
    if (this.#asks.has(handler)) return true
    if (bytes <= GUESSED_BYTES || this.#guessedWrong.has(handler)) return false
    return NAMES_DOM.test(Function.prototype.toString.call(handler))
  }

  /** `handler` is done with `page`, of so many bytes. */
  seen(handler: Handler<unknown>, page: Page, bytes: number): void {
    if (wasAskedForDom(page)) this.#asks.add(handler)
    else if (bytes > GUESSED_BYTES) this.#guessedWrong.add(handler)
  }
}
