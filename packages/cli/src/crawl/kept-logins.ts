// Logins in a replay: nobody logs in, and kept responses that say that they are logged out are no pages.
import type { Request, RunnableConfig, Spider } from '@avocet/core'
import { headerOf, isRedirect, parseUrl } from '@avocet/core/plugin'
import { hostKeyOf } from '@avocet/core/store'
import { pageOf } from '@avocet/core/tools'
import type { KeptResponse } from '../store-kinds/store-files.ts'

/** `spider` without its login, which would hold every page until somebody has logged in. */
export function withoutLogin({ login: _login, ...spider }: Spider): Spider {
  return spider
}

/** Whether the crawl would have requested `request` again after a login, where it got `response`. */
export function isKeptLoggedOut(
  request: Request,
  { response }: KeptResponse,
  { spider, html = 'parse5' }: Pick<RunnableConfig, 'spider' | 'html'>,
): boolean {
  const { login } = spider
  const url = login && parseUrl(login.url)
  if (login === undefined || url === undefined || response.status === 304) return false
  if (placeOf(request.url) === placeOf(url) || !isOfLogin(request, url)) return false
  if (response.status === 401) return true
  const target = isRedirect(response) ? parseUrl(headerOf(response.headers, 'location') ?? '', request.url) : undefined
  if (target !== undefined && placeOf(target) === placeOf(url)) return true
  try {
    return login.isLoggedOut(pageOf({ request, response, html }))
  } catch {
    // As in a crawl: the page is taken for one that is logged in.
    return false
  }
}

/** A session without a name logs in for its host, others for the site. */
function isOfLogin({ url, session }: Request, login: string): boolean {
  if (session === undefined) return new URL(url).host === new URL(login).host
  return hostKeyOf(url, 'domain') === hostKeyOf(login, 'domain')
}

function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname.replace(/\/$/, '').toLowerCase()}`
}
