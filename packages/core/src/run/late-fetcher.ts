// The fetcher of a crawl, and what makes its pages, before they are there: they are loaded when the crawl begins, so that a configuration that is only
// read loads neither an HTTP client nor a reader of HTML.
import { AvocetError } from '../values/errors.ts'
import type { Fetcher } from '../ports/fetcher.ts'
import type { CrawledPage, PageOf, PageSource } from '../ports/page.ts'

/** Passes everything on to the fetcher that `load` makes. */
export class LateFetcher {
  readonly #make: () => Promise<Fetcher>
  #made: Fetcher | undefined

  constructor(make: () => Promise<Fetcher>) {
    this.#make = make
  }

  /** Once, before the first request. Throws what making it throws, such as AVO_NODE_TOO_OLD. */
  async load(): Promise<void> {
    this.#made = await this.#make()
  }

  get fetch(): Fetcher['fetch'] {
    if (this.#made === undefined) throw new AvocetError('AVO_INTERNAL', 'expected a fetcher that is loaded, got a request before')
    return this.#made.fetch
  }

  /** Which of its optional parts there are is known once it is loaded. */
  get leadsInside(): Fetcher['leadsInside'] {
    return this.#made?.leadsInside
  }

  get bodyBudget(): Fetcher['bodyBudget'] {
    return this.#made?.bodyBudget
  }

  get connections(): Fetcher['connections'] {
    return this.#made?.connections
  }

  async close(): Promise<void> {
    await this.#made?.close()
  }
}

/** Makes pages by what `load` brings. */
export class LatePages {
  readonly #bring: () => Promise<PageOf>
  #pageOf: PageOf | undefined

  constructor(bring: () => Promise<PageOf>) {
    this.#bring = bring
  }

  /** Once, before the first response. */
  async load(): Promise<void> {
    this.#pageOf = await this.#bring()
  }

  of(source: PageSource): CrawledPage {
    if (this.#pageOf === undefined) throw new AvocetError('AVO_INTERNAL', 'expected pages that are loaded, got a response before')
    return this.#pageOf(source)
  }
}
