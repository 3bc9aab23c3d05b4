// Reads pages that would stop the event loop before their handlers see them: a step a turn of the loop, one page after the other.
//
// A page of 32 MB may take a second to decode and scan, whatever is done to make that quick, and handlers ask for links in one go. So what they may
// ask for is read beforehand, in steps of about 10 ms; other exchanges go on between them. Pages wait in a row: steps of sixty pages in one turn would
// stop the loop as a whole page does. Small pages are read when they are asked for, in the tick of their answer, and never come here.
import { nextTurn, type Clock } from '../clock.ts'
import { readInSteps } from '../html/html-page.ts'
import type { Page } from '../page.ts'

/** Bytes of body up to which all that can be read of a page takes less than some 30 ms. */
const LARGE_BYTES = 256 * 2 ** 10

/** The row of large pages. */
export class LargePages {
  readonly #clock: Clock
  #last: Promise<void> = Promise.resolve()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether `page` is to be read here first. */
  isLarge(page: Page): boolean {
    return page.response.body.byteLength > LARGE_BYTES && page.isHtml
  }

  /** Resolves when it is read. Never rejects: what throws here throws again where a handler asks for it. */
  read(page: Page): Promise<void> {
    const hold = this.#clock.hold(`reading ${page.request.url}`)
    this.#last = this.#last.then(() => inSteps(page)).finally(() => hold[Symbol.dispose]())
    return this.#last
  }
}

async function inSteps(page: Page): Promise<void> {
  try {
    for (const _step of readInSteps(page)) await nextTurn()
  } catch {
    // The handler meets it, and is told so in its own failure.
  }
}
