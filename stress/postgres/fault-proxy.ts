// A TCP proxy that injects faults between clients and a PostgreSQL server: latency, resets, lost replies, halves, stalls, and a network that is down or silent.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { systemClock } from '@avocet/core/store'
import { FaultyLink, type FaultyLinkParts } from './faulty-link.ts'
import { FaultDraw, type FaultCounts, type FaultRates, type LinkFault } from './link-faults.ts'

/** Connections at once; more are reset. */
const MOST_CONNECTIONS = 200

/** How the network is: as it should be; `down`: connections are reset, new ones too; `silent`: nothing comes through, and nobody is told. */
export type NetworkState = 'up' | 'down' | 'silent'

/** How the proxy is started. */
export interface FaultProxyOptions {
  /** For which requests meet a fault. */
  readonly seed?: string
  /** Fixed latency of a round trip, in ms: half of it each way. Whole ms are kept best. Default 0. */
  readonly roundTripMs?: number
  /** At the start; see `FaultProxy.rates`. Default: none. */
  readonly rates?: FaultRates
  /** How long a stall lasts, in ms. Default 1,000. */
  readonly stallMs?: number
  /** Faults in all by chance; after them everything is passed on. Default 1,000. */
  readonly atMost?: number
}

/** A proxy. */
export interface FaultProxy {
  /** The server's URL, by way of the proxy. */
  readonly url: string
  /** How often a request meets each fault, from now on. */
  rates: FaultRates
  network: NetworkState
  readonly counts: FaultCounts
  /** Stalls that are over, and whose requests were passed on. One whose connection is cut meanwhile is none. */
  readonly deliveredStalls: number
  /** Connections that are open. */
  readonly connections: number
  /** The next request meets the fault. `containing`: the next one whose bytes contain this text, such as `.commit(`. */
  inject(fault: LinkFault, containing?: string): void
  /** Resets all connections, once. */
  cut(): void
  close(): Promise<void>
}

/**
 * Starts a proxy on a free port of 127.0.0.1 before the PostgreSQL server at `url`. TLS passes through, but then nothing of a request can be recognised.
 *
 * A request is what a client sends before the server answers; each is drawn one fault at most, by a seed and the number of the request.
 *
 * @example
 * ```ts
 * import { startFaultProxy, startPostgres } from '@avocet/stress/postgres'
 *
 * const server = await startPostgres()
 * const proxy = await startFaultProxy(server.url, { roundTripMs: 5, rates: { 'lost-reply': 0.01 } })
 * // … connect to proxy.url …
 * proxy.network = 'silent'
 * await proxy.close()
 * await server.stop()
 * ```
 */
export async function startFaultProxy(url: string, options: FaultProxyOptions = {}): Promise<FaultProxy> {
  const { seed = 'faults', rates = {}, atMost = 1_000 } = options
  const draw = new FaultDraw(seed, atMost)
  draw.rates = rates
  const links = new Set<FaultyLink>()
  let deliveredStalls = 0
  const parts = partsOf(url, options, { draw, delivered: () => deliveredStalls++, closed: (link) => links.delete(link) })
  let network: NetworkState = 'up'
  const serve = (client: Socket): void => {
    client.on('error', () => undefined)
    if (network === 'down' || links.size >= MOST_CONNECTIONS) return void client.resetAndDestroy()
    const link = new FaultyLink(client, parts)
    links.add(link)
    if (network === 'silent') link.silence(true)
  }
  const cut = (): void => {
    for (const link of links) link.cut()
  }
  const proxy = createServer({ noDelay: true, allowHalfOpen: true }, serve)
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${String((proxy.address() as AddressInfo).port)}`
  return {
    url: through.href,
    counts: draw.counts,
    get deliveredStalls() {
      return deliveredStalls
    },
    get connections() {
      return links.size
    },
    get rates() {
      return draw.rates
    },
    set rates(next) {
      draw.rates = next
    },
    get network() {
      return network
    },
    set network(next) {
      network = next
      if (next === 'down') cut()
      else for (const link of links) link.silence(next === 'silent')
    },
    inject: (fault, containing = '') => draw.next(fault, containing),
    cut,
    async close() {
      const closed = once(proxy.close(), 'close')
      cut()
      await closed
    },
  }
}

/** What all connections share. Timers count whole ms, so an odd round trip is split into whole ones. */
function partsOf(
  url: string,
  { roundTripMs = 0, stallMs = 1_000 }: FaultProxyOptions,
  rest: Pick<FaultyLinkParts, 'draw' | 'delivered' | 'closed'>,
): FaultyLinkParts {
  const { hostname, port } = new URL(url)
  const requestMs = Math.floor(roundTripMs / 2)
  return {
    ...rest,
    server: { host: hostname, port: Number(port === '' ? '5432' : port) },
    clock: systemClock(),
    delaysMs: { request: requestMs, reply: roundTripMs - requestMs },
    stallMs,
  }
}
