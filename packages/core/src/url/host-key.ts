// The unit of politeness that a URL belongs to. Asked once a link, so it cuts the string instead of parsing it again.
import type * as Tldts from 'tldts'
import { headerOf, type ResponseHeaders } from '../ports/response.ts'
import { createRequire } from 'node:module'

const RAW_BYTE = /[\u0080-\u00ff]/g

/**
 * The host of `url`, as `parseUrl` gives it: name plus non-default port, or with `domain` the registrable domain (the whole name where there is
 * none, such as an address; no port).
 *
 * @example
 * ```ts
 * hostKeyOf('https://www.shop.example:8443/a', 'host') // 'www.shop.example:8443'
 * hostKeyOf('https://www.shop.example:8443/a', 'domain') // 'shop.example'
 * ```
 */
export function hostKeyOf(url: string | URL, keying: 'host' | 'domain'): string {
  const host = typeof url === 'string' ? hostIn(url) : url.host
  if (keying === 'domain') return registrableDomain(hostnameOf(host))
  return host
}

/** The name in a host key, without the port. Brackets of IPv6 stay. */
export function hostnameOf(hostKey: string): string {
  const colon = hostKey.lastIndexOf(':')
  return colon === -1 || hostKey.endsWith(']') ? hostKey : hostKey.slice(0, colon)
}

function hostIn(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  const host = url.slice(start, slash === -1 ? url.length : slash)
  const at = host.lastIndexOf('@')
  return at === -1 ? host : host.slice(at + 1)
}

/**
 * The registrable domain of a host key; the name itself where it has none.
 *
 * @example
 * ```ts
 * siteOf('www.shop.example:8443') // 'shop.example'
 * ```
 */
export function siteOf(hostKey: string): string {
  return registrableDomain(hostnameOf(hostKey))
}

/**
 * Scheme, host and port of `url`, which is in WHATWG form and has no credentials, as `parseUrl` gives it. Source: RFC 6454 §4.
 *
 * @example
 * ```ts
 * originOf('https://shop.example:8443/a?b') // 'https://shop.example:8443'
 * ```
 */
export function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2)
  return slash === -1 ? url : url.slice(0, slash)
}

// Where a redirect says it leads: the Location field as a URL reference.
// Field values come a byte a character. Servers write paths in raw UTF-8, or in the encoding of their file names, and browsers send just these bytes
// back: each is percent-encoded as it is, for the URL parser would encode the UTF-8 of what Latin-1 makes of it. Source: the web platform tests
// redirect-location-escape.

/** The reference in `location`; empty when there is none. */
export function locationOf(headers: ResponseHeaders): string {
  const location = headerOf(headers, 'location') ?? ''
  return location.replace(RAW_BYTE, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`)
}

// The part of a host name that somebody registered, by the Public Suffix List; remembered by name, for the list is long.

/** Names remembered: at some 100 bytes each, 1 MB. All are forgotten when it is full, which costs 1 µs a name. */
const MAX_REMEMBERED = 10_000

const require = createRequire(import.meta.url)
const remembered = new Map<string, string>()
let list: typeof Tldts | undefined

/**
 * The registrable domain of `hostname`; the name itself when it has none (an address, `localhost`, a public suffix).
 * Suffixes that companies hand out (`github.io`) count as public, as in browsers: their tenants are strangers to one another.
 */
function registrableDomain(hostname: string): string {
  const known = remembered.get(hostname)
  if (known !== undefined) return known
  // Loaded at the first question: crawls that go by host never ask one.
  list ??= require('tldts') as typeof Tldts
  const domain = list.getDomain(hostname, { allowPrivateDomains: true }) ?? hostname
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(hostname, domain)
  return domain
}
