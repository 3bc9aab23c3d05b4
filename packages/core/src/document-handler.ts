// A handler of a plugin: it reads documents of the plugin's own, such as sitemaps, and yields links to pages. Such documents are ordinary requests.
import type { Link } from './link.ts'
import type { Page } from './page.ts'

/** Links that the handler of a document may yield, whatever the crawl's `maxYields`: as many as a sitemap may list, twice. */
export const MAX_DOCUMENT_LINKS = 100_000

/**
 * Reads documents of one kind. Their requests are admitted, paced, retried, stored and resumed as those of pages are, but the scope does not apply to them
 * (except `blockedHosts`), and they count neither as pages of a pattern nor towards `maxDepth`.
 */
export interface DocumentHandler<Crawl = unknown> {
  /** Yields links: to handlers of the spider, which scope and plugins may refuse, or to documents. An item makes the document fail. */
  handle(page: Page, crawl: Crawl): Iterable<Link> | AsyncIterable<Link> | Promise<Iterable<Link>>
  /**
   * Maximum size of a document, on the wire and decoded, where that is more than `sizeLimits` allow. The rest of a body without content coding is cut off.
   * Default: `sizeLimits`.
   */
  readonly maxBytes?: number
  /** Interval at which each document is requested again, in ms. Such a crawl does not end by itself. Default: the `recrawl` rules of the crawl. */
  readonly everyMs?: number
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
