// When pages are read: a small one in the tick of its answer while that turn of the event loop has room, large ones in steps before their handlers see them.
//
// A page of 32 MB may take a second to decode and scan, even in the fastest way, and handlers read links in one go. So what they may
// read is prepared, in steps of about 10 ms; other exchanges go on between them. Large pages wait in a row, so that one is in pieces at a time.
// A DOM costs 60 times what a scan does, so it is prepared only for handlers that have used one: the first large page of each may hold the loop up, once.
// Small pages are prepared on first use; what a hundred of them may cost together is bounded by `LoopBudget`, and so is what steps cost beside it.
import type { Clock } from '../ports/clock.ts'
import type { CrawledPage, Handler } from '../ports/page.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'

/** Bytes of body up to which all that can be read of a page takes less than some 30 ms. */
const LARGE_BYTES = 256 * 2 ** 10
/** The same where a DOM is built as well, which of nothing but tags takes some 10 ms for 32 KiB. */
const LARGE_DOM_BYTES = 64 * 2 ** 10

/** What a byte costs more where a DOM is built. */
const DOM_COST = 3
/** A page that is to be handled. */
export interface ComingPage {
  readonly page: CrawledPage
  readonly handler: Handler<unknown>
  /** Is called when the work on it begins before its handler does. */
  readonly begin: () => void | Promise<void>
}

/** Gives pages their turns. */
export class PageTurns {
  readonly #clock: Clock
  readonly #loop: LoopBudget
  readonly #usesDom = new WeakSet<Handler<unknown>>()
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Clock, loop: LoopBudget) {
    this.#clock = clock
    this.#loop = loop
  }

  /**
   * Resolves when its handler may have the page; undefined: it may now. Never rejects: what throws here throws again where the handler asks for it. Call
   * `seen` when the handler is done.
   */
  ready({ page, handler, begin }: ComingPage): Promise<void> | undefined {
    const { byteLength } = page.response.body
    // Asked again when it is to be built: pages that come together wait for each other, and the first one tells.
    const dom = (): boolean => byteLength > LARGE_DOM_BYTES && this.#usesDom.has(handler)
    if ((byteLength > LARGE_BYTES && page.isHtml) || dom()) return this.#read(page, dom, begin)
    const cost = Math.min(byteLength, LARGE_BYTES) * (this.#usesDom.has(handler) ? DOM_COST : 1)
    return this.#loop.take(cost) ? undefined : this.#loop.room(cost)
  }

  /** `handler` is done with `page`. */
  seen(page: CrawledPage, handler: Handler<unknown>): void {
    if (page.wasAskedForDom) this.#usesDom.add(handler)
  }

  #read(page: CrawledPage, dom: () => boolean, begin: ComingPage['begin']): Promise<void> {
    const hold = this.#clock.hold(`reading ${page.request.url}`)
    this.#last = this.#last.then(() => this.#inSteps(page, dom, begin)).finally(() => hold[Symbol.dispose]())
    return this.#last
  }

  async #inSteps(page: CrawledPage, dom: () => boolean, begin: ComingPage['begin']): Promise<void> {
    await begin()
    try {
      for (const _step of page.inSteps({ dom })) await this.#loop.room(COST.step)
    } catch {
      // The handler meets it, and its own failure says so.
    }
  }
}
