// The handshake of an HTTP proxy: CONNECT (RFC 9110 §9.3.6), and what its answer means.
import { isIP } from 'node:net'
import type { FailureCode, ProxyServer } from '@avocet/core/plugin'

/** A head that is longer, or with interim answers before it that are, is no answer to CONNECT. */
const MAX_HEAD_BYTES = 16 * 2 ** 10

/** What no host can have said before there is a tunnel to it: 402 where traffic is paid for and used up, 429 where tunnels are counted. */
const OWN_LIMITS = new Set([402, 429])
const STATUS_LINE = /^HTTP\/1\.[01] ([1-5]\d\d)(?: ([^\r\n]{0,80}))?[^\r\n]*\r?\n/

/** The handshake for `target` at an HTTP proxy. */
export function httpConnect(proxy: ProxyServer, target: TunnelTarget): TunnelHandshake {
  const authority = authorityOf(target.hostname, target.port)
  const credentials = basicCredentials(proxy)
  const field = credentials === undefined ? '' : `Proxy-Authorization: ${credentials}\r\n`
  return {
    first: Buffer.from(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${field}\r\n`, 'latin1'),
    hear: (bytes) => heardHttp(bytes, proxy, authority),
  }
}

function heardHttp(bytes: Buffer, proxy: ProxyServer, authority: string): ProxyWord {
  const text = bytes.toString('latin1', 0, MAX_HEAD_BYTES)
  let at = 0
  for (;;) {
    if (!'HTTP/1.'.startsWith(text.slice(at, at + 7))) return garbage(proxy, 'something that is not HTTP/1.1')
    const end = afterHead(text, at)
    if (end === undefined)
      return bytes.length >= MAX_HEAD_BYTES ? garbage(proxy, 'header fields without an end') : { kind: 'more' }
    const [, digits, reason = ''] = STATUS_LINE.exec(text.slice(at, end)) ?? []
    if (digits === undefined) return garbage(proxy, 'a status line that is none')
    const status = Number(digits)
    if (status >= 200) return answered({ status, reason, rest: bytes.subarray(end) }, proxy, authority)
    // An interim answer (RFC 9110 §15.2): the final one follows.
    at = end
  }
}

/** Where the head that begins `at` is over; undefined: not yet. */
function afterHead(text: string, at: number): number | undefined {
  const blank = /\r?\n\r?\n/g
  blank.lastIndex = at
  return blank.test(text) ? blank.lastIndex : undefined
}

interface FinalAnswer {
  readonly status: number
  readonly reason: string
  /** What the host said behind it. */
  readonly rest: Buffer
}

function answered({ status, reason, rest }: FinalAnswer, proxy: ProxyServer, authority: string): ProxyWord {
  if (status < 300) return { kind: 'open', rest }
  if (status === 407)
    return { kind: 'failed', code: 'AVO_PROXY_AUTH', message: authMessage(proxy, '407 Proxy Authentication Required') }
  const answer = `${status}${reason === '' ? '' : ` ${reason}`}`
  return {
    kind: 'failed',
    code: OWN_LIMITS.has(status) ? 'AVO_PROXY_LIMIT' : 'AVO_PROXY_REFUSED',
    message: `expected proxy ${proxy.url} to open a tunnel to ${authority}, got ${answer}`,
  }
}

function garbage({ url }: ProxyServer, what: string): ProxyWord {
  return {
    kind: 'failed',
    code: 'AVO_PROXY_PROTOCOL',
    message: `expected ${url} to answer as an HTTP proxy, got ${what}; check its scheme and port`,
  }
}

/** What to do about a proxy that wants other credentials. */
export function authMessage({ url, username }: ProxyServer, answer: string): string {
  return username === undefined
    ? `expected proxy ${url} to need no credentials, got ${answer}; write the user name and the password into its URL, before the host`
    : `expected proxy ${url} to accept the user name and password of its URL, got ${answer}; correct them`
}

/** The value of the Proxy-Authorization field (RFC 7617), where the proxy has a name for us. */
export function basicCredentials({ username, password = '' }: ProxyServer): string | undefined {
  return username === undefined ? undefined : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

/** `host:port` as a request line has it. */
function authorityOf(hostname: string, port: number | string): string {
  return isIP(hostname) === 6 ? `[${hostname}]:${port}` : `${hostname}:${port}`
}

// What is said to a proxy before it opens a tunnel to a host, as bytes: no sockets and no time here.
//
// A handshake is given all bytes that it has not consumed, as often as more come, and says what they mean. undici has agents for proxies; they hide the socket
// (when the request is written, what connecting is at), run timers of their own, keep a pool for every origin, and lose bytes behind the last reply.

/** What the bytes of a proxy mean. `rest`: those that were not consumed. */
export type ProxyWord =
  | { readonly kind: 'more' }
  | { readonly kind: 'say'; readonly bytes: Buffer; readonly rest: Buffer }
  | { readonly kind: 'open'; readonly rest: Buffer }
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string }

/** A conversation with a proxy. */
export interface TunnelHandshake {
  /** What is said first. */
  readonly first: Buffer
  hear(bytes: Buffer): ProxyWord
}

/** Where the tunnel is to lead. */
export interface TunnelTarget {
  /** Without brackets. */
  readonly hostname: string
  readonly port: number
}
