// Keeps connections: one undici client for each, so that it is always known which exchange uses which socket, and since when.
//
// A connection serves one exchange at a time. Idle ones wait under their origin, the last used first, and leave when their socket
// closes or when there are too many, the longest idle first: memory grows with what is open, not with the hosts ever met.
// A connection that was opened with private addresses allowed is kept apart, and never serves an exchange that may not use them. So is one through a proxy, by
// proxy, name and password: of some proxies the name says which way a request takes. And one that was opened with a client certificate, by certificate: who has
// none, or another, must not be served as its owner.
import type { Clock, Outbound } from '@avocet/core/store'
import { createHash } from 'node:crypto'
import { connectGuarded, type Attempt, type Connected, type Destination, type RawConnector, type Stage } from './connector.ts'
import { connectThrough } from './proxies/proxy-connector.ts'
import { WireTap } from './wire-tap.ts'

/** What is used of undici's Client. */
export interface DispatchClient {
  dispatch(options: DispatchOptions, handler: object): boolean
  destroy(error: Error | null, done: () => void): void
  on(event: 'disconnect', listener: () => void): unknown
}

/** A request in undici's words. */
export interface DispatchOptions {
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string>
  readonly body: string | null
  /** Whether the connection ends with this exchange: undici ends those of HEAD unless an option says otherwise. */
  readonly reset?: boolean
}

/** Starts connections, with a resolver that gives public addresses only and with one that gives all. */
export interface RawConnectors {
  readonly publicOnly: RawConnector
  readonly any: RawConnector
}

/** How connections are made: given by the one file that knows undici. */
export interface ConnectionOptions {
  readonly clock: Clock
  readonly maxIdle: number
  /** Those that show `certificate`, or none. */
  rawFor(certificate?: Outbound['certificate']): RawConnectors
  makeClient(origin: string, connect: (destination: Destination, connected: Connected) => void): DispatchClient
}

/** Where a connection leads. */
interface Place {
  readonly privateAllowed: boolean
  readonly proxy?: Outbound['proxy']
  readonly certificate?: Outbound['certificate']
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
      const { privateAllowed, proxy, certificate } = place
      const raw = options.rawFor(certificate)
      const established: Connected = (error, socket) => {
        if (error !== null) return connected(error, null)
        // Behind a proxy nobody tells us where the server is.
        if (proxy === undefined) this.remoteAddress = socket.remoteAddress
        this.tap = new WireTap(socket)
        this.#connectMs = clock.monotonic() - startedAt
        connected(null, socket)
      }
      this.#attempt =
        proxy === undefined
          ? connectGuarded(privateAllowed ? raw.any : raw.publicOnly, { destination, privateAllowed }, established)
          : connectThrough(options.rawFor().any, { destination, privateAllowed, proxy, inside: raw.any }, established)
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

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  get counts(): { readonly open: number; readonly busy: number } {
    return { open: this.#all.size, busy: this.#all.size - this.#idle.size }
  }

  /** A connection to `origin`: the one that became idle last, or a new one; what may not be repeated gets a new one in any case. */
  acquire(origin: string, { privateAllowed, proxy, certificate, method }: Place & { readonly method: string }): Connection {
    const place = { privateAllowed, proxy, certificate }
    const key = keyOf(origin, place)
    const idle = mayBeSentTwice(method) ? this.#idleByKey.get(key)?.at(-1) : undefined
    if (idle !== undefined) {
      this.#leaveIdle(idle)
      return idle
    }
    const connection = new Connection(key, { origin, ...place }, this.#options)
    this.#all.add(connection)
    // A busy one either reconnects by itself, because nothing was written yet, or its exchange receives the error.
    connection.client.on('disconnect', () => {
      if (this.#idle.has(connection)) this.retire(connection)
    })
    return connection
  }

  /** The parser refused an answer: the next ones from there are made to suit it. */
  foundOdd({ key }: Connection): void {
    if (this.#odd.size < MAX_ODD) this.#odd.add(key)
  }

  /** Whether it refused one from there. */
  isOdd({ key }: Connection): boolean {
    return this.#odd.size > 0 && this.#odd.has(key)
  }

  /** Its exchange is over and the connection may serve another. */
  release(connection: Connection): void {
    this.#idle.add(connection)
    const siblings = this.#idleByKey.get(connection.key)
    if (siblings === undefined) this.#idleByKey.set(connection.key, [connection])
    else siblings.push(connection)
    if (this.#idle.size <= this.#options.maxIdle) return
    for (const longestIdle of this.#idle) return this.retire(longestIdle)
  }

  /** Closes it for good. */
  retire(connection: Connection, done: () => void = NOTHING): void {
    this.#leaveIdle(connection)
    this.#all.delete(connection)
    connection.destroy(done)
  }

  /** Closes what is idle: everywhere, or under one key. */
  retireIdle(key?: string): void {
    for (const connection of this.#idle) if (key === undefined || connection.key === key) this.retire(connection)
  }

  /** Closes everything; resolves when the sockets are closed. */
  async close(): Promise<void> {
    const closing = [...this.#all].map((connection) => new Promise<void>((resolve) => this.retire(connection, resolve)))
    await Promise.all(closing)
  }

  #leaveIdle(connection: Connection): void {
    if (!this.#idle.delete(connection)) return
    const siblings = this.#idleByKey.get(connection.key) ?? []
    if (siblings.length <= 1) this.#idleByKey.delete(connection.key)
    else siblings.splice(siblings.indexOf(connection), 1)
  }
}

/** Whether sending a request twice means the same as sending it once (RFC 9110 §9.2.2). */
export function mayBeSentTwice(method: string): boolean {
  return /^(?:GET|HEAD|OPTIONS|TRACE|PUT|DELETE)$/.test(method)
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
