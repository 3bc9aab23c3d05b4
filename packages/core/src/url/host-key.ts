// The unit of politeness that a URL belongs to. Asked once a link, so it cuts the string instead of parsing it again.
import { registrableDomain } from './registrable-domain.ts'

/**
 * The host of `url`, which is in WHATWG form: name plus non-default port, or with `domain` the registrable domain (the whole name where there is
 * none, such as an address; no port). A dot at the end of the name is folded away.
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
  return withoutTrailingDot(host)
}

/** The name in a host key, without the port. Brackets of IPv6 stay. */
export function hostnameOf(hostKey: string): string {
  const colon = hostKey.lastIndexOf(':')
  const hostname = colon === -1 || hostKey.endsWith(']') ? hostKey : hostKey.slice(0, colon)
  return withoutTrailingDot(hostname)
}

function hostIn(url: string): string {
  const start = url.indexOf('//') + 2
  const slash = url.indexOf('/', start)
  const host = url.slice(start, slash === -1 ? url.length : slash)
  const at = host.lastIndexOf('@')
  return at === -1 ? host : host.slice(at + 1)
}

function withoutTrailingDot(host: string): string {
  if (host.endsWith('.')) return host.slice(0, -1)
  return host.includes('.:') ? host.replace('.:', ':') : host
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
