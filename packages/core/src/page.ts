// A response as a handler sees it: the port between the crawl and what reads HTML, implemented by `@avocet/page`.
import type { CheerioAPI } from 'cheerio/slim'
import type { Form } from './form.ts'
import type { Link, LinkData, LinkOptions } from './link.ts'
import type { PageData } from './page-data.ts'
import type { Request } from './request.ts'
import type { Response } from './response.ts'

/** An anchor (`<a>`, `<area>`) of a page, in document order, resolved against the base URL. */
export interface Anchor {
  /** Absolute http(s) URL, fragment kept off. */
  readonly url: string
  /** Text between the tags, white space folded, ≤ 200 characters. */
  readonly text: string
  /** `rel` tokens contain `nofollow`. */
  readonly nofollow: boolean
  /** A link in the text, or a region of an image map. */
  readonly element: 'a' | 'area'
}

/** How `page.links` follows what it selects: the options of `link`, and one more. */
export interface FollowOptions<Name extends string = string, Data = unknown> extends LinkOptions<Name, Data> {
  /** `ignore` follows links despite `rel=nofollow` and `<meta name=robots content=nofollow>`. */
  readonly nofollow?: 'honour' | 'ignore'
}

/**
 * A response as a handler sees it. Nothing is parsed before you use it. `Data` is the type of `page.request.data`.
 *
 * @example
 * ```ts
 * // page.ts
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({
 *   url: 'https://shop.example/tea/',
 *   body: '<title>Teas</title> <h1>Our <b>teas</b></h1> <a href="green">Green tea</a> <a href="/login" rel="nofollow">Sign in</a>',
 * })
 * page.title // 'Teas'
 * page.text('h1') // 'Our teas'
 * page.$('a').first().attr('href') // 'green'
 * page.anchors.map(({ url }) => url) // ['https://shop.example/tea/green', 'https://shop.example/login']
 * Array.from(page.links(), ({ url }) => url) // ['https://shop.example/tea/green']
 * Array.from(page.links('a', { nofollow: 'ignore', handler: 'tea' }), ({ options }) => options.handler) // ['tea', 'tea']
 * ```
 * @example Files that are not text, and fields of the response:
 * ```ts
 * // price-list.ts
 * import { recordedPage } from '@avocet/simulator'
 *
 * const bytes = new Uint8Array([0x25, 0x50, 0x44, 0x46])
 * const page = recordedPage({ url: 'https://shop.example/prices.pdf', body: bytes, headers: { 'content-type': 'application/pdf' } })
 * page.isHtml // false
 * page.contentType // 'application/pdf'
 * page.response.body.byteLength // 4
 * page.response.headers['content-type'] // 'application/pdf'
 * ```
 * @example Answers in JSON:
 * ```ts
 * // stock.ts
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({ url: 'https://shop.example/api/stock', body: '{ "sku": "T-1", "left": 7 }' })
 * const { left } = page.json<{ sku: string; left: number }>()
 * left // 7
 * ```
 * @example What a page says to machines, and its tables:
 * ```ts
 * // tea.ts
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({
 *   url: 'https://shop.example/tea',
 *   body: `<meta property="og:image" content="/tea.jpg">
 *     <script type="application/ld+json">{ "@graph": [{ "@type": "Product", "name": "Green tea" }] }</script>
 *     <table><tr><th>Size<th>Price<tr><td>100 g<td>4.50<tr><td>250 g<td>9.90</table>`,
 * })
 * page.jsonLd.ofType('Product')[0]?.['name'] // 'Green tea'
 * page.openGraph.images[0]?.url // 'https://shop.example/tea.jpg'
 * page.table()?.rows[1]?.['Price'] // '9.90'
 * page.texts('td:first-child') // ['100 g', '250 g']
 * ```
 */
