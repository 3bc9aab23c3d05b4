// The law of a jar: which cookies a request is sent with, and what an answer changes. Pure, on plain lists.
//
// Source: RFC 6265 §5.1.3 (domains), §5.1.4 (paths), §5.3 (what is stored, and what is thrown away), §5.4 (what is sent). SameSite as of a navigation:
// what a page of another site leads to gets no `strict` cookie, and a `lax` one only where its method is safe (6265bis §5.6.7).

/** Cookies of one domain, and of one jar (RFC 6265 §6.1). */
const MAX_OF_DOMAIN = 50
const MAX_COOKIES = 3_000

/** A note that a cookie was taken back outlives every exchange that was in flight then. */
const GONE_MS = 600_000
const HOUR_MS = 3_600_000

/** No cookie lasts longer (6265bis §5.5); one without an expiry is kept until the site takes it back. */
const LONGEST_MS = 400 * 24 * HOUR_MS
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** A request, as cookies see it. */
export interface CookieRequest {
  readonly url: URL
  readonly method: string
  /** Whether what is sent cannot be read on the way. */
  readonly isSafe: boolean
  /** Whether a page of another site led to it. */
  readonly isCrossSite: () => boolean
  /** Epoch ms. */
  readonly now: number
}

/** The cookies that go with a request, in the order in which they are sent: longer paths first, then older ones. Says of each that it was used. */
export function cookiesFor(jar: readonly Cookie[], request: CookieRequest): readonly Cookie[] {
  const sent = jar.filter((cookie) => isFor(cookie, request))
  for (const cookie of sent) if (request.now - cookie.used >= HOUR_MS) cookie.used = request.now
  return sent.toSorted((a, b) => b.path.length - a.path.length || a.created - b.created)
}

function isFor(cookie: Cookie, { url, method, isSafe, isCrossSite, now }: CookieRequest): boolean {
  const { domain, hostOnly, path, secure, sameSite } = cookie
  const { hostname, pathname } = url
  if (!isSendable(cookie, now) || (hostname !== domain && (hostOnly || !hostname.endsWith(`.${domain}`)))) return false
  if (!isWithin(pathname, path) || (secure === true && !isSafe)) return false
  if (sameSite === undefined || (sameSite === 'lax' && SAFE_METHODS.has(method))) return true
  return !isCrossSite()
}

function isWithin(pathname: string, path: string): boolean {
  return pathname.startsWith(path) && (pathname.length === path.length || path.endsWith('/') || pathname[path.length] === '/')
}

/** Puts `cookie` into `jar`, in place of the one that it replaces, unless that is newer. `isSafe`: whether it came over a connection that is. */
export function put(jar: Cookie[], cookie: Cookie, isSafe: boolean): void {
  const at = jar.findIndex((other) => isSameCookie(other, cookie))
  const before = jar[at]
  if (before === undefined) {
    if (isSafe || !jar.some((other) => other.secure === true && shadows(cookie, other))) jar.push(cookie)
    return
  }
  if (isOlder(cookie, before) || (before.secure === true && !isSafe)) return
  const created = before.gone === true ? cookie.created : before.created
  jar[at] = cookie.gone === true ? { ...cookie, created, expires: noteUntil(before, cookie.at) } : { ...cookie, created }
}

/** A note lasts as long as the cookie would have, for the memory of another process may still have that. */
function noteUntil({ gone, expires }: Cookie, at: number): number {
  return expires ?? (gone === true ? at : at + LONGEST_MS)
}

/** What http: sets must not stand in for what https: has set (6265bis §5.7, step 16). */
function shadows(cookie: Cookie, other: Cookie): boolean {
  const isSameDomain =
    cookie.domain === other.domain || cookie.domain.endsWith(`.${other.domain}`) || other.domain.endsWith(`.${cookie.domain}`)
  return other.name === cookie.name && isSameDomain && isWithin(cookie.path, other.path)
}

/** Bounds of a jar. */
export interface JarBounds {
  /** Epoch ms. */
  readonly now: number
  /** Characters of it as JSON. */
  readonly maxCharacters: number
}

/** Throws away what has expired, then of domains that have more than 50, then of all: what was used longest ago first (RFC 6265 §5.3). */
export function trimmed(jar: readonly Cookie[], { now, maxCharacters }: JarBounds): Cookie[] {
  const kept = jar.filter((cookie) =>
    cookie.gone === true ? Math.max(cookie.at + GONE_MS, cookie.expires ?? 0) > now : isSendable(cookie, now),
  )
  if (kept.length <= MAX_OF_DOMAIN && JSON.stringify(kept).length <= maxCharacters) return kept
  const byUse = kept.toSorted((a, b) => b.used - a.used || b.created - a.created || (isOlder(a, b) ? 1 : -1))
  const ofDomain = new Map<string, number>()
  let characters = 2
  const staying = new Set<Cookie>()
  for (const cookie of byUse) {
    const count = (ofDomain.get(cookie.domain) ?? 0) + 1
    const size = JSON.stringify(cookie).length + 1
    if (count > MAX_OF_DOMAIN || staying.size >= MAX_COOKIES || characters + size > maxCharacters) continue
    ofDomain.set(cookie.domain, count)
    characters += size
    staying.add(cookie)
  }
  return kept.filter((cookie) => staying.has(cookie))
}

// A cookie at rest: plain JSON, as it is in the memory of a host or of the crawl.

/** A cookie, or, where `gone` is set, the note that a server took one back. */
export interface Cookie {
  readonly name: string
  readonly value: string
  /** Host name, or the domain whose subdomains get it as well (`hostOnly` false). Lower case, no dot in front. */
  readonly domain: string
  readonly hostOnly: boolean
  readonly path: string
  readonly secure?: true
  /** Absent: none, or one that is unknown. */
  readonly sameSite?: 'strict' | 'lax'
  /** Epoch ms of the crawl's clock. Absent: for as long as the session. Of a note: when that cookie would have expired. */
  readonly expires?: number
  /** Epoch ms at which a cookie of this name, domain and path was first set. */
  readonly created: number
  /** Epoch ms at which it was last sent, to the hour: it orders what is thrown away, and is not worth a write for each page. */
  used: number
  /** Epoch ms at which the exchange that set it was booked, and its number at its host: what is older changes nothing. */
  readonly at: number
  readonly seq: number
  /** It was taken back. Kept for a while, so that an older answer does not bring it back. */
  readonly gone?: true
}

/** Whether both have one place in a jar (RFC 6265 §5.3, step 11). */
export function isSameCookie(a: Cookie, b: Cookie): boolean {
  return a.name === b.name && a.path === b.path && a.domain === b.domain && a.hostOnly === b.hostOnly
}

/** Whether the answer that set `a` is older than that which set `b`. Exchanges of one moment are at one host, mostly, and their numbers ascend. */
export function isOlder(a: Cookie, b: Cookie): boolean {
  return a.at < b.at || (a.at === b.at && a.seq < b.seq)
}

/** Whether it can be sent at `now`. */
function isSendable({ gone, expires = Infinity }: Cookie, now: number): boolean {
  return gone !== true && expires > now
}
