// The cookies of a page: the crawl has the jar, the browser has a copy of it while it builds one page, and what scripts changed goes back to the crawl.
//
// Of the jar only names and values are known here, as the `cookie` field has them: so each is sent to the whole host of the page, as a `fetch` of its scripts
// expects. What a script deleted stays in the jar, for a cookie that is not there may also be one that the browser did not accept.
import type { Response } from '@avocet/core'
import type { BrowserContext, CDPSession } from 'playwright-core'
import { ignored } from './unless-late.ts'

/** A document, and the `cookie` field that it was requested with. */
export interface CookiedDocument {
  readonly document: Response
  readonly cookie: string | undefined
}

/** The jar of the browser becomes that of the document. A cookie that the browser does not accept is left out. */
export async function fillJar(
  context: BrowserContext,
  session: CDPSession,
  { document, cookie }: CookiedDocument,
): Promise<void> {
  await context.clearCookies()
  const { origin, protocol } = new URL(document.url)
  const secure = protocol === 'https:'
  const set = pairsOf(cookie).map(([name, value]) =>
    session.send('Network.setCookie', { name, value, url: `${origin}/`, secure }),
  )
  await Promise.allSettled(set)
}

/** Cookies for the host of the document that scripts, or what they loaded, have set: as `set-cookie` fields, which the crawl keeps like those of the server. */
export async function newCookies(context: BrowserContext, { document, cookie }: CookiedDocument): Promise<readonly string[]> {
  const { hostname } = new URL(document.url)
  const told = [document.headers['set-cookie'] ?? []].flat().map((field) => field.split(';', 1)[0]?.trim() ?? '')
  const known = new Set([...pairsOf(cookie).map(([name, value]) => `${name}=${value}`), ...told])
  const all = (await context.cookies().catch(ignored)) ?? []
  return all.flatMap(({ name, value, domain, path, expires, secure, httpOnly, sameSite }) => {
    const isOfHost = domain.startsWith('.') ? `.${hostname}`.endsWith(domain) : domain === hostname
    if (!isOfHost || known.has(`${name}=${value}`)) return []
    const parts = [`${name}=${value}`, `Path=${path}`]
    if (domain.startsWith('.')) parts.push(`Domain=${domain.slice(1)}`)
    if (expires > 0) parts.push(`Expires=${new Date(expires * 1_000).toUTCString()}`)
    if (secure) parts.push('Secure')
    if (httpOnly) parts.push('HttpOnly')
    return [[...parts, `SameSite=${sameSite}`].join('; ')]
  })
}

function pairsOf(cookie: string | undefined): (readonly [string, string])[] {
  return (cookie?.split(/; */) ?? []).flatMap((pair) => {
    const at = pair.indexOf('=')
    return at <= 0 ? [] : [[pair.slice(0, at), pair.slice(at + 1)] as const]
  })
}
