// A spider: seeds, scope and handlers.
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { Handler, Page } from './page.ts'
import type { Link } from './link.ts'
import type { Seed } from './seed.ts'

/**
 * Which links to follow. All conditions must hold, for seeds as well.
 *
 * @example
 * ```ts
 * // scope.ts
 * import type { Scope } from 'avocet'
 *
 * export const teasOnly: Scope = { within: 'seed-domains', allow: [/\/tea\//], deny: [/[?&]sort=/], maxDepth: 5 }
 * ```
 */
export interface Scope {
  /**
   * `seed-hosts` (default): hosts of seeds, and those of the same registrable domain that seeds redirect to. `seed-domains`: the
   * registrable domains of seeds. `any`: the whole web.
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
   * Query parameters to remove from URLs before they are compared, stored and requested; also path parameters (`;name=value`).
   * `tracking` (default true): `utm_*`, `gclid`, `fbclid` and others. `sessions` (default false): `jsessionid`, `phpsessid` and
   * others. `names`: further ones; `ref_*` means all that begin with `ref_`. `allow` and `deny` see URLs without them.
   */
  readonly dropParameters?: { readonly tracking?: boolean; readonly sessions?: boolean; readonly names?: readonly string[] }
}

/** What to crawl and what to extract, free of policy: see `spider()` of `avocet`. `Yields`: what its handlers yield, before a schema makes `Item` of it. */
export interface Spider<Item = unknown, Yields = Item> {
  /** Names the store and the reports: letters, digits, `-`, `_`, `.`. */
  readonly name: string
  /**
   * URLs to start with, or a function that yields them, such as an async generator over a database. A function is read while the
   * crawl runs, and called again at the interval of a `recrawl` rule without `match` (`--every`).
   */
  readonly seeds: readonly (string | Seed)[] | (() => Iterable<string | Seed> | AsyncIterable<string | Seed>)
  /** Which links to follow. Default: links to the hosts of seeds. */
  readonly scope?: Scope
  /** Statuses to pass to handlers. Default: 200 to 299. A redirect with one of these is not followed: the handler sees it. */
  readonly accepts?: (status: number) => boolean
  /**
   * Schema of the items: any that follows Standard Schema, such as those of Zod, Valibot and ArkType. What it makes of an item
   * is the item, and must be plain JSON. An item that it refuses is set aside: `avocet rejects`. With `key` and `watch`, changes
   * of items are recorded. Default: every item is valid.
   */
  readonly items?: StandardSchemaV1<Yields, Item> | WatchedItems<Yields, Item> | undefined
  /** Handlers by name. Seeds and links that name no handler go to `start`, which every spider has. */
  readonly handlers: Readonly<Record<string, Handler<Yields>>>
  /** How to log in, for pages that need it. */
  readonly login?: Login
  /**
   * Runs instead of the handler when a recrawled page has not changed (304): there is no body. Default: yields nothing.
   */
  readonly unchanged?: Handler<Yields>
}

/**
 * Items whose changes are recorded, each with the page on which it was seen, in the transaction of that page.
 *
 * @example
 * ```ts
 * // prices.ts
 * import { spider } from 'avocet'
 *
 * export const prices = spider({
 *   name: 'prices',
 *   seeds: ['https://shop.example/'],
 *   items: { key: 'sku', watch: ['price', 'availability'] },
 *   handlers: {
 *     *start(page) {
 *       yield { sku: page.text('.sku'), price: page.text('.price'), availability: page.text('.stock') }
 *     },
 *   },
 * })
 * ```
 */
export interface WatchedItems<Yields = unknown, Item = Yields> {
  /** As `items` without `key` and `watch`. */
  readonly schema?: StandardSchemaV1<Yields, Item> | undefined
  /** Field that identifies an item at its host. An item without it is kept, and not watched. */
  readonly key: string
  /** Fields whose changes are recorded. White space and the notation of a number make no change. */
  readonly watch: readonly string[]
  /** Visits in a row in which a page lacks an item before it no longer shows it. Default 3. */
  readonly goneAfterVisits?: number
}

/**
 * How a spider logs in. It happens once for each session before its first page, and again when a page says that it is logged out. Meanwhile pages of the
 * session wait. Needs cookies, as of `@avocet/plugin-cookies`.
 *
 * A session with a name logs in for the site of `url`; requests without a session share one, which is for the host of `url` alone.
 *
 * @example
 * ```ts
 * // members.ts
 * import { spider } from 'avocet'
 *
 * export const members = spider({
 *   name: 'members',
 *   seeds: ['https://shop.example/members/'],
 *   login: {
 *     url: 'https://shop.example/login',
 *     submit: (page) => page.form('#login').fill({ user: 'ann', password: process.env['SHOP_PASSWORD'] ?? '' }).submit(),
 *     isLoggedOut: (page) => page.$('a.log-in').length > 0,
 *   },
 *   handlers: {
 *     *start(page) {
 *       yield { title: page.title }
 *       yield* page.links()
 *     },
 *   },
 * })
 * members.login?.url // 'https://shop.example/login'
 * ```
 */
interface Login {
  /** The page with the form, absolute. It is requested even where robots.txt disallows it, at the pace of its host. */
  readonly url: string
  /**
   * Fills in the form: gives the request that logs in. `page.request.session` says which session it is for. What it sends, in its body, in its header fields
   * or in the query of its URL, and the query that the answer redirects to are in memory only: neither store nor events nor plugins have them. Redirects of
   * the answer are followed, on other hosts as robots.txt there allows, and to none of `blockedHosts`.
   */
  submit(page: Page): Link | Promise<Link>
  /**
   * Whether a page says that its session is logged out. Asked of every response of a session, also of redirects and errors, and of what answers the login. A
   * redirect to the form, at `url` or where that redirects, and status 401 always say so. Where other pages share the path of the form, its parameters must
   * match. Gives true or false at once: it must not be async.
   */
  isLoggedOut(page: Page): boolean
}

/** A scope in JSON, as the memory of a crawl keeps it. */
export interface ScopeAtRest {
  /** As they are compared. */
  readonly dropped: readonly string[]
  /** Absent: too large to keep. */
  readonly rules?: RulesAtRest
}

type PlainRules = Pick<Scope, 'within' | 'hosts' | 'blockedHosts' | 'maxDepth'>
/** Its rules. */
export interface RulesAtRest extends PlainRules {
  readonly allow?: readonly PatternAtRest[]
  readonly deny?: readonly PatternAtRest[]
  /** Keys. */
  readonly seedHosts: readonly string[]
}
/** A regular expression. */
export type PatternAtRest = readonly [source: string, flags: string]
