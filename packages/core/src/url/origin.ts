// What secrets, certificates and robots.txt belong to: the origin of a URL. Asked once a request, so it cuts the string instead of parsing it again.

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
