// Opens connections through proxies: to the proxy, then a tunnel to the host, then TLS with the host inside it.
//
// What a plain http request needs of an HTTP proxy is a connection to it: the request itself names the host (`forwards`). The name of the host is resolved by
// the proxy, so of the three checks of connector.ts only the literal one can be made here, and `localhost`, which would be the proxy's own.
import { isIP, type Socket } from 'node:net'
import { AvocetError } from '@avocet/core'
import { FAILURES, type ProxyServer } from '@avocet/core/plugin'
import { messageOf, type Outbound } from '@avocet/core/store'
import { awaitSilence, refusal, type Attempt, type Connected, type Destination, type RawConnector } from '../connector.ts'
import type { Overrun } from '../deadlines.ts'
import { failureCodeOf } from '../failure-code.ts'
import { isPrivateAddress } from '../names/address-guard.ts'
import type { HeadFault } from '../response-head.ts'
import { authMessage, httpConnect, type TunnelHandshake } from './http-connect.ts'
import { Socks5Handshake } from './socks5-handshake.ts'

/** Where to, and through what. */
export interface ProxiedDestination {
  readonly destination: Destination
  readonly privateAllowed: boolean
  readonly proxy: ProxyServer
  /** Speaks TLS with the host in the tunnel. */
  readonly inside: RawConnector
}

/** Whether `proxy` takes requests to `url`, of which the scheme is enough, as they are, with the whole URL in their first line. */
export function forwards(proxy: ProxyServer, url: string): boolean {
  return url.startsWith('http:') && proxy.kind !== 'socks5'
}

/**
 * Connects by `raw`, watched as by `connectGuarded`. While `attempt.through` is set, trouble is the proxy's.
 *
 * Errors: AVO_ADDRESS_REFUSED, AVO_PROXY_…, what a proxy says of the host, those of `connectGuarded`, and Node's.
 */
export function connectThrough(raw: RawConnector, to: ProxiedDestination, connected: Connected): Attempt {
  const { destination, privateAllowed, proxy } = to
  const { hostname } = destination
  const attempt: Attempt = { stage: isIP(proxy.hostname) === 0 ? 'dns' : 'connect', through: 'reaching' }
  if (!privateAllowed && isInside(hostname)) {
    queueMicrotask(() => connected(refusal(hostname, isIP(hostname) === 0 ? 'the proxy itself' : hostname), null))
    return attempt
  }
  const socket = raw(atProxy(proxy), (error, open) => {
    if (error !== null) return connected(notReached(error, proxy, attempt), null)
    if (!forwards(proxy, destination.protocol)) return tunnel(open, { to, attempt, connected })
    delete attempt.through
    awaitSilence(open, connected)
  })
  attempt.socket = socket
  socket.once('lookup', (error: Error | null) => {
    if (error === null) attempt.stage = 'connect'
  })
  socket.prependOnceListener('connect', () => {
    if (proxy.kind === 'https') attempt.stage = 'tls'
  })
  return attempt
}

/** What only this machine, or the proxy, can reach. */
function isInside(hostname: string): boolean {
  if (isIP(hostname) !== 0) return isPrivateAddress(hostname)
  return /(?:^|\.)localhost\.?$/.test(hostname)
}

function atProxy({ kind, hostname, port }: ProxyServer): Destination {
  const protocol = kind === 'https' ? 'https:' : 'http:'
  const servername = kind === 'https' && isIP(hostname) === 0 ? { servername: hostname } : {}
  return { hostname, host: hostname, protocol, port: String(port), ...servername }
}

/** The same error where it is this machine's. */
function notReached(error: Error, { url }: ProxyServer, { stage }: Attempt): Error {
  const code = failureCodeOf(error, { phase: stage, stale: false })
  if (FAILURES[code].blame === 'local') return error
  const message = `expected a connection to proxy ${url}, got: ${FAILURES[code].summary} (${messageOf(error)})`
  return new AvocetError('AVO_PROXY_UNREACHABLE', message, { cause: error })
}

interface Tunnelling {
  readonly to: ProxiedDestination
  readonly attempt: Attempt
  readonly connected: Connected
}

