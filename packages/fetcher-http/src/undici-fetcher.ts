// The fetcher of real crawls: HTTP/1.1 over undici's low-level `dispatch`, so that it is known when a request is written.
//
// None of undici's redirect, retry, cache, cookie, decompression or DNS parts is used: each would act where the crawl cannot see it.
// Its timers are off, for two clocks on one limit are one too many: `Deadlines` holds all limits, the total and the throughput included.
// HTTP/2 is spoken where the user says `http2: 'auto'` of a host, over node:http2, and never by undici: see http2/http2-sessions.ts.
import { isIP } from 'node:net'
import { AvocetError } from '@avocet/core'
import { checkOptions, option, type OptionRules, originOf, type ProxyServer } from '@avocet/core/plugin'
import { type Clock, DEFAULTS, type Fetcher, type Outbound, type SizeLimits, type Dialled } from '@avocet/core/store'
import { createRequire } from 'node:module'
import { createSecureContext, rootCertificates, type SecureContextOptions } from 'node:tls'
import zlib from 'node:zlib'
import type * as Undici from 'undici'
import { basicCredentials } from './proxies/http-connect.ts'
import { ByteBudget } from './byte-budget.ts'
import { Connections, type ConnectionOptions, type RawConnectors } from './connections.ts'
import type { DispatchOptions } from './dispatch.ts'
import { guardedLookup, type RawConnector, connectGuarded, type Connected } from './connector.ts'
import { ACCEPT_ENCODING } from './content-decoding.ts'
import type { Resolve } from './lookup.ts'
import { cachedResolve, nameResolver, type NameResolver } from './names/name-resolver.ts'
import { forwards, connectThrough } from './proxies/proxy-connector.ts'
import { ReadTurns } from './read-turns.ts'
import { Watchdog } from './watchdog.ts'
import type { Wire } from './wire.ts'
import { MAX_HEADER_BYTES } from './wire-tap.ts'
import { WireExchange } from './wire-exchange.ts'

/** Options of the fetcher. */
export interface UndiciFetcherOptions {
  readonly clock: Clock
  readonly limits?: Partial<SizeLimits>
  /** Of all bodies together; see `bodyBudgetBytes` of a crawl. Default 268,435,456. */
  readonly bodyBudgetBytes?: number
  /** How long an idle connection is kept when the server does not say. Default 15,000. */
  readonly keepAliveMs?: number
  /** Idle connections kept over all hosts. Default 1,000. */
  readonly maxIdleConnections?: number
  /** Over which the least throughput is averaged. Default 30,000. */
  readonly throughputWindowMs?: number
  /** Certificates to trust beside the system's, as PEM. */
  readonly ca?: string
  /** Who finds the addresses of names: `dns` asks the system's name servers, `system` has the system ask (getaddrinfo). Default `dns`. */
  readonly resolver?: 'dns' | 'system'
  /** Name servers to ask instead of the system's: `192.0.2.53` or `192.0.2.53:5353`. */
  readonly nameServers?: readonly string[]
  /** Asks for the addresses of a name, in place of both. Answers are cached either way. */
  readonly resolve?: Resolve
}

const RULES: OptionRules<UndiciFetcherOptions> = {
  clock: option.needed(option.anyObject),
  limits: option.tableOf(
    Object.fromEntries(Object.keys(DEFAULTS.sizeLimits).map((name) => [name, option.orInfinity(option.atLeast(0))])),
  ),
  bodyBudgetBytes: option.wholeNumber(1),
  keepAliveMs: option.atLeast(0),
  maxIdleConnections: option.wholeNumber(0),
  throughputWindowMs: option.positive,
  ca: option.nonEmptyText,
  resolver: option.oneOf('dns', 'system'),
  nameServers: option.listOf(option.nonEmptyText),
  resolve: option.callback,
}

/** Longest time in ms that an idle connection is kept, even if the server allows more. */
const MAX_KEEP_ALIVE_MS = 60_000
const HTTP_URL = /^https?:\/\/[^/]/
/** Node-API version of Node.js 22.14 and later. */
const LEAST_NAPI = 10

/**
 * A fetcher over real sockets.
 *
 * Adds `accept-encoding` when the request has none. Errors: AVO_NODE_TOO_OLD, AVO_CONFIG_INVALID; after that trouble is data.
 *
 * @example
 * ```ts
 * const fetcher = undiciFetcher({ clock: systemClock() })
 * ```
 */
