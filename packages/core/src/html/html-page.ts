// A response as a handler sees it. Every part is made on first use and kept: decoding, scanning and the DOM cost 1, 10 and 600.
import { bodyHashOf } from '../body-hash.ts'
import { checkLinkOptions, Link } from '../link.ts'
import type { Anchor, FollowOptions, Page } from '../page.ts'
import type { Request } from '../request.ts'
import type { Response } from '../response.ts'
import { parseUrl } from '../url/parse-url.ts'
import { charsetOf, decodeText } from '../markup/charset.ts'
import { contentTypeOf, isHtmlType, isXmlType, type ContentType } from '../markup/content-type.ts'
import { buildDom, domInSteps, type DomParser } from '../markup/dom.ts'
import { decodedInSteps } from '../markup/decode-in-steps.ts'
import { checkFollowOptions } from './follow-options.ts'
import { foldSpace } from '../markup/folded-text.ts'
import { formOf } from './html-form.ts'
import { withLegacyQuery } from './legacy-query.ts'
import { parseRefresh } from './meta-refresh.ts'
import { PageReaders } from '../page-data/page-readers.ts'
import { ResolvedAnchors } from './resolved-anchors.ts'
import { robotsDirectives, type RobotsDirectives } from './robots-directives.ts'
import { HtmlScanner, MAX_ANCHOR_TEXT, scanHtml, type HtmlScan } from '../markup/scanner.ts'

/** Characters scanned in one step: markup of nothing but tags takes some 10 ms. */
const SCANNED_A_STEP = 256 * 2 ** 10
/** Anchors resolved in one step: of the most expensive hosts some 10 ms. */
const RESOLVED_A_STEP = 250
/** What a page is made of. */
export interface PageSource {
  readonly request: Request
  readonly response: Response
  /** How `$` parses HTML. XML is parsed as XML. */
  readonly html: 'parse5' | 'fast'
  /** Epoch ms, unless the response says so itself. Default 0. */
  readonly fetchedAt?: number
}

/**
 * The page of a response.
 *
 * @example
 * ```ts
 * const page = pageOf({ request, response, html: 'parse5' })
 * for (const { url, text } of page.anchors) console.log(url, text)
 * ```
 */
export function pageOf(source: PageSource): Page {
  return new HtmlPage(source)
}

/**
 * Reads a page a step at a time, for pages that would stop the event loop: decodes, scans and resolves what `page.links()`, `page.title` and their
 * like need, then, where `dom` says so, what `page.$` needs as well, and yields after each few milliseconds. Afterwards they cost nothing.
 */
export function* readInSteps(page: Page, { dom }: { readonly dom?: () => boolean } = {}): Generator<void, void, undefined> {
  if (!(page instanceof HtmlPage)) return
  if (page.isHtml) yield* page.read()
  if ((page.isHtml || isXmlType(page.contentType)) && dom?.() === true) yield* page.build()
}

/** Whether somebody asked `page` for its DOM. */
export function wasAskedForDom(page: Page): boolean {
  return page instanceof HtmlPage && page.wasAskedForDom
}

/** Whether the DOM of `page` is built, used or not. */
export function hasDom(page: Page): boolean {
  return page instanceof HtmlPage && page.hasDom
}

class HtmlPage extends PageReaders implements Page {
  readonly request: Request
  readonly response: Response
  readonly fetchedAt: number
  readonly #html: 'parse5' | 'fast'
  #url: URL | undefined
  #bodyHash: string | undefined
  #type: ContentType | undefined
  #charset: string | undefined
  #body: string | undefined
  #scan: HtmlScan | undefined
  #baseUrl: string | undefined
  #robots: RobotsDirectives | undefined
  #resolved: ResolvedAnchors | undefined
  #dom: Page['$'] | undefined
  wasAskedForDom = false

  constructor({ request, response, html, fetchedAt = 0 }: PageSource) {
    super()
    this.request = request
    this.response = response
    this.fetchedAt = response.fetchedAt ?? fetchedAt
    this.#html = html
  }

  get url(): URL {
    this.#url ??= new URL(this.request.url)
    return this.#url
  }

  get visit(): number {
    return this.request.earlier?.visits ?? 0
  }

  get changed(): Page['changed'] {
    const { earlier } = this.request
    if (earlier === undefined) return 'first'
    // Not modified: there is no body to compare.
    if (this.response.status === 304) return 'unchanged'
    this.#bodyHash ??= bodyHashOf(this.response.body)
    return earlier.bodyHash === this.#bodyHash ? 'unchanged' : 'changed'
  }

  get contentType(): string {
    return this.#contentType.essence
  }

  get isHtml(): boolean {
    return isHtmlType(this.contentType)
  }

  get isXml(): boolean {
    return isXmlType(this.contentType)
  }

  get charset(): string {
    const { charset } = this.#contentType
    const markup = this.isXml ? 'xml' : 'html'
    this.#charset ??= charsetOf(this.response.body, { label: charset, markup: this.isHtml || markup === 'xml' ? markup : 'none' })
    return this.#charset
  }

  get body(): string {
    this.#body ??= decodeText(this.response.body, this.charset)
    return this.#body
  }

  get title(): string {
    return this.#scanned.title
  }

  get baseUrl(): string {
    this.#baseUrl ??= this.#firstUrl(this.#scanned.bases, this.request.url) ?? this.request.url
    return this.#baseUrl
  }