/** Talks to the proxy until the tunnel stands, or will not. */
function tunnel(socket: Socket, { to, attempt, connected }: Tunnelling): void {
  const { destination, proxy } = to
  attempt.stage = 'connect'
  attempt.through = 'tunnelling'
  const handshake = handshakeOf(proxy, destination)
  let unread: Buffer = Buffer.alloc(0)
  const over = (end: () => void): void => {
    socket.off('readable', read).off('close', closed).off('error', closed)
    end()
  }
  const fail = (error: Error): void =>
    over(() => {
      socket.destroy()
      connected(error, null)
    })
  const closed = (error?: Error | boolean): void => {
    const how = error instanceof Error ? messageOf(error) : 'a closed connection'
    fail(
      new AvocetError('AVO_PROXY_REFUSED', `expected proxy ${proxy.url} to open a tunnel to ${destination.hostname}, got ${how}`),
    )
  }
  const read = (): void => {
    for (let more: Buffer | null; (more = socket.read() as Buffer | null) !== null;) unread = Buffer.concat([unread, more])
    for (;;) {
      const heard = handshake.hear(unread)
      if (heard.kind === 'more') return
      if (heard.kind === 'failed') return fail(new AvocetError(heard.code, heard.message))
      unread = heard.rest
      if (heard.kind === 'open') return over(() => opened(socket, unread, { to, attempt, connected }))
      socket.write(heard.bytes)
    }
  }
  socket.on('readable', read).once('close', closed).once('error', closed)
  socket.write(handshake.first)
}

/** The tunnel stands: from here on what comes is the host's. */
function opened(socket: Socket, unread: Buffer, { to, attempt, connected }: Tunnelling): void {
  const { destination, inside } = to
  delete attempt.through
  if (unread.length > 0) socket.unshift(unread)
  if (destination.protocol !== 'https:') return awaitSilence(socket, connected)
  attempt.stage = 'tls'
  // A tunnel that is cut meanwhile ends the handshake; nobody else listens to the socket below.
  socket.on('error', () => {})
  const secure = inside({ ...destination, httpSocket: socket }, (error, open) => {
    if (error === null) return awaitSilence(open, connected)
    socket.destroy()
    connected(error, null)
  })
  secure.once('close', () => socket.destroy())
  attempt.socket = {
    destroy() {
      secure.destroy()
      socket.destroy()
    },
  }
}

function handshakeOf(proxy: ProxyServer, { hostname, port, protocol }: Destination): TunnelHandshake {
  const target = { hostname, port: Number(port === '' ? (protocol === 'https:' ? 443 : 80) : port) }
  return proxy.kind === 'socks5' ? new Socks5Handshake(proxy, target) : httpConnect(proxy, target)
}

// What of an exchange through a proxy is trouble of the proxy: limits that pass before the host could be asked, and a 407 in place of an answer.

/** `late`, or the same as trouble of the proxy where connecting has not passed it. */
export function overrunThrough(
  proxy: ProxyServer | undefined,
  through: Attempt['through'],
  late: Overrun | undefined,
): Overrun | undefined {
  if (late === undefined || proxy === undefined || through === undefined) return late
  const { url } = proxy
  return through === 'reaching'
    ? { ...late, code: 'AVO_PROXY_UNREACHABLE', message: `expected a connection to proxy ${url}, got none: ${late.message}` }
    : { ...late, code: 'AVO_PROXY_TIMEOUT', message: `expected proxy ${url} to open a tunnel, got nothing: ${late.message}` }
}

/** A 407 of a proxy that forwards is its own: it is for this hop alone (RFC 9110 §15.5.8). In a tunnel it is the server's, an answer like any other. */
export function faultOfProxy({ proxy, url }: Pick<Outbound, 'proxy' | 'url'>, status: number): HeadFault | undefined {
  if (status !== 407 || proxy === undefined || !forwards(proxy, url)) return undefined
  return { code: 'AVO_PROXY_AUTH', message: authMessage(proxy, '407 Proxy Authentication Required') }
}