export function undiciFetcher(options: UndiciFetcherOptions): Fetcher & { readonly bodyBudget: ByteBudget } {
  checkOptions('undiciFetcher', options, RULES)
  const { clock, bodyBudgetBytes = DEFAULTS.bodyBudgetBytes, throughputWindowMs: windowMs = 30_000 } = options
  const bodyBudget = new ByteBudget(bodyBudgetBytes)
  const given = Object.entries(options.limits ?? {}).filter(([, limit]) => limit !== undefined)
  const limits: SizeLimits = { ...DEFAULTS.sizeLimits, ...Object.fromEntries(given) }
  const names = namesOf(options)
  const { connections, raw } = connectionsOf(options, names.resolve)
  const watchdog = new Watchdog(clock)
  const wire: Wire = { clock, limits, windowMs, connections, watchdog, bodyBudget, readTurns: new ReadTurns(clock) }
  let closed = false

  return {
    fetch(outbound, receiver) {
      const exchange = new WireExchange(wire, outbound, receiver)
      if (closed) exchange.fail('AVO_ABORTED', 'the fetcher is closed')
      else start(exchange, outbound)
      return () => exchange.abort()
    },
    dial: dialOver(raw),
    addressOf(hostname) {
      if (isIP(hostname) > 0) return hostname
      let found: string | undefined
      names.resolve(hostname, (resolution) => (found = resolution.error ? '' : (resolution.addresses[0]?.address ?? '')))
      return found
    },
    bodyBudget,
    connections: () => connections.counts,
    async close() {
      closed = true
      const closing = connections.close()
      watchdog.close()
      names.close()
      await closing
    },
  }
}

function start(exchange: WireExchange, { url, method, headers, body, proxy }: Outbound): void {
  if (!HTTP_URL.test(url)) return exchange.fail('AVO_REQUEST_INVALID', `expected an absolute http(s) URL, got ${url}`)
  const origin = originOf(url)
  const complete = headers['accept-encoding'] === undefined ? { ...headers, 'accept-encoding': ACCEPT_ENCODING } : headers
  const reset = method === 'HEAD' ? { reset: false } : {}
  const direct = { path: url.slice(origin.length) || '/', method, headers: complete, body: body ?? null, ...reset }
  const isForwarded = proxy !== undefined && forwards(proxy, url)
  exchange.begin(origin, isForwarded ? forwarded(direct, origin, proxy) : direct)
}

/** The same request as an HTTP proxy takes it (RFC 9112 §3.2.2): the Host field stays that of the origin. */
function forwarded(options: DispatchOptions, origin: string, proxy: ProxyServer): DispatchOptions {
  const credentials = basicCredentials(proxy)
  const field = credentials === undefined ? {} : { 'proxy-authorization': credentials }
  return { ...options, path: origin + options.path, headers: { ...options.headers, ...field } }
}

function namesOf({ clock, resolve, resolver, nameServers }: UndiciFetcherOptions): NameResolver {
  if (resolve === undefined)
    return nameResolver({ clock, ...(resolver !== undefined && { resolver }), ...(nameServers !== undefined && { nameServers }) })
  if (resolver === undefined && nameServers === undefined) return { resolve: cachedResolve(clock, resolve), close() {} }
  throw new AvocetError('AVO_CONFIG_INVALID', 'expected resolve, or resolver and nameServers, got both; leave one out')
}

function connectionsOf(
  options: UndiciFetcherOptions,
  resolve: Resolve,
): { readonly connections: Connections; readonly raw: RawConnectors } {
  const { Client, buildConnector } = loadUndici()
  const { clock, keepAliveMs = 15_000, maxIdleConnections: maxIdle = 1_000, ca } = options
  const trust = ca === undefined ? {} : { ca: [...rootCertificates, ca] }
  const shared = ca === undefined ? {} : sharedTrust(trust)
  // undici's connector does return the socket, though its types do not say so.
  const rawConnector: MakeConnector = ({ privateAllowed, http2 }, certificate) =>
    buildConnector({
      ...(certificate === undefined ? shared : { ...trust, ...certificate }),
      allowH2: http2,
      preferH2: http2,
      timeout: 0,
      lookup: guardedLookup(resolve, privateAllowed),
    }) as unknown as RawConnector

  const clientOptions = {
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
  }
  const [http1For, http2For] = [connectorsBy(rawConnector, false), connectorsBy(rawConnector, true)]
  const rawFor: ConnectionOptions['rawFor'] = (certificate, http2 = false) => (http2 ? http2For : http1For)(certificate)
  const connections = new Connections({
    clock,
    maxIdle,
    keepAliveMs,
    rawFor,
    makeClient: (origin, connect) => new Client(origin, { ...clientOptions, connect }),
  })
  return { connections, raw: rawFor() }
}

