// Keeps connections: one undici client for each, so that it is always known which exchange uses which socket, and since when. Where HTTP/2 is wanted an
// exchange gets a stream instead, of a session that it shares; see http2/. Those files are loaded at the first one.
//
// A connection serves one exchange at a time. Idle ones wait under their origin, the last used first, and leave when their socket
// closes or when there are too many, the longest idle first: memory grows with what is open, not with the hosts ever met.
// A connection that was opened with private addresses allowed is kept apart, and never serves an exchange that may not use them. So is one through a proxy, by
// proxy, name and password: of some proxies the name says which way a request takes. And one that was opened with a client certificate, by certificate: who has
// none, or another, must not be served as its owner.
import type { FailureCode } from '@avocet/core/plugin'
import type { Clock, Outbound, Phase } from '@avocet/core/store'
import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { connectGuarded, type Attempt, type Connected, type Destination, type RawConnector, type Stage } from './connector.ts'
import { mayBeSentTwice, type DispatchClient, type SharedStream } from './dispatch.ts'
import type { Http2Place } from './http2/http2-session.ts'
import type * as Http2 from './http2/http2-sessions.ts'
import { connectThrough } from './proxies/proxy-connector.ts'
import { WireTap } from './wire-tap.ts'

/** Starts connections, with a resolver that gives public addresses only and with one that gives all. */
export interface RawConnectors {
  readonly publicOnly: RawConnector
  readonly any: RawConnector
}

/** How connections are made: given by the one file that knows undici. */
export interface ConnectionOptions {
  readonly clock: Clock
  readonly maxIdle: number
  readonly keepAliveMs: number
  /** Those that show `certificate`, or none; with `http2` they offer the server both versions. */
  rawFor(certificate?: Outbound['certificate'], http2?: boolean): RawConnectors
  makeClient(origin: string, connect: (destination: Destination, connected: Connected) => void): DispatchClient
}

/** Where a connection leads. */
interface Place {
  readonly privateAllowed: boolean
  readonly proxy?: Outbound['proxy']
  readonly certificate?: Outbound['certificate']
}

/** What an exchange is sent on. */
export type Transport = Connection | SharedStream

interface Trouble {
  readonly code: FailureCode
  readonly phase: Phase
}

interface Wanted extends Place {
  readonly method: string
  readonly http2?: boolean | undefined
}

/** One connection, open or about to be. */
export class Connection {
  readonly key: string
  readonly client: DispatchClient
  remoteAddress: string | undefined
  tap: WireTap | undefined
  #attempt: Attempt | undefined
  #connectMs: number | undefined

  constructor(key: string, place: Place & { readonly origin: string }, options: ConnectionOptions) {
    const { clock } = options
    this.key = key
    this.client = options.makeClient(place.origin, (destination, connected) => {
      const startedAt = clock.monotonic()
      const established: Connected = (error, socket) => {
        if (error !== null) return connected(error, null)
        // Behind a proxy nobody tells us where the server is.
        if (place.proxy === undefined) this.remoteAddress = socket.remoteAddress
        this.tap = new WireTap(socket)
        this.#connectMs = clock.monotonic() - startedAt
        connected(null, socket)
      }
      this.#attempt = dial(options, { place, destination }, established)
    })
  }

  /** What connecting is at; undefined on a connection that an earlier exchange opened. */
  get stage(): Stage | undefined {
    return this.#attempt?.stage
  }

  /** Set while connecting is at the proxy. */
  get through(): Attempt['through'] {
    return this.#attempt?.through
  }

  /** How long connecting took, for the exchange that it was done for: the next one gets undefined. */
  takeConnectMs(): number | undefined {
    const connectMs = this.#connectMs
    this.#connectMs = undefined
    this.#attempt = undefined
    return connectMs
  }

  /** Destroys the socket, also one that is still connecting. */
  destroy(done: () => void): void {
    this.#attempt?.socket?.destroy()
    this.client.destroy(null, done)
  }
}

const NOTHING = (): void => {}
/** Origins whose heads are rewritten: some 10 MB. */
const MAX_ODD = 50_000

/** All connections of a fetcher. */
export class Connections {
  readonly #options: ConnectionOptions
  readonly #all = new Set<Connection>()
  /** In the order in which they became idle. */
  readonly #idle = new Set<Connection>()
  readonly #idleByKey = new Map<string, Connection[]>()
  /** Keys of those whose heads the parser refused. */
  readonly #odd = new Set<string>()
  #http2: Http2.Http2Sessions | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get counts(): { readonly open: number; readonly busy: number } {
    const { open, busy } = this.#http2?.counts ?? { open: 0, busy: 0 }
    return { open: open + this.#all.size, busy: busy + this.#all.size - this.#idle.size }
  }

  /**
   * A connection to `origin`: the one that became idle last, or a new one; what may not be repeated gets a new one in any case. With `http2` a stream,
   * unless the server is known to speak HTTP/1.1, or that alone well.
   */
  acquire(origin: string, { privateAllowed, proxy, certificate, method, http2 = false }: Wanted): Transport {
    const place = { privateAllowed, proxy, certificate }
    const key = keyOf(origin, place)
    const stream = http2 && origin.startsWith('https:') ? this.#stream(key, { origin, ...place }, method) : undefined
    if (stream !== undefined) return stream
    const idle = mayBeSentTwice(method) ? this.#idleByKey.get(key)?.at(-1) : undefined
    if (idle !== undefined) {
      this.#leaveIdle(idle)
      return idle
    }
    return this.#add(new Connection(key, { origin, ...place }, this.#options))
  }

