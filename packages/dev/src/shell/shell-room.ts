// What there is inside `avocet shell`: the page at hand, what is on it, what a handler makes of it, and the way to the next page.
import { AvocetError, type Json, type Page, type Spider } from '@avocet/core'
import { withoutCredentials } from '@avocet/plugin-secrets/names'
import { pageOf } from '@avocet/page'
import type { ExitCode } from '@avocet/project/command'
import { given } from '@avocet/project/options'
import { commandName, messageAsCalled } from '@avocet/project/place'
import { printable, formatCount, formatBytes } from '@avocet/project/text'
import type { RequestWish } from '../fetch/kept-pages.ts'
import { asKnown } from '../fetch/known-request.ts'
import type { VisitSession } from '../fetch/visit-session.ts'
import { handledPage } from '../parse/handled-page.ts'
import { checkNoRequest, isUrl, pageFromFile } from '../parse/page-from-file.ts'

/** What a room is made of. */
export interface RoomParts {
  readonly session: VisitSession
  readonly spider: Spider | undefined
  /** Loads the spider again, as its file is now. */
  readonly load: () => Promise<Spider | undefined>
  /** Absolute. */
  readonly folder: string
  /** Told of what is worth a line beside the values. */
  readonly say: (line: string) => void
}

/** A page could not be brought: said in a line, and no defect of anybody's. */
export class NoPage extends Error {
  override readonly name = 'NoPage'
  readonly #code: ExitCode

  constructor(message: string, code: ExitCode) {
    super(message)
    this.#code = code
  }

  get code(): ExitCode {
    return this.#code
  }
}

/** What `fetch` of the shell takes. */
interface FetchWish extends RequestWish {
  /** Also where a response is kept. */
  readonly refetch?: boolean
}

/** Told of one page. */
const MAX_REJECTS = 10

/** The room, and what is at hand in it. */
export class ShellRoom {
  /** How the last page came: 0 as a handler would get it. */
  code: ExitCode = 0
  #page: Page | undefined
  #spider: Spider | undefined
  readonly #parts: RoomParts
  #contexts: object[] = []

  constructor(parts: RoomParts) {
    this.#parts = parts
    this.#spider = parts.spider
  }