/** One context for all connections: each of its own would read all certificates again, 13 ms and 0.8 MB. */
function sharedTrust(trust: SecureContextOptions): object {
  try {
    return { secureContext: createSecureContext(trust) }
  } catch {
    // What cannot be read fails where it is used.
    return trust
  }
}

type MakeConnector = (
  how: { readonly privateAllowed: boolean; readonly http2: boolean },
  certificate?: Outbound['certificate'],
) => RawConnector

/** Each certificate has connectors of its own, whose TLS sessions serve no other. */
function connectorsBy(make: MakeConnector, http2: boolean): (certificate?: Outbound['certificate']) => RawConnectors {
  const made = (certificate?: Outbound['certificate']): RawConnectors => ({
    publicOnly: make({ privateAllowed: false, http2 }, certificate),
    any: make({ privateAllowed: true, http2 }, certificate),
  })
  const plain = made()
  const byCertificate = new WeakMap<NonNullable<Outbound['certificate']>, RawConnectors>()
  return (certificate) => {
    if (certificate === undefined) return plain
    const connectors = byCertificate.get(certificate) ?? made(certificate)
    byCertificate.set(certificate, connectors)
    return connectors
  }
}

/** Loads undici when the first fetcher is made, and not in processes that only read a store. */
function loadUndici(): Pick<typeof Undici, 'Client' | 'buildConnector'> {
  // Without these undici 8 fails while it is loaded, with an error that tells nobody anything.
  if (Number(process.versions['napi']) < LEAST_NAPI || !('createZstdDecompress' in zlib)) {
    throw new AvocetError(
      'AVO_NODE_TOO_OLD',
      `Avocet fetches with Node.js 22.19 or later, this is ${process.versions.node}; install a newer one from https://nodejs.org`,
    )
  }
  // The two parts that are used, by their files: undici's index loads fetch, WebSocket, caches and mocks as well, 14 MB and 70 ms.
  const load = createRequire(import.meta.url)
  return {
    Client: load('undici/lib/dispatcher/client.js') as typeof Undici.Client,
    buildConnector: load('undici/lib/core/connect.js') as typeof Undici.buildConnector,
  }
}

/** Rejects like `connectGuarded` and `connectThrough`, and when `signal` aborts. */
function dialOver(raw: RawConnectors): NonNullable<Fetcher['dial']> {
  return (target) => {
    const { hostname, port, isPlain, privateAllowed, proxy, signal } = target
    const { promise, resolve, reject } = Promise.withResolvers<Dialled>()
    const isForwarded = proxy !== undefined && isPlain && forwards(proxy, 'http:')
    // What is not http goes into a tunnel, whatever it is.
    const protocol = proxy === undefined || isPlain ? 'http:' : 'https:'
    const destination = { hostname, host: hostname, protocol, port: String(port) }
    const give = (): void => {
      attempt.socket?.destroy()
      reject(signal.reason as Error)
    }
    const connected: Connected = (error, socket) => {
      signal.removeEventListener('abort', give)
      if (error !== null) return reject(error)
      if (signal.aborted) return void socket.destroy()
      resolve({ socket, ...(isForwarded && { proxyFields: fieldsFor(basicCredentials(proxy)) }) })
    }
    const attempt =
      proxy === undefined
        ? connectGuarded(privateAllowed ? raw.any : raw.publicOnly, { destination, privateAllowed }, connected)
        : connectThrough(raw.any, { destination, privateAllowed, proxy, inside: asItIs }, connected)
    signal.addEventListener('abort', give, { once: true })
    if (signal.aborted) give()
    return promise
  }
}

function fieldsFor(credentials: string | undefined): Readonly<Record<string, string>> {
  return credentials === undefined ? {} : { 'proxy-authorization': credentials }
}

/** In the tunnel nothing is spoken yet. */
const asItIs: RawConnector = ({ httpSocket }, connected) => {
  if (httpSocket === undefined) throw new TypeError('expected a tunnel, got none')
  queueMicrotask(() => connected(null, httpSocket))
  return httpSocket
}
