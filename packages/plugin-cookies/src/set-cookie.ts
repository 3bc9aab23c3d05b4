// Reads a Set-Cookie field: the only door to tough-cookie, which is loaded at the first of them.
//
// The grammar of the field, its dates and the Public Suffix List are tough-cookie's. The jar is not: its own goes by the clock of the machine, has no caps,
// and knows nothing of answers that overtake each other.
// Source: RFC 6265 §5.2 and §5.3; prefixes, the limit of 400 days and what http: may not overwrite: draft-ietf-httpbis-rfc6265bis §5.6.
import { createRequire } from 'node:module'
import type * as ToughCookie from 'tough-cookie'
import type { Cookie } from './jar.ts'

/** Name and value together (RFC 6265 §6.1). */
const MAX_BYTES = 4_096
/** Path and domain: what is longer is as if it were not there (6265bis §5.6). */
const MAX_ATTRIBUTE = 1_024
const LONGEST_MS = 400 * 86_400_000
/** What can be sent back in a header field. */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/

const require = createRequire(import.meta.url)
let tough: typeof ToughCookie | undefined

/** Where a field comes from. */
export interface SetBy {
  readonly url: URL
  /** Epoch ms. */
  readonly now: number
  /** Epoch ms by the clock of the server, which says when something expires. */
  readonly serverNow: number
  /** Of the exchange. */
  readonly at: number
  readonly seq: number
}

/** The cookie that `field` sets; undefined where the rules refuse it. One that has expired is taken back: `gone`. */
export function cookieOf(field: string, by: SetBy): Cookie | undefined {
  const { url, now } = by
  const read = library().Cookie.parse(field, { loose: true })
  if (read === undefined) return undefined
  const { key: name, value } = read
  const place = placeOf(read.domain, url.hostname)
  if (place === undefined || name.length + value.length > MAX_BYTES || name + value === '') return undefined
  if (!SENDABLE.test(name) || !SENDABLE.test(value) || (read.secure && !isSafe(url))) return undefined
  const hasPath = read.path?.startsWith('/') === true && read.path.length <= MAX_ATTRIBUTE
  const path = hasPath && read.path ? read.path : library().defaultPath(url.pathname)
  const cookie: Cookie = {
    ...{ name, value, ...place, path },
    ...(read.secure && { secure: true }),
    ...sameSiteOf(read.sameSite),
    ...expiryOf(read, by),
    ...{ created: now, used: now, at: by.at, seq: by.seq },
  }
  if (breaksPrefix(cookie, hasPath)) return undefined
  return (cookie.expires ?? Infinity) > now ? cookie : { ...cookie, value: '', gone: true }
}

/** The registrable domain of a host name; the name itself where it has none. */
export function registrableSite(hostname: string): string {
  return registrable(hostname) ?? hostname
}

/** Whether what is sent there cannot be read on the way: https:, or this machine. A name may begin like its address: 127.0.0.1.example. */
export function isSafe({ protocol, hostname }: URL): boolean {
  if (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  return hostname === '[::1]' || (isAddress(hostname) && hostname.startsWith('127.'))
}

function library(): typeof ToughCookie {
  return (tough ??= require('tough-cookie') as typeof ToughCookie)
}

function registrable(hostname: string): string | undefined {
  if (isAddress(hostname)) return undefined
  return library().getPublicSuffix(hostname, { allowSpecialUseDomain: true, ignoreError: true })
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

/** For whom it is (RFC 6265 §5.3, steps 4 to 6): a public suffix is a domain only for itself. */
function placeOf(given: string | null, hostname: string): Pick<Cookie, 'domain' | 'hostOnly'> | undefined {
  if (given === null || given === '' || given.length > MAX_ATTRIBUTE) return { domain: hostname, hostOnly: true }
  const domain = library().canonicalDomain(given)
  if (domain === undefined) return undefined
  const isPublic = registrable(domain) === undefined
  if (domain === hostname) return { domain, hostOnly: isPublic }
  return isPublic || isAddress(hostname) || !hostname.endsWith(`.${domain}`) ? undefined : { domain, hostOnly: false }
}

function sameSiteOf(given: string | undefined): Pick<Cookie, 'sameSite'> {
  const level = given?.toLowerCase()
  return level === 'strict' || level === 'lax' ? { sameSite: level } : {}
}

/** Max-Age beats Expires (RFC 6265 §5.3, step 3), which is a moment of the server's clock. */
function expiryOf({ maxAge, expires }: ToughCookie.Cookie, { now, serverNow }: SetBy): Pick<Cookie, 'expires'> {
  const inMs = typeof maxAge === 'number' ? maxAge * 1_000 : expires instanceof Date ? expires.getTime() - serverNow : Infinity
  if (maxAge === '-Infinity') return { expires: now }
  if (inMs === Infinity || Number.isNaN(inMs)) return {}
  return { expires: Math.round(now + Math.min(Math.max(inMs, 0), LONGEST_MS)) }
}

function breaksPrefix({ name, secure, hostOnly, path }: Cookie, hasPath: boolean): boolean {
  if (/^__secure-/i.test(name)) return secure !== true
  return /^__host-/i.test(name) && !(secure === true && hostOnly && hasPath && path === '/')
}
