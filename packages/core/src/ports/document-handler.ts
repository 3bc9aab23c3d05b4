// Documents of plugins. A handler of a plugin reads documents of the plugin's own, such as sitemaps, and yields links to pages: those are ordinary requests. A
// required document is one that a plugin must see before anything else is requested from a host, such as robots.txt; what took it in `require` gets it.
import type { Json } from '../values/json.ts'
import type { Link } from './link.ts'
import type { CrawledPage, Page } from './page.ts'
import type { HostView } from './exchange.ts'
import type { Failure } from './failure.ts'
import type { Response } from './response.ts'
import type { Seed } from './seed.ts'

/** Links that the handler of a document may yield, whatever the crawl's `maxYields`: as many as a sitemap may list, twice. */
export const MAX_DOCUMENT_LINKS = 100_000

/** What a document may yield: links, and where it has `records` plain objects. */
type DocumentYield = Link | Readonly<Record<string, Json>>

/**
 * Reads documents of one kind. Their requests are admitted, paced, retried, stored and resumed as those of pages are, but the scope does not apply to them
 * (except `blockedHosts`), and they count neither as pages of a pattern nor towards `maxDepth`.
 */
export interface DocumentHandler<Crawl = unknown> {
  /** Yields links: to handlers of the spider, which scope and plugins may refuse, or to documents. An item makes the document fail, unless it has `records`. */
  handle(page: Page, crawl: Crawl): Iterable<DocumentYield> | AsyncIterable<DocumentYield> | Promise<Iterable<DocumentYield>>
  /**
   * Its items are records of the plugin. They are stored with the outcome of the document, exactly once, and are no items of the crawl: neither the schema
   * of the spider nor `onItem` sees them, and no sink, total or budget counts them. `FrontierReader.records` reads them. Its documents are no sources of
   * the report.
   */
  readonly records?: boolean
  /**
   * Maximum size of a document, on the wire and decoded, where that is more than `sizeLimits` allow. The rest of a body without content coding is cut off.
   * Default: `sizeLimits`.
   */
  readonly maxBytes?: number
  /**
   * Interval at which each document is requested again, in ms. Such a crawl does not end by itself. `Infinity`: in no round. Default: the `recrawl` rules of
   * the crawl.
   */
  readonly everyMs?: number
  /** Statuses that it handles beside those of pages: a document that may be missing takes 404 and 410. Default: none. */
  readonly accepts?: readonly number[]
}

/**
 * Name of a plugin's handler, as links and seeds write it.
 *
 * @example
 * ```ts
 * documentName('sitemaps', 'sitemap') // 'sitemaps/sitemap'
 * ```
 */
export function documentName(plugin: string, handler: string): string {
  return `${plugin}/${handler}`
}

/** The plugin of a handler; undefined of a name that is none of a plugin's. */
export function pluginOf(handler: string): string | undefined {
  const slash = handler.indexOf('/')
  return slash <= 0 ? undefined : handler.slice(0, slash)
}

/** What one document listed in a run, over all of its visits. */
export interface SourceCount {
  /** Of the document; empty for those beyond the first 1,000, together. */
  readonly url: string
  /** Links that its handler yielded. */
  readonly links: number
  /** Of these: URLs that were new. */
  readonly added: number
  /** Of these: URLs that were known and are visited again, as they were modified since. */
  readonly due: number
}

/** The page that answered a `RequiredRequest`. */
export interface RequiredPage {
  readonly page: CrawledPage
  /** Its URL as others may see it. */
  readonly shownUrl: string
  /** Every URL on the way, its own last. */
  readonly way: readonly string[]
  /** `text` as others may see it. */
  shown(text: string): string
}

/** A document that a plugin required: an answer, or what went wrong. Redirects (≤ 5) were followed. */
export interface RequiredDocument {
  /** The host that it was required for. */
  readonly host: HostView
  /** As it was required. */
  readonly url: string
  /** Epoch ms. */
  readonly now: number
  /** A number in [0, 1), another for each host and attempt: for when to ask again. */
  readonly chance: number
  /** The response, of whatever status, or the failure. */
  readonly result:
    | { readonly kind: 'answered'; readonly response: Response }
    | { readonly kind: 'failed'; readonly failure: Failure }
  /** Of a `RequiredRequest` that was answered. */
  readonly page?: RequiredPage
  /** Adds a URL to the crawl, in the same commit as this plugin's memory: a crash loses neither. At most 1,000 of one document. */
  add(seed: Seed): void
}

/** Takes a document that was required. */
export type TakeDocument = (document: RequiredDocument) => void

/** What a plugin requires that is more than a document, such as the form of a login. What it sends is known to its server alone. */
export interface RequiredRequest {
  /** Canonical. */
  readonly url: string
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
  readonly session: string | undefined
  /** URL that the user named, which is no secret. */
  readonly known: string
}

/** What plugins require: what takes it, by the name of the plugin. */
export interface Requirement {
  /** As it was required. */
  readonly url: string
  /** Absent: it is the document at `url`. */
  readonly own?: RequiredRequest
  readonly takers: ReadonlyMap<string, TakeDocument>
}
