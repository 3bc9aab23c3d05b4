// A response as a handler sees it. Every part is made on first use and kept: decoding, scanning and the DOM cost 1, 10 and 600.
import { hash } from 'node:crypto'
import { AvocetError, link, Link, type Page, type Request, type Response } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { shown, type PageSource } from '@avocet/core/store'
import { PageReaders } from './data/page-readers.ts'
import { crawlerNameOf, parseRefresh, robotsDirectives, type RobotsDirectives } from './directives.ts'
import { formOf } from './html-form.ts'
import { charsetOf, contentTypeOf, decodedInSteps, decodeText, isHtmlType, isXmlType, withLegacyQuery } from './markup/charset.ts'
import type { ContentType } from './markup/charset.ts'
import { buildDom, domInSteps, type DomParser } from './markup/dom.ts'
import { foldSpace, isInTemplate } from './markup/element-text.ts'
import { HtmlScanner, MAX_ANCHOR_TEXT, scanHtml, type HtmlScan } from './markup/scanner.ts'
import type { Anchor, FollowOptions } from './page-content.ts'
import { ResolvedAnchors, linkTarget } from './resolved-links.ts'

/** Characters scanned in one step: markup of nothing but tags takes some 10 ms. */
const SCANNED_A_STEP = 256 * 2 ** 10
/** A refresh after more is for people who watch the page. */
const MAX_REDIRECT_SECONDS = 10
/** Anchors resolved in one step: of the most expensive hosts some 10 ms. */
const RESOLVED_A_STEP = 250

/**
 * The page of a response.
 *
 * @example
 * ```ts
 * const page = pageOf({ request, response })
 * for (const { url, text } of page.anchors) console.log(url, text)
 * ```
 */
export function pageOf(source: PageSource): HtmlPage {
  return new HtmlPage(source)
}

class HtmlPage extends PageReaders implements Page {
  readonly request: Request
  readonly response: Response
  readonly fetchedAt: number
  readonly #agent: string | undefined
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

  constructor({ request, response, userAgent, fetchedAt = 0 }: PageSource) {
    super()
    this.request = request
    this.response = response
    this.fetchedAt = response.fetchedAt ?? fetchedAt
    this.#agent = crawlerNameOf(userAgent)
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
    this.#bodyHash ??= hash('sha1', this.response.body, 'hex').slice(0, 16)
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
    this.#baseUrl ??= this.#declaredBase() ?? this.request.url
    return this.#baseUrl
  }

  get canonical(): string | undefined {
    const { canonical } = this.#scanned
    return canonical === undefined ? undefined : this.#resolve(canonical)
  }

  get robots(): RobotsDirectives {
    const fields = this.response.headers['x-robots-tag'] ?? []
    this.#robots ??= robotsDirectives(this.#scanned.robots, typeof fields === 'string' ? [fields] : fields, this.#agent)
    return this.#robots
  }

