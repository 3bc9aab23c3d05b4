// A spider: seeds, scope and handlers. A handler is a function from a page to a stream of items and links.
import type { Link } from './link.ts'
import type { Page } from './page.ts'

/** A URL to start with. A plain string is a seed for the handler `start`. */
export interface Seed {
  readonly url: string
  readonly handler?: string
  readonly priority?: number
  readonly data?: unknown
  readonly method?: string
  /** Header fields of its own. They replace the crawl's fields of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /**
   * What distinguishes this request from others with the same method, URL, body and handler: names of fields in `headers`, or a key of your own. The
   * target of a redirect keeps it.
   */
  readonly identity?: readonly string[] | string
}

/** Which links to follow. All conditions must hold. */
export interface Scope {
  /**
   * `seed-hosts` (default): hosts of seeds, and those of the same registrable domain that seeds redirect to. `seed-domains`: the registrable domains of
   * seeds. `any`: the whole web. If a seed redirects to another site, only that one URL is crawled there, and the report says so.
   */
  readonly within?: 'seed-hosts' | 'seed-domains' | 'any'
  /** Additional hosts to crawl: `shop.example` (default port) or `shop.example:8080`. */
  readonly hosts?: readonly string[]
  /** Hosts to exclude, with their subdomains. */
  readonly blockedHosts?: readonly string[]
  /** Maximum number of links between a seed and a page. */
  readonly maxDepth?: number
  /** Follow only URLs that match at least one of these. */
  readonly allow?: readonly RegExp[]
  /** Follow no URL that matches any of these. */
  readonly deny?: readonly RegExp[]
}

/** What a handler may return: a stream of items and links, as a generator, an async generator or a plain iterable. */
export type HandlerStream<Item> = Iterable<Item | Link> | AsyncIterable<Item | Link>

/** Extracts items and links from a page. All of its output is stored, or none. */
export type Handler<Item> = (page: Page) => HandlerStream<Item> | Promise<HandlerStream<Item>>

/** What to crawl and what to extract, free of policy. */
export interface Spider<Item = unknown> {
  /** Names the store and the reports: letters, digits, `-`, `_`, `.`. */
  readonly name: string
  /** URLs to start with, or a function that yields them. */
  readonly seeds: readonly (string | Seed)[] | (() => Iterable<string | Seed> | AsyncIterable<string | Seed>)
  /** Which links to follow. Default: links to the hosts of seeds. */
  readonly scope?: Scope
  /** Statuses to pass to handlers. Default: 200 to 299. */
  readonly accepts?: (status: number) => boolean
  /** Handlers by name. Seeds and links that name no handler go to `start`. */
  readonly handlers: Readonly<Record<string, Handler<Item>>>
  /**
   * Runs instead of the handler when a recrawled page has not changed (304): there is no body. Default: yields nothing.
   */
  readonly unchanged?: Handler<Item>
}

/** What a spider file may export by default: a spider, or a function of the `-a key=value` arguments that makes one. */
export type SpiderExport<Item = unknown> = Spider<Item> | ((args: Readonly<Record<string, string>>) => Spider<Item>)

/**
 * Declares a spider: the identity function, for the types.
 *
 * @example
 * ```ts
 * export default spider<{ title: string }>({
 *   name: 'titles',
 *   seeds: ['https://books.example/'],
 *   handlers: {
 *     *start(page) {
 *       yield { title: page.title }
 *       yield* page.links()
 *     },
 *   },
 * })
 * ```
 */
export function spider<Item = unknown>(definition: Spider<Item>): Spider<Item> {
  return definition
}
