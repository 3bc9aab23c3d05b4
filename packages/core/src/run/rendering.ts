// Which requests the browser fetches, and how many it has.
//
// A browser has room for a few pages where a crawl has a hundred slots. A request that waited for it in its slot would keep another host from being requested,
// so admission holds its host instead, as long as that request is the next one there.
import type { Browser } from '../browser.ts'
import { rendersOf } from '../identity.ts'

/** A request, as far as it matters here. */
interface Renderable {
  readonly url: string
  readonly method?: string
  readonly body?: string
  readonly identity?: string
}

/** The pages that a browser has. */
export class Rendering {
  readonly #browser: Browser | undefined
  #inFlight = 0

  constructor(browser: Browser | undefined) {
    this.#browser = browser
  }

  /** Whether the browser fetches it: its link says so, or a rule. */
  wants({ url, method = 'GET', body, identity }: Renderable): boolean {
    if (this.#browser === undefined) return false
    return rendersOf(identity) || (method === 'GET' && body === undefined && this.#browser.renders(url))
  }

  /** How many pages the browser may have at once, if it has that many. */
  get fullAt(): number | undefined {
    return this.#browser !== undefined && this.#inFlight >= this.#browser.maxPages ? this.#browser.maxPages : undefined
  }

  take(): void {
    this.#inFlight++
  }

  give(): void {
    this.#inFlight--
  }
}