  get canonical(): string | undefined {
    const { canonical } = this.#scanned
    return canonical === undefined ? undefined : this.#resolve(canonical)
  }

  get robots(): RobotsDirectives {
    const fields = this.response.headers['x-robots-tag'] ?? []
    this.#robots ??= robotsDirectives(this.#scanned.robots, typeof fields === 'string' ? [fields] : fields)
    return this.#robots
  }

  get refresh(): { readonly delaySeconds: number; readonly url: string } | undefined {
    for (const content of this.#scanned.refreshes) {
      const refresh = parseRefresh(content)
      const url = refresh && this.#resolve(refresh.href)
      if (refresh !== undefined && url !== undefined) return { delaySeconds: refresh.delaySeconds, url }
    }
    return undefined
  }

  get anchors(): readonly Anchor[] {
    return this.#links.anchors
  }

  get truncated(): boolean {
    return this.#scanned.truncated || this.#links.truncated
  }

  get $(): Page['$'] {
    this.wasAskedForDom = true
    this.#dom ??= buildDom(this.body, this.#parser, this.#scannedMarkup.maxAttributes)
    return this.#dom
  }

  get hasDom(): boolean {
    return this.#dom !== undefined
  }

  text(selector?: string): string {
    return this.innerText(this.$(selector ?? 'body').first())
  }

  absolute(href: string): string | undefined {
    return this.#resolve(href)
  }

  *links<Name extends string, Data>(
    selector?: string | FollowOptions<Name, Data>,
    options?: FollowOptions<Name, Data>,
  ): Generator<Link<Name, Data>, void, undefined> {
    const byText = typeof selector === 'string'
    if (!byText) checkFollowOptions(selector)
    const { nofollow = 'honour', ...follow } = (byText ? options : selector) ?? {}
    // Once a page, not once a link.
    checkLinkOptions(follow, 'page.links()')
    if (nofollow === 'honour' && this.robots.nofollow) return
    for (const anchor of byText ? this.#selected(selector) : this.anchors) {
      if (nofollow === 'honour' && anchor.nofollow) continue
      yield new Link(anchor.url, anchor.text === '' ? follow : { anchorText: anchor.text, ...follow })
    }
  }

  form(selector?: string): ReturnType<Page['form']> {
    return formOf(this, selector)
  }

  json<T = unknown>(): T {
    return JSON.parse(this.body) as T
  }

  *read(): Generator<void, void, undefined> {
    this.#body ??= yield* decodedInSteps(this.response.body, this.charset)
    yield
    const scanner = new HtmlScanner(this.#body)
    // From where it is: of megabytes in one comment nothing is left to be done afterwards.
    while (!scanner.isDone) {
      scanner.advance(scanner.position + SCANNED_A_STEP)
      yield
    }
    this.#scan ??= scanner.found
    const resolved = this.#unresolved()
    while (resolved.more(RESOLVED_A_STEP)) yield
    this.#resolved ??= resolved
  }

  *build(): Generator<void, void, undefined> {
    this.#body ??= yield* decodedInSteps(this.response.body, this.charset)
    yield
    this.#dom ??= yield* domInSteps(this.#body, this.#parser, this.#scannedMarkup.maxAttributes)
  }

  get #parser(): DomParser {
    return this.isXml ? 'xml' : this.#html
  }

  get #scannedMarkup(): HtmlScan {
    return this.isHtml ? this.#scanned : scanHtml(this.body)
  }

  get #links(): ResolvedAnchors {
    if (this.#resolved !== undefined) return this.#resolved
    this.#resolved = this.#unresolved()
    this.#resolved.more(Infinity)
    return this.#resolved
  }

  #unresolved(): ResolvedAnchors {
    return new ResolvedAnchors(this.#scanned.anchors, (href) => this.#resolve(href))
  }

  get #contentType(): ContentType {
    const field = this.response.headers['content-type']
    // Of several the last counts (Fetch Standard, "extract a MIME type").
    this.#type ??= contentTypeOf(typeof field === 'string' ? field : field?.at(-1), this.response.body)
    return this.#type
  }

  /** Only HTML is scanned: what looks like a tag in JSON or a script is none. */
  get #scanned(): HtmlScan {
    this.#scan ??= scanHtml(this.isHtml ? this.body : '')
    return this.#scan
  }

  #resolve(href: string): string | undefined {
    return parseUrl(withLegacyQuery(href, this.charset), this.baseUrl)
  }

  #firstUrl(hrefs: readonly string[], base: string): string | undefined {
    for (const href of hrefs) {
      const url = parseUrl(href, base)
      if (url !== undefined) return url
    }
    return undefined
  }

  *#selected(selector: string): Generator<Anchor, void, undefined> {
    for (const element of this.$(selector).filter('a[href], area[href]').get()) {
      const anchor = this.$(element)
      const url = this.#resolve(anchor.attr('href') ?? '')
      if (url === undefined) continue
      const rel = anchor.attr('rel')?.toLowerCase().split(/\s+/) ?? []
      yield {
        url,
        text: foldSpace(anchor.text(), MAX_ANCHOR_TEXT),
        nofollow: rel.includes('nofollow'),
        element: anchor.is('a') ? 'a' : 'area',
      }
    }
  }
}