  get refresh(): { readonly delaySeconds: number; readonly url: string } | undefined {
    for (const content of [this.response.headers['refresh'] ?? [], this.#scanned.refreshes].flat()) {
      const refresh = parseRefresh(content)
      const url = refresh && this.#target(refresh.href)
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

  get asksForPassword(): boolean {
    return this.$('input[type=password]').length > 0
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

  links<Name extends string, Data>(
    selector?: string | FollowOptions<Name, Data>,
    options?: FollowOptions<Name, Data>,
  ): readonly Link<Name, Data>[] {
    const byText = typeof selector === 'string'
    if (!byText && !areOptions(selector ?? {})) throw invalid('page.links() to be given a selector as text', selector, BY_TEXT)
    const { nofollow = 'honour', ...follow } = (byText ? options : selector) ?? {}
    // Checks the options, once a page and not once a link.
    link(this.request.url, follow)
    if (nofollow !== 'honour' && nofollow !== 'ignore')
      throw invalid("nofollow of page.links() to be 'honour' or 'ignore'", nofollow, 'leave it out to honour it')
    if (nofollow === 'honour' && this.robots.nofollow) return []
    const { refresh } = this
    if (!byText && refresh !== undefined && this.#isOnlyRefresh(refresh))
      return [new Link<Name, Data>(refresh.url, { handler: this.request.handler as Name }, true)]
    const anchors = byText ? this.#selected(selector) : this.anchors
    const followed = nofollow === 'ignore' ? anchors : anchors.filter((anchor) => !anchor.nofollow)
    return followed.map(({ url, text }) => new Link(url, text === '' ? follow : { anchorText: text, ...follow }))
  }

  /** A page that leads elsewhere as well is a page. So is one that people can read until it loads again, though each time with another query. */
  #isOnlyRefresh({ delaySeconds, url }: NonNullable<Page['refresh']>): boolean {
    const isReload = url.split('?')[0] === this.request.url.split('?')[0]
    return delaySeconds <= (isReload ? 0 : MAX_REDIRECT_SECONDS) && this.anchors.every((anchor) => anchor.url === url)
  }

  form(selector?: string): ReturnType<Page['form']> {
    return formOf(this, selector)
  }

  json<T = unknown>(): T {
    return JSON.parse(this.body) as T
  }

  *inSteps({ dom }: { readonly dom?: () => boolean } = {}): Generator<void, void, undefined> {
    if (this.isHtml) yield* this.#read()
    if ((this.isHtml || this.isXml) && dom?.() === true) yield* this.#build()
  }

  *#read(): Generator<void, void, undefined> {
    this.#body ??= yield* decodedInSteps(this.response.body, this.charset)
    yield
    const scanner = new HtmlScanner(this.#body, this.#agent)
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

  *#build(): Generator<void, void, undefined> {
    this.#body ??= yield* decodedInSteps(this.response.body, this.charset)
    yield
    this.#dom ??= yield* domInSteps(this.#body, this.#parser, this.#scannedMarkup.maxAttributes)
  }

  get #parser(): DomParser {
    return this.isXml ? 'xml' : 'html'
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
    const { charset, baseUrl } = this
    return new ResolvedAnchors(this.#scanned.anchors, (href) => linkTarget(href, charset, baseUrl))
  }

  #declaredBase(): string | undefined {
    return this.#scanned.bases.map((href) => parseUrl(href, this.request.url)).find((base) => base !== undefined)
  }

  get #contentType(): ContentType {
    const field = this.response.headers['content-type']
    // Of several the last counts (Fetch Standard, "extract a MIME type").
    this.#type ??= contentTypeOf(typeof field === 'string' ? field : field?.at(-1), this.response.body)
    return this.#type
  }

  /** Only HTML is scanned: what looks like a tag in JSON or a script is none. */
  get #scanned(): HtmlScan {
    this.#scan ??= scanHtml(this.isHtml ? this.body : '', this.#agent)
    return this.#scan
  }

  #resolve(href: string): string | undefined {
    return parseUrl(withLegacyQuery(href, this.charset), this.baseUrl)
  }

  #target(href: string): string | undefined {
    return linkTarget(href, this.charset, this.baseUrl)
  }

  #selected(selector: string): readonly Anchor[] {
    const elements = this.$(selector).filter('a[href], area[href]').get()
    return elements.flatMap((element) => {
      const anchor = this.$(element)
      const url = isInTemplate(element) ? undefined : this.#target(anchor.attr('href') ?? '')
      if (url === undefined) return []
      const rel = anchor.attr('rel')?.toLowerCase().split(/\s+/) ?? []
      const text = foldSpace(anchor.text(), MAX_ANCHOR_TEXT)
      return [{ url, text, nofollow: rel.includes('nofollow'), element: anchor.is('a') ? 'a' : 'area' }]
    })
  }
}

/** Not an element or a selection, which people pass as well. */
function areOptions(given: object): boolean {
  return typeof given === 'object' && !('cheerio' in given) && !('nodeType' in given)
}

const BY_TEXT = "write page.links('nav a'), or for an element link(page.$(element).attr('href'))"

function invalid(expected: string, given: unknown, hint: string): AvocetError {
  const got = typeof given === 'object' && given !== null && 'cheerio' in given ? 'a selection of page.$' : shown(given)
  return new AvocetError('AVO_HANDLER_LINK_INVALID', `expected ${expected}, got ${got}; ${hint}`)
}
