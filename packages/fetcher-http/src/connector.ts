// Opens connections, and only to where they may go: checks the literal address, every answer of the resolver, and what was connected to.
//
// The name of a host proves nothing, so the decision falls on addresses. Three times, because each check sees what the others cannot:
// literals never reach the resolver, a resolver may change its answer (DNS rebinding), and the connected address is the truth.
import { AvocetError } from '@avocet/core'
import { isPrivateAddress } from './names/address-guard.ts'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Resolve } from './lookup.ts'

/** Where to connect to, as undici says it. */
export interface Destination {
  readonly hostname: string
  readonly host?: string
  readonly protocol: string
  readonly port: string
  readonly servername?: string
  readonly localAddress?: string | null
  /** A tunnel to it, in which TLS is to be spoken. */
  readonly httpSocket?: Socket
}

/** Called once with the connection, or with why there is none. */
export type Connected = (...outcome: [null, Socket] | [Error, null]) => void

/** A function of undici's `buildConnector`: starts a TCP or TLS connection and returns the socket at once. */
export type RawConnector = (destination: Destination, connected: Connected) => Socket

/** How far an attempt to connect has come. */
export type Stage = 'dns' | 'connect' | 'tls'

/** An attempt in progress. */
export interface Attempt {
  stage: Stage
  /** While it is a proxy that is connected to, or asked for a tunnel. */
  through?: 'reaching' | 'tunnelling'
  socket?: { destroy(): unknown }
}

/** The `lookup` option of node:net over a resolver; without `privateAllowed` it gives public addresses only. */
export function guardedLookup(resolve: Resolve, privateAllowed: boolean): LookupFunction {
  return (hostname, options, answer) => {
    // Later, also from a cache: node:net emits `lookup` at once, and nobody listens to the socket yet.
    const callback: typeof answer = (...found) => queueMicrotask(() => answer(...found))
    resolve(hostname, (resolution) => {
      if (resolution.error) return callback(resolution.error, '')
      const allowed = resolution.addresses.filter(({ address }) => privateAllowed || !isPrivateAddress(address))
      const [first] = allowed
      if (first === undefined)
        return callback(refusal(hostname, resolution.addresses.map(({ address }) => address).join(', ')), '')
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}

/**
 * Connects by `raw`, watched. `attempt` tells the stage as it changes; destroy its socket to give up.
 *
 * Errors: AVO_ADDRESS_REFUSED, AVO_PROTOCOL for a server that speaks first, AVO_CLOSED_EARLY for one that hangs up first, and Node's.
 */
export function connectGuarded(
  raw: RawConnector,
  { destination, privateAllowed }: { readonly destination: Destination; readonly privateAllowed: boolean },
  connected: Connected,
): Attempt {
  const { hostname, protocol } = destination
  const isLiteral = isIP(hostname) !== 0
  const attempt: Attempt = { stage: isLiteral ? 'connect' : 'dns' }
  if (isLiteral && !privateAllowed && isPrivateAddress(hostname)) {
    queueMicrotask(() => connected(refusal(hostname, hostname), null))
    return attempt
  }

  const socket = raw(destination, (error, open) => {
    if (error === null) awaitSilence(open, connected)
    else connected(error, null)
  })
  attempt.socket = socket
  socket.once('lookup', (error: Error | null) => {
    if (error === null) attempt.stage = 'connect'
  })
  // First among the listeners, so that TLS has not written its first byte yet.
  socket.prependOnceListener('connect', () => {
    if (protocol === 'https:') attempt.stage = 'tls'
    const address = socket.remoteAddress ?? ''
    if (!privateAllowed && isPrivateAddress(address)) socket.destroy(refusal(hostname, address))
  })
  return attempt
}

/**
 * Waits two turns of the event loop: in the second, bytes that came with the handshake have been read. A server that speaks before it
 * was asked does not speak HTTP, and undici would take its words for the answer to the first request.
 */
export function awaitSilence(socket: Socket, connected: Connected): void {
  // There both sides begin with their settings.
  if ((socket as Partial<TLSSocket>).alpnProtocol === 'h2') return connected(null, socket)
  const judge = (): void => {
    if (socket.readableLength > 0) {
      socket.destroy()
      connected(new AvocetError('AVO_PROTOCOL', 'the server sent data before it was asked anything'), null)
    } else if (socket.readyState === 'open') {
      connected(null, socket)
    } else {
      socket.destroy()
      connected(socket.errored ?? new AvocetError('AVO_CLOSED_EARLY', 'the server closed the connection unasked'), null)
    }
  }
  setImmediate(() => setImmediate(judge))
}

/** The error of a `hostname` that leads to what is no public address. */
export function refusal(hostname: string, addresses: string): AvocetError {
  const pattern = isIP(hostname) === 6 ? `[${hostname}]` : hostname
  return new AvocetError(
    'AVO_ADDRESS_REFUSED',
    `${hostname} leads to ${addresses}, which is no public address; if that host is yours, allow it: hosts: { '${pattern}': { allowPrivate: true } }`,
  )
}