export interface Page<Data = unknown> extends PageData {
  /** URL of the page. */
  readonly url: URL
  /** What was requested: URL, method, header fields, and the `data` of the link. */
  readonly request: Request<Data>
  /** What came back: status, header fields, and the body as bytes. */
  readonly response: Response
  /** Epoch ms at which it was requested, of a kept response at that time; 0 for a page that was not fetched, as in the test of a handler. */
  readonly fetchedAt: number
  /** Number of this visit: 0 for the first, more for recrawled pages. */
  readonly visit: number
  /** Whether the body differs from that of the last successful visit; `changed` if unknown. */
  readonly changed: 'first' | 'changed' | 'unchanged'
  /** Essence of the content type in lower case (`text/html`), guessed from the body when the server gave none. */
  readonly contentType: string
  /** Whether the content type is that of HTML or XHTML. */
  readonly isHtml: boolean
  /** WHATWG name of the charset: by BOM, header, meta, else valid UTF-8, else windows-1252. */
  readonly charset: string
  /** The whole body as text. */
  readonly body: string
  /** Of `<title>`, white space folded; empty when there is none. */
  readonly title: string
  /** What relative links are resolved against. */
  readonly baseUrl: string
  /** Target of `<link rel=canonical>`, absolute. */
  readonly canonical?: string | undefined
  /** Of `<meta name=robots>` and the X-Robots-Tag field. */
  readonly robots: { readonly noindex: boolean; readonly nofollow: boolean }
  /** Of `<meta http-equiv=refresh>`. */
  readonly refresh?: { readonly delaySeconds: number; readonly url: string } | undefined
  /** All anchors with http(s) targets, duplicates and nofollow ones included, at most 10,000, and 2 Mi characters of URLs. */
  readonly anchors: readonly Anchor[]
  /** Whether `anchors` is incomplete: there were more, or the markup had an unclosed construct of megabytes. */
  readonly truncated: boolean
  /**
   * Cheerio, for HTML and for XML such as feeds and sitemaps (`page.$('item > link').text()`). The first use builds the DOM, which costs more than
   * everything else on a page.
   */
  readonly $: CheerioAPI
  /** Text of the first element that matches, white space folded; of the whole body element without a selector. */
  text(selector?: string): string
  /** Links to follow: all anchors, or those that match a selector (which builds the DOM). Honours nofollow by default. */
  links<const Name extends string = 'start', const LinksData = undefined>(
    selector?: string,
    options?: FollowOptions<Name, LinksData & LinkData<LinksData>>,
  ): Iterable<Link<NoInfer<Name>, NoInfer<LinksData>>>
  links<const Name extends string = 'start', const LinksData = undefined>(
    options?: FollowOptions<Name, LinksData & LinkData<LinksData>>,
  ): Iterable<Link<NoInfer<Name>, NoInfer<LinksData>>>
  /**
   * The form that a selector finds, or that is around what it finds, such as a button; the first one without a selector. Throws AVO_HANDLER_FORM where there is
   * none.
   */
  form(selector?: string): Form
  /** The body as JSON. Throws SyntaxError. */
  json<T = unknown>(): T
}

/** What a page is made of. */
export interface PageSource {
  readonly request: Request
  readonly response: Response
  /** How `$` parses HTML. XML is parsed as XML. */
  readonly html: 'parse5' | 'fast'
  /** Epoch ms, unless the response says so itself. Default 0. */
  readonly fetchedAt?: number
}

/** A page as the crawl has it: a large one is read some milliseconds at a time before its handler sees it. */
export interface CrawledPage extends Page {
  /** Whether somebody asked for `$`. */
  readonly wasAskedForDom: boolean
  /** Whether the document behind `$` is built, used or not. */
  readonly hasDom: boolean
  /**
   * Decodes, scans and resolves what `links()`, `title` and their like need, then, where `dom` says so, builds what `$` needs as well, and yields after each
   * few milliseconds. Afterwards they cost nothing.
   */
  inSteps(options?: { readonly dom?: () => boolean }): Generator<void, void, undefined>
}

/** Makes the page of a response, and parses nothing before somebody asks. */
export type PageOf = (source: PageSource) => CrawledPage
