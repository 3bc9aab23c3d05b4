// How a spider logs in: the port between what a user writes and the crawl that runs it.
import type { Link } from './link.ts'
import type { Page } from './page.ts'

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
export interface Login {
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
