// Reads the URL of a proxy: where it listens, how it is spoken to, and who we are to it. Once, so that its password is apart from what is printed.
//
// `http://` and `https://` are HTTP proxies (RFC 9110 §3.7: a plain request is forwarded, everything else goes through a tunnel of CONNECT), spoken to in
// clear and over TLS. `socks5://` and `socks5h://` are the same: names are resolved by the proxy, never here.
import { AvocetError } from '@avocet/core'
import type { ProxyServer } from '@avocet/core/plugin'
import { hash } from 'node:crypto'

const KINDS: Readonly<Record<string, { readonly kind: ProxyServer['kind']; readonly port: number }>> = {
  http: { kind: 'http', port: 80 },
  https: { kind: 'https', port: 443 },
  socks5: { kind: 'socks5', port: 1080 },
  socks5h: { kind: 'socks5', port: 1080 },
}
/** RFC 1929 §2: the length is one octet. */
const MOST_SOCKS_BYTES = 255
const EXPECTED = 'a proxy URL such as http://proxy.example:8080 or socks5://user:password@proxy.example:1080'

/**
 * Reads the URL of a proxy; a text says what is wrong with it, without quoting credentials.
 *
 * @example
 * ```ts
 * proxyServerOf('http://proxy.example') // { url: 'http://proxy.example:80', id: 'http://proxy.example:80', kind: 'http', hostname: 'proxy.example', port: 80 }
 * ```
 */
export function proxyServerOf(text: unknown): ProxyServer | string {
  if (typeof text !== 'string') return `expected ${EXPECTED}, got ${typeof text}`
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9]*):\/\/(.+)$/i.exec(text) ?? []
  const found = Object.hasOwn(KINDS, scheme.toLowerCase()) ? KINDS[scheme.toLowerCase()] : undefined
  if (found === undefined)
    return `expected ${EXPECTED}, got ${scheme === '' ? 'a text without a scheme' : `the scheme ${scheme}:`}`
  // Read by the rules of web hosts: the URL standard leaves hosts of other schemes as they are written. Each of the two drops one port, its own.
  const [url, other] = [URL.parse(`http://${rest}`), URL.parse(`ftp://${rest}`)]
  if (url === null || other === null || url.hostname === '') return `expected ${EXPECTED}, got a host or port that is none`
  if ((url.pathname !== '/' && url.pathname !== '') || url.search !== '' || url.hash !== '')
    return `expected ${EXPECTED}, got one with a path; a proxy has only a host and a port`
  const port = Number(url.port || other.port || found.port)
  if (port === 0) return `expected ${EXPECTED}, got port 0`
  const address = `${scheme.toLowerCase()}://${url.hostname}:${port}`
  return withCredentials({ url: address, id: address, kind: found.kind, hostname: bare(url), port }, url)
}

function withCredentials(proxy: ProxyServer, { username: name, password: word }: URL): ProxyServer | string {
  if (name === '' && word === '') return proxy
  try {
    const [username, password] = [decodeURIComponent(name), decodeURIComponent(word)]
    if (proxy.kind === 'socks5' && [username, password].some((part) => Buffer.byteLength(part) > MOST_SOCKS_BYTES))
      return `expected user name and password of ${proxy.url} to have at most ${MOST_SOCKS_BYTES} bytes each, got more`
    // RFC 7617 §2: the colon ends the name.
    if (proxy.kind !== 'socks5' && username.includes(':'))
      return `expected a user name without a colon for ${proxy.url}, got one with it`
    return { ...proxy, id: `${proxy.url}#${hash('sha256', username).slice(0, 12)}`, username, password }
  } catch {
    return `expected user name and password of ${proxy.url} to be percent-encoded, got a % that begins no escape; write %25 for it`
  }
}

function bare({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/**
 * Reads the URL of a proxy, for `outgoing.setProxy`.
 *
 * @throws AVO_CONFIG_INVALID; the message quotes no credentials.
 * @example
 * ```ts
 * const server = proxyServer('socks5://user:password@proxy.example')
 * const plugin = definePlugin({ name: 'through', beforeRequest: (outgoing) => outgoing.setProxy(server) })
 * ```
 */
export function proxyServer(url: string): ProxyServer {
  const server = proxyServerOf(url)
  if (typeof server !== 'string') return server
  throw new AvocetError('AVO_CONFIG_INVALID', server)
}
