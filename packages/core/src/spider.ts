// What the user writes: seeds, scope and handlers. A handler is a function from a page to a stream of items and links.
import type { Link } from './link.ts'
import type { Page } from './page.ts'

/** A URL to begin with. A plain string is a seed for the handler `start`. */
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
   * What else tells this request from others of the same method, URL, body and handler: names of fields in `headers`, whose values count, or a key of
   * its own. The target of a redirect keeps it.
   */
  readonly identity?: readonly string[] | string
}

/** Which discovered URLs belong to the crawl. Everything that is given must hold. */
export interface Scope {
  /**
   * `seed-hosts` (default): hosts of seeds, and those of the same registrable domain that seeds redirect to. `seed-domains`: the registrable domains of
   * seeds. `any`: the whole web. A seed that redirects to another site has that one URL crawled, and the report says so.
   */
  readonly within?: 'seed-hosts' | 'seed-domains' | 'any'
  /** Further hosts that belong to the crawl: `shop.example`, or `shop.example:8080`. Without a port: the default port only. */
  readonly hosts?: readonly string[]
  /** Hosts, with their subdomains, that never do. */
  readonly blockedHosts?: readonly string[]
  /** Links between a seed and a page, at most. */
  readonly maxDepth?: number
  /** At least one must match the URL. */
  readonly allow?: readonly RegExp[]
  /** None may match the URL. */
  readonly deny?: readonly RegExp[]
}

/** What a handler may return: a stream of items and links, as a generator, an async generator or a plain iterable. */
export type HandlerStream<Item> = Iterable<Item | Link> | AsyncIterable<Item | Link>

/** From a page to its items and links. Nothing of it is stored unless all of it is. */
export type Handler<Item> = (page: Page) => HandlerStream<Item> | Promise<HandlerStream<Item>>

/** A crawl's content, free of policy. */
export interface Spider<Item = unknown> {
  /** Names the store and the reports: letters, digits, `-`, `_`, `.`. */
  readonly name: string
  /** Where it begins: URLs, or a function that gives them one by one. */
  readonly seeds: readonly (string | Seed)[] | (() => Iterable<string | Seed> | AsyncIterable<string | Seed>)
  /** Which links are followed. Default: those to the hosts of seeds. */
  readonly scope?: Scope
  /** Statuses that handlers want to see. Default: 200 to 299. */
  readonly accepts?: (status: number) => boolean
  /** By name; `start` is where seeds and links without a handler go. */
  readonly handlers: Readonly<Record<string, Handler<Item>>>
  /**
   * For a page that is visited again and of which the server says that it is as it was (304): there is no body, and no handler runs. Default: nothing
   * is found.
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
