// Where a crawl starts.

/**
 * A URL to start with. A plain string is a seed for the handler `start`. Each run offers its seeds again; what is known is not requested again,
 * unless the seed says `again`.
 *
 * @example
 * ```ts
 * // seeds.ts
 * import { spider, type Page } from 'avocet'
 *
 * export const shops = spider({
 *   name: 'shops',
 *   seeds: [
 *     'https://shop.example/',
 *     { url: 'https://shop.example/api/teas', handler: 'teas', data: { kind: 'green' }, headers: { accept: 'application/json' } },
 *   ],
 *   handlers: {
 *     *start(page) {
 *       yield { title: page.title }
 *     },
 *     *teas(page: Page<{ kind: string }>) {
 *       yield { title: page.request.data.kind }
 *     },
 *   },
 * })
 * Object.keys(shops.handlers) // ['start', 'teas']
 * ```
 */
export interface Seed<Name extends string = string, Data = unknown> extends Wish<Name, Data> {
  /** Absolute http(s) URL. */
  readonly url: string
  /** Name of the session of the request: letters, digits, `-`, `_` and `.`. Default: that of the host, which has no name. */
  readonly session?: string
}

/** How a seed or a link is to be requested. */
interface Wish<Name extends string = string, Data = unknown> {
  /** Handler for the page; default `start`. After a redirect, its target has the same handler, `data` and `priority`. */
  readonly handler?: Name
  /** Higher goes first; default 0. Integer. */
  readonly priority?: number
  /** Passed to the handler as `page.request.data`. JSON. */
  readonly data?: Data
  /**
   * HTTP method; default GET. A POST is sent at most once, unless the process is killed while it is in flight. Its redirect is
   * followed by GET (301, 302, 303), without `content-*` fields.
   */
  readonly method?: string
  /** Header fields of its own, in place of the crawl's. robots.txt is read for the `userAgent` of the crawl all the same. */
  readonly headers?: Readonly<Record<string, string>>
  /** Body as text, sent in UTF-8. Set the `content-type` among `headers`. */
  readonly body?: string
  /**
   * What distinguishes this request from others with the same method, URL, body and handler, such as `de` for a page in German.
   * The target of a redirect keeps it.
   */
  readonly identity?: string
  /**
   * A browser fetches the page and runs its scripts; needs `browser` in the configuration. Only for GET without a body. Default:
   * as the rules of `browser` say.
   */
  readonly render?: 'browser'
  /**
   * Whether the page is visited in this run, even if an earlier run has visited it; default false. `priority`, `data` and
   * `headers` count for a page that is new.
   */
  readonly again?: boolean
  /**
   * Epoch ms at which the page was last modified, as its site says: one that was fetched before that is visited again, once in
   * this run. It only ever adds visits.
   */
  readonly modifiedAt?: number
}

/** How to follow a link. The compiler knows the handler's name and the data where they are written in place. */
export interface LinkOptions<Name extends string = string, Data = unknown> extends Wish<Name, Data> {
  /** Text of the anchor. `page.links` sets it. */
  readonly anchorText?: string
  /**
   * Name of the session of the request. The same URL in two sessions is two requests. Default: that of the page that yields the
   * link. `false`: that of the host, which has no name.
   */
  readonly session?: string | false
}
