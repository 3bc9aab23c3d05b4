// What this package adds to the pages that handlers see. Handlers know them as `Page`, of core, into which these members are merged.
import type { Link, LinkOptions } from '@avocet/core'
import type { CheerioAPI } from 'cheerio/slim'
import type { PageData } from './data/page-data.ts'

/** An anchor (`<a>`, `<area>`) of a page, in document order, resolved against the base URL. */
export interface Anchor {
  /** Absolute http(s) URL, fragment kept off. */
  readonly url: string
  /** Text between the tags, white space folded, ≤ 200 characters. A piece of `body`: as long as you keep it, the page stays in RAM. */
  readonly text: string
  /** `rel` tokens contain `nofollow`. */
  readonly nofollow: boolean
  /** A link in the text, or a region of an image map. */
  readonly element: 'a' | 'area'
}

/** How `page.links` follows what it selects: the options of `link`, and one more. */
export interface FollowOptions<Name extends string = string, Data = unknown> extends LinkOptions<Name, Data> {
  /** `ignore` follows links despite `rel=nofollow`, `<meta name=robots content=nofollow>` and X-Robots-Tag. */
  readonly nofollow?: 'honour' | 'ignore'
}

/**
 * What a handler can read of a page, beside its request and response. Nothing is parsed before you use it.
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
 * @example What a page says to machines, and the texts of its cells:
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
 * page.texts('td:first-child') // ['100 g', '250 g']
 * ```
 */
interface PageContent extends PageData {
  /** Content type in lower case (`text/html`), guessed from the body when the server gave none. */
  readonly contentType: string
  /** WHATWG name of the charset: by BOM, header, meta, else valid UTF-8, else windows-1252. */
  readonly charset: string
  /** The whole body as text. */
  readonly body: string
  /** Of `<title>`, white space folded; empty when there is none. */
  readonly title: string
  /** Target of `<link rel=canonical>`, absolute. */
  readonly canonical?: string | undefined
  /** Of `<meta name=robots>` and the X-Robots-Tag field, for all crawlers or for this one. */
  readonly robots: { readonly noindex: boolean; readonly nofollow: boolean }
  /** Of the Refresh field, or of `<meta http-equiv=refresh>`. */
  readonly refresh?: { readonly delaySeconds: number; readonly url: string } | undefined
  /** All anchors with http(s) targets, duplicates and nofollow ones included; at most 10,000. */
  readonly anchors: readonly Anchor[]
  /** Whether `anchors` is incomplete: there were more, or the markup had an unclosed construct of megabytes. */
  readonly truncated: boolean
  /** Cheerio, for HTML and for XML such as feeds (`page.$('item > link').text()`). The first use builds the DOM. */
  readonly $: CheerioAPI
  /** Text of the first element that matches, white space folded; of the whole body element without a selector. */
  text(selector?: string): string
  /**
   * Links to follow: all anchors, or those that match a selector (which builds the DOM). Honours nofollow by default. A
   * `refresh` of at most 10 s is followed where the page links nowhere else.
   */
  links<const Name extends string = 'start', const LinksData = undefined>(
    selector?: string,
    options?: FollowOptions<Name, LinksData>,
  ): Iterable<Link<NoInfer<Name>, NoInfer<LinksData>>>
  links<const Name extends string = 'start', const LinksData = undefined>(
    options?: FollowOptions<Name, LinksData>,
  ): Iterable<Link<NoInfer<Name>, NoInfer<LinksData>>>
  /** The form that a selector finds, or that is around what it finds; the first one without a selector. */
  form(selector?: string): Form
  /** The body as JSON. Throws SyntaxError. */
  json<T = unknown>(): T
}

declare module '@avocet/core' {
  interface Page<Data> extends PageContent {}
}

// A form of a page, as a handler fills it in: the port, implemented by `@avocet/page`.

/** What a field is filled in with: its text, the value of an option, several of these, or whether a box is checked. */
export type FormValue = string | number | boolean | readonly (string | number)[]

/** How a form is submitted: the options of the link, without those that the form decides, and the button. */
export interface SubmitOptions<Name extends string = string, Data = unknown> extends Omit<
  LinkOptions<Name, Data>,
  'method' | 'body'
> {
  /** Name, value or text of the button that is pressed. Default: the first one, as when you press Enter. */
  readonly button?: string
}

/**
 * A form. Nothing changes it: `fill` gives another one. It is submitted as browsers do: with hidden fields, checked boxes, chosen options and the default
 * button; without disabled fields; in the method, encoding and charset of the form.
 *
 * @example
 * ```ts
 * // search-form.ts
 * import { recordedPage } from '@avocet/simulator'
 *
 * const page = recordedPage({
 *   url: 'https://shop.example/',
 *   body: '<form id="login" action="/login" method="post"><input name="token" value="t1"><input name="user"><button name="go">Go</button></form>',
 * })
 * const { url, options } = page.form('#login').fill({ user: 'ann' }).submit()
 * url // 'https://shop.example/login'
 * options.method // 'POST'
 * options.body // 'token=t1&user=ann&go='
 * ```
 * Source: HTML standard §4.10.21.3 (submission) and §4.10.21.4 (which fields).
 */
export interface Form {
  /** Names of its fields, in their order, buttons left out. */
  readonly names: readonly string[]
  /**
   * The same form with these values. A field that is filled in counts as enabled.
   *
   * @throws AVO_HANDLER_FORM for a name that the form does not have, and a value that its field cannot take.
   */
  fill(values: Readonly<Record<string, FormValue>>): Form
  /**
   * The request of the form, to be yielded.
   *
   * @throws AVO_HANDLER_FORM where it has no such button, or leads to what is no http(s) URL.
   */
  submit<const Name extends string = 'start', const Data = undefined>(
    options?: SubmitOptions<Name, Data>,
  ): Link<NoInfer<Name>, NoInfer<Data>>
}