  /** Puts everything into the globals of some code. */
  furnish(context: object): void {
    const spider = this.#spider
    Object.assign(context, {
      page: this.#page,
      text: (selector?: string): string => plainly(() => this.#at().text(selector)),
      links: (selector?: string): object[] => plainly(() => this.#links(selector)),
      items: (handler?: string, data?: Json): Promise<readonly Json[]> => this.items(handler, data).catch(bare),
      fetch: (url: string | URL, wish?: FetchWish): Promise<Page> => this.fetch(String(url), wish).catch(bare),
      ...(spider && { spider }),
    })
    // Building a DOM costs more than all the rest: when it is asked for.
    Object.defineProperty(context, '$', { get: () => plainly(() => this.#at().$), configurable: true, enumerable: true })
    this.#contexts.push(context)
  }

  /** Brings the page that the command line names. Throws NoPage, AVO_SEED_INVALID. */
  async enter(target: string, url: string | undefined): Promise<void> {
    const { session, folder } = this.#parts
    if (isUrl(target)) {
      await this.fetch(target, session.request)
      return
    }
    checkNoRequest(session.request, 'shell')
    const { secretParameters: secret } = session.config
    const known = url === undefined ? undefined : await session.known(url, {})
    const page = await pageFromFile({ target, folder, url, from: 'shell', secret })
    this.#take(known ? asKnown(page, known, session.config) : page)
  }

  /** Another page by the same policies; from then on it is the one at hand. Relative URLs are those of the page. Throws NoPage. */
  async fetch(written: string, wish: FetchWish = {}): Promise<Page> {
    const { session } = this.#parts
    const url = URL.parse(written, this.#page?.baseUrl)?.href
    if (url === undefined || !isUrl(url))
      throw new AvocetError(
        'AVO_SEED_INVALID',
        `fetch: expected an http(s) URL, got '${withoutCredentials(written, session.config.secretParameters)}'; write it like https://shop.example/`,
      )
    const { refetch = false, ...told } = ofOurs(wish)
    const known = await session.known(url, told)
    const { page, report, code } = await session.fetch(url, { told, known, refetch })
    if (page === undefined) throw new NoPage(report.problem ?? 'expected an answer, got none', code)
    this.code = code
    if (report.problem !== undefined) this.#parts.say(report.problem)
    this.#take(page)
    return page
  }

  /** What a handler of the spider makes of the page: its items. By default that of the crawl, with its `data`. Throws AVO_USAGE, AVO_HANDLER_…. */
  async items(handler?: string, data?: Json): Promise<readonly Json[]> {
    const { session } = this.#parts
    const spider = this.#spider
    if (spider === undefined)
      throw new AvocetError(
        'AVO_USAGE',
        `items: expected a spider, got none; begin with ${commandName()} shell URL --spider spider.ts`,
      )
    const at = this.#at()
    const called = handler ?? at.request.handler
    // Data is for its handler, and for the one that has taken the place of it.
    const isFor = called === at.request.handler || !Object.hasOwn(spider.handlers, at.request.handler)
    const own = isFor ? at.request.data : undefined
    // Data of the shell is of a realm of its own, which core takes for no plain data.
    const request = { ...at.request, handler: called, data: data === undefined ? own : structuredClone(data) }
    const page = pageOf({ request, response: at.response })
    const found = await handledPage({ spider, handler: called, page, config: session.config })
    for (const { reason } of found.rejects.slice(0, MAX_REJECTS)) this.#parts.say(`refused by the schema: ${printable(reason)}`)
    if (found.rejects.length > MAX_REJECTS) this.#parts.say(`… and ${formatCount(found.rejects.length - MAX_REJECTS)} more`)
    return found.items
  }

  /** Has the spider as its file is now; the page at hand stays. Returns what to say. Throws AVO_SPIDER_…; then the spider stays as it was. */
  async reload(): Promise<string> {
    const spider = await this.#parts.load()
    if (spider === undefined) return `there is no spider to load: begin with ${commandName()} shell URL --spider spider.ts`
    this.#spider = spider
    for (const context of this.#contexts) Object.assign(context, { spider })
    return `loaded spider ${spider.name}: ${Object.keys(spider.handlers).join(', ')}`
  }

  /** The page at hand, in one line. */
  get title(): string {
    return this.#page === undefined ? "no page yet: fetch('https://shop.example/') brings one" : pageInWords(this.#page)
  }

  #at(): Page {
    if (this.#page !== undefined) return this.#page
    throw new AvocetError('AVO_USAGE', "expected a page, got none yet; fetch('https://shop.example/') brings one")
  }

  /** As a table of two columns: a `Link` has more than anybody wants to see. */
  #links(selector: string | undefined): { readonly url: string; readonly text: string }[] {
    const page = this.#at()
    const links = selector === undefined ? page.links() : page.links(selector)
    return [...links].map(({ url, options }) => ({ url: this.#parts.session.shown(url), text: options.anchorText ?? '' }))
  }

  #take(page: Page): void {
    this.#page = page
    for (const context of this.#contexts) Object.assign(context, { page })
  }
}

/** Objects of the shell are of a realm of their own, which core takes for no plain ones. */
function ofOurs({ headers, method, ...wish }: FetchWish): FetchWish {
  return { ...wish, ...given('method', method?.toUpperCase()), ...(headers && { headers: { ...headers } }) }
}

/** `200 text/html, 4.8 KiB, http://shop.example/: "Shop"`. */
export function pageInWords({ response, contentType, request, isHtml, title }: Page): string {
  const name = isHtml && title !== '' ? `: "${printable(title)}"` : ''
  return `${response.status} ${printable(contentType)}, ${formatBytes(response.body.byteLength)}, ${printable(request.url)}${name}`
}

function plainly<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    return bare(error)
  }
}

/** Throws it again, without the stack: that is ours or a library's, and the message says all. */
function bare(thrown: unknown): never {
  const error = thrown instanceof AvocetError ? new AvocetError(thrown.code, messageAsCalled(thrown)) : thrown
  if (error instanceof Error) error.stack = `${error.name}: ${error.message}`
  throw error
}
