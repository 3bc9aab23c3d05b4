// A response as a handler sees it: the port between the crawl and what reads pages, such as `@avocet/page`.
import type { Link } from './link.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

/**
 * A response as a handler sees it. `Data` is the type of `page.request.data`. Import it from `avocet`: in `@avocet/core` alone it ends with `baseUrl`, and
 * `@avocet/page` adds the rest by declaration merging, from `contentType` and `title` to `links()` and `$`.
 */
export interface Page<Data = unknown> {
  /** URL of the page. */
  readonly url: URL
  /** What was requested: URL, method, header fields, and the `data` of the link. */
  readonly request: Request<Data>
  /** What came back: status, header fields, and the body as bytes. */
  readonly response: Response
  /** Epoch ms at which it was requested; 0 for a page that was not fetched, as in a test. */
  readonly fetchedAt: number
  /** Number of this visit: 0 for the first, more for recrawled pages. */
  readonly visit: number
  /** Whether the body differs from that of the last successful visit; `changed` if unknown. */
  readonly changed: 'first' | 'changed' | 'unchanged'
  /** Whether the content type is that of HTML or XHTML. */
  readonly isHtml: boolean
  /** What relative links are resolved against. */
  readonly baseUrl: string
}

/** What a page is made of. */
export interface PageSource {
  readonly request: Request
  readonly response: Response
  /** Of the crawl: sites address directives to the name in it. */
  readonly userAgent?: string | undefined
  /** Epoch ms, unless the response says so itself. Default 0. */
  readonly fetchedAt?: number
}

/** A page as the crawl has it: a large one is read some milliseconds at a time before its handler sees it. */
export interface CrawledPage extends Page {
  /** Whether it has a field for a password. */
  readonly asksForPassword: boolean
  /** Whether somebody asked for the document behind `$`. */
  readonly wasAskedForDom: boolean
  /** Whether that document is built, used or not. */
  readonly hasDom: boolean
  /**
   * Reads what links and titles need, then, where `dom` says so, builds the document as well, and yields after each few milliseconds. Afterwards they cost
   * nothing.
   */
  inSteps(options?: { readonly dom?: () => boolean }): Generator<void, void, undefined>
}

/** Makes the page of a response, and parses nothing before somebody asks. */
export type PageOf = (source: PageSource) => CrawledPage

// A handler: a function from a page to a stream of items and links.

/** What a handler may return: a stream of items and links, as a generator, an async generator or a plain iterable. */
type HandlerStream<Item> = Iterable<Item | Link> | AsyncIterable<Item | Link>

/**
 * Extracts items and links from a page. All of its output is stored, or none. `Data` is the type of `page.request.data`: `spider()` checks that every link
 * to the handler passes it.
 *
 * A function that is declared as a `Handler` may yield links to any handler: the compiler checks names only where it infers what a function returns.
 * `function* (page) { … } satisfies Handler<Item>` has both.
 *
 * @example
 * ```ts
 * // offers.ts
 * import { spider, type Handler, type Page } from 'avocet'
 * import { readPage } from '@avocet/simulator'
 *
 * interface Offer {
 *   readonly name: string
 *   readonly shop: string
 * }
 * const offer = function* (page: Page<{ shop: string }>) {
 *   yield { name: page.text('h1'), shop: page.request.data.shop }
 * } satisfies Handler<Offer, { shop: string }>
 *
 * const offers = spider({
 *   name: 'offers',
 *   seeds: ['https://shop.example/'],
 *   handlers: {
 *     *start(page) {
 *       yield* page.links('a.offer', { handler: 'offer', data: { shop: 'north' } })
 *     },
 *     offer,
 *   },
 * })
 * const recorded = { url: 'https://shop.example/1', body: '<h1>Tea</h1>', handler: 'offer', data: { shop: 'north' } }
 * const { items } = await readPage(offers, recorded)
 * items // [{ name: 'Tea', shop: 'north' }]
 * ```
 */
export type Handler<Item, Data = unknown> = PageMethod<Item, Data>['handle']

// A method, for only methods compare their parameters both ways: a handler that takes certain data is a handler of a spider like any other.
interface PageMethod<Item, Data> {
  handle(page: Page<Data>): HandlerStream<Item> | Promise<HandlerStream<Item>>
}
