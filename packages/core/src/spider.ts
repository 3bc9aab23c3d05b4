// A spider: seeds, scope and handlers.
import type { Checked, CheckedSeeds, Handlers, ItemsOf, Seeds } from './checked-spider.ts'
import type { Handler } from './handler.ts'
import type { Page } from './page.ts'
import type { Seed } from './seed.ts'

/**
 * Which links to follow. All conditions must hold, for seeds as well.
 *
 * @example
 * ```ts
 * // scope.ts
 * import type { Scope } from '@avocet/core'
 *
 * export const teasOnly: Scope = { within: 'seed-domains', allow: [/\/tea\//], deny: [/[?&]sort=/], maxDepth: 5 }
 * ```
 */
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
  /**
   * Query parameters to remove from the URLs of seeds, links and redirects before they are compared, stored and requested; also as path parameters
   * (`;name=value`). `tracking` (default true): `utm_*`, `gclid`, `fbclid`, `msclkid` and other tracking parameters. `sessions` (default false):
   * `jsessionid`, `phpsessid`, `aspsessionid*`, `cfid`, `cftoken`. `names`: further ones, in any case; `ref_*` means all that begin with `ref_`. `allow`,
   * `deny` and plugins see URLs without them. Parameters of `secretParameters` stay.
   */
  readonly dropParameters?: { readonly tracking?: boolean; readonly sessions?: boolean; readonly names?: readonly string[] }
}

/** What to crawl and what to extract, free of policy. Declare one with `spider()`. */
export interface Spider<Item = unknown> {
  /** Names the store and the reports: letters, digits, `-`, `_`, `.`. */
  readonly name: string
  /** URLs to start with, or a function that yields them. */
  readonly seeds: readonly (string | Seed)[] | (() => Iterable<string | Seed> | AsyncIterable<string | Seed>)
  /** Which links to follow. Default: links to the hosts of seeds. */
  readonly scope?: Scope
  /** Statuses to pass to handlers. Default: 200 to 299. A redirect with one of these is not followed: the handler sees it. */
  readonly accepts?: (status: number) => boolean
  /** Handlers by name. Seeds and links that name no handler go to `start`, which every spider has. */
  readonly handlers: Readonly<Record<string, Handler<Item>>>
  /**
   * Runs instead of the handler when a recrawled page has not changed (304): there is no body. Default: yields nothing.
   */
  readonly unchanged?: Handler<Item>
}

/**
 * Declares a spider. The item type follows from what the handlers yield. The compiler checks that every link and seed names a handler of the spider and
 * passes the data that this handler takes, wherever the name is written in place; names that are computed are checked at run time. So are all links of a
 * handler that also yields `any` or `unknown`, such as `page.json()` without a type: a union with one of these is that type alone.
 *
 * To fix the item type beforehand, write `satisfies Spider<Item>` after the call, or `Spider<Item>` as the return type of the function that makes it.
 *
 * @example
 * ```ts
 * // titles.ts
 * import { spider } from '@avocet/core'
 * import { readPage } from '@avocet/simulator'
 *
 * const titles = spider({
 *   name: 'titles',
 *   seeds: ['https://books.example/'],
 *   handlers: {
 *     *start(page) {
 *       yield { title: page.title }
 *       yield* page.links()
 *     },
 *   },
 * })
 * const { items, links } = await readPage(titles, { url: 'https://books.example/', body: '<title>Books</title><a href="/sea">Sea</a>' })
 * items // [{ title: 'Books' }]
 * links.map(({ url }) => url) // ['https://books.example/sea']
 * ```
 */
export function spider<
  const Name extends string,
  const Data,
  Start extends string | Seed<Name, Data>,
  Handling extends Handlers,
  Unchanged extends (page: Page) => ReturnType<Handler<unknown>> = Handler<never>,
  Item = ItemsOf<Handling[keyof Handling] | Unchanged>,
>(
  definition: Omit<Spider, 'seeds' | 'handlers' | 'unchanged'> & {
    /** URLs to start with, or a function that yields them. */
    readonly seeds: Seeds<Start> & CheckedSeeds<Start, NoInfer<Handling>>
    /** Handlers by name. Seeds and links that name no handler go to `start`, which every spider has. */
    readonly handlers: Handling & { readonly [Key in keyof Handling]: Checked<Handling[Key], Handling, NoInfer<Item>> }
    /** Runs instead of the handler when a recrawled page has not changed (304): there is no body. Default: yields nothing. */
    readonly unchanged?: Unchanged & Checked<Unchanged, Handling, NoInfer<Item>>
  },
): Spider<Item>
export function spider(definition: Spider): Spider {
  return definition
}