  /** Whether an exchange that failed on `connection` starts again: nothing was written, and the trouble is not its own. Closes that connection. */
  startsAgain(connection: Transport, { code, phase }: Trouble, { http2 }: Pick<Wanted, 'http2'>): boolean {
    const isUnused = phase === 'send' && code !== 'AVO_REQUEST_INVALID' && code !== 'AVO_ABORTED'
    // Of a connection that offered HTTP/1.1 alone, for the server had broken over HTTP/2.
    const isHttp2Only = code === 'AVO_TLS_HTTP2_ONLY' && http2 === true && connection instanceof Connection
    if (isHttp2Only) this.#http2?.chose(connection.key, 2)
    if (!isUnused && !isHttp2Only) return false
    this.retire(connection)
    return true
  }

  /** The parser refused an answer: the next ones from there are made to suit it. */
  foundOdd({ key }: Transport): void {
    if (this.#odd.size < MAX_ODD) this.#odd.add(key)
  }

  /** Whether it refused one from there. */
  isOdd({ key }: Transport): boolean {
    return this.#odd.size > 0 && this.#odd.has(key)
  }

  /** Its exchange is over and the connection may serve another. */
  release(connection: Transport): void {
    if (!(connection instanceof Connection)) return
    this.#idle.add(connection)
    const siblings = this.#idleByKey.get(connection.key)
    if (siblings === undefined) this.#idleByKey.set(connection.key, [connection])
    else siblings.push(connection)
    if (this.#idle.size <= this.#options.maxIdle) return
    for (const longestIdle of this.#idle) return this.retire(longestIdle)
  }

  /** Closes it for good. */
  retire(connection: Transport, done: () => void = NOTHING): void {
    if (!(connection instanceof Connection)) return connection.end()
    this.#leaveIdle(connection)
    this.#all.delete(connection)
    connection.destroy(done)
  }

  /** Closes what is idle: everywhere, or under one key. */
  retireIdle(key?: string): void {
    for (const connection of this.#idle) if (key === undefined || connection.key === key) this.retire(connection)
    this.#http2?.retireIdle(key)
  }

  /** Closes everything; resolves when the sockets are closed. */
  async close(): Promise<void> {
    const closing = [...this.#all].map((connection) => new Promise<void>((resolve) => this.retire(connection, resolve)))
    await Promise.all([...closing, this.#http2?.close()])
  }

  #add(connection: Connection): Connection {
    this.#all.add(connection)
    // A busy one either reconnects by itself, because nothing was written yet, or its exchange receives the error.
    connection.client.on('disconnect', () => {
      if (this.#idle.has(connection)) this.retire(connection)
    })
    return connection
  }

  #stream(key: string, place: Place & { readonly origin: string }, method: string): SharedStream | undefined {
    this.#http2 ??= new (loadHttp2().Http2Sessions)(this.#options)
    const destination = destinationOf(place.origin)
    const dialled: Http2Place = {
      key,
      origin: place.origin,
      isProxied: place.proxy !== undefined,
      dial: (connected) => dial(this.#options, { place, destination, http2: true }, connected),
    }
    return this.#http2.stream(dialled, method)
  }

  #leaveIdle(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    const siblings = this.#idleByKey.get(connection.key) ?? []
    if (siblings.length <= 1) this.#idleByKey.delete(connection.key)
    else siblings.splice(siblings.indexOf(connection), 1)
  }
}

function loadHttp2(): typeof Http2 {
  return createRequire(import.meta.url)('@avocet/fetcher-http/http2') as typeof Http2
}

/** As undici says it. */
function destinationOf(origin: string): Destination {
  const { hostname, host, protocol, port } = new URL(origin)
  const name = hostname.replace(/^\[|\]$/g, '')
  return { hostname: name, host, protocol, port, ...(isIP(name) === 0 && { servername: name }) }
}

interface Dial {
  readonly place: Place
  readonly destination: Destination
  readonly http2?: boolean
}

function dial({ rawFor }: ConnectionOptions, { place, destination, http2 }: Dial, connected: Connected): Attempt {
  const { privateAllowed, proxy, certificate } = place
  const raw = rawFor(certificate, http2)
  return proxy === undefined
    ? connectGuarded(privateAllowed ? raw.any : raw.publicOnly, { destination, privateAllowed }, connected)
    : connectThrough(rawFor().any, { destination, privateAllowed, proxy, inside: raw.any }, connected)
}

function keyOf(origin: string, { privateAllowed, proxy, certificate }: Place): string {
  const shared = privateAllowed ? `${origin} private` : origin
  const key = certificate === undefined ? shared : `${shared} ${fingerprintOf(certificate)}`
  return proxy === undefined ? key : `${key} ${proxy.url} ${JSON.stringify([proxy.username, proxy.password])}`
}

const fingerprints = new WeakMap<object, string>()

/** Of the certificate and its key. */
function fingerprintOf(certificate: NonNullable<Outbound['certificate']>): string {
  const known = fingerprints.get(certificate)
  if (known !== undefined) return known
  const { cert, key, passphrase = '' } = certificate
  const fingerprint = createHash('sha256')
    .update(JSON.stringify([cert, key, passphrase]))
    .digest('hex')
  fingerprints.set(certificate, fingerprint)
  return fingerprint
}
