// What is said to a proxy before it opens a tunnel to a host, as bytes: no sockets and no time here.
//
// A handshake is given all bytes that it has not consumed, as often as more come, and says what they mean. undici has agents for proxies; they hide the socket
// (when the request is written, what connecting is at), run timers of their own, keep a pool for every origin, and lose bytes behind the last reply.

/** What the bytes of a proxy mean. `rest`: those that were not consumed. */
import type { FailureCode } from '@avocet/core/plugin'
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
