// The rough web: the hosts of a site model as real HTTP servers on loopback addresses, with real resets, hangs and silent ports.
//
// Every host has an address of its own in 127.42.0.0/16 and all share one port, so that a crawler sees different hosts. What dies by HTTP
// (hang, reset, drip, truncate, endless) dies on the socket of the request; `refuse` is an address at which nobody listens; `blackhole` one
// whose accept queue is full (part-time black holes hang instead); `dns-not-found` is a name under `.invalid` (RFC 6761 §6.4), and so
// is `dns-failed`. `no-route` and `tls-certificate` are resets: there are neither routers nor TLS here.
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { systemClock, type Clock } from '@avocet/core/store'
import type { DeathStyle, Felt, HostSpec, SiteModel } from '@avocet/simulator'
import { openBlackholes, openListeners, type ListenAddress } from './listeners.ts'
import { RoughHost, type RequestLog } from './rough-host.ts'

/** Deaths of hosts whose name nobody knows. */
const NAMELESS: ReadonlySet<DeathStyle> = new Set<DeathStyle>(['dns-not-found', 'dns-failed'])

/** Options of `startRoughWeb`. */
export interface RoughWebOptions {
  readonly clock?: Clock
  /** Port of all hosts. Default: a free port. */
  readonly port?: number
  /** Called for each request when it ends. */
  readonly log?: RequestLog
}

/** Running servers. */
export interface RoughWeb {
  /** The model with the origins at which it is served: crawl its URLs. */
  readonly model: SiteModel
  readonly port: number
  /** Origin of a host of the model, such as `http://127.42.0.7:40123`. */
  urlOf(host: string): string
  /** The log of a host so far. Throws RangeError when the model has no such host. */
  felt(host: string): Felt
  close(): Promise<void>
}

/**
 * Serves `model` on loopback addresses. Throws AVO_CONFIG_INVALID where the machine lacks the addresses.
 *
 * @example
 * ```ts
 * const web = await startRoughWeb(shops(3))
 * await crawl({ spider: priceWatch(web.model.seeds()), policies: polite() }).run()
 * await web.close()
 * ```
 */
export async function startRoughWeb(model: SiteModel, options: RoughWebOptions = {}): Promise<RoughWeb> {
  const { clock = systemClock(), log = () => {} } = options
  const startedAt = clock.now()
  const addresses = new Map(model.hosts.map(({ name }, n) => [name, loopbackAddress(n)]))
  const addressOf = (host: string): string => known(addresses, host)
  const hosts = new Map<string, RoughHost>()
  const byAddress = new Map<string, RoughHost>()
  const sockets = new Set<Socket>()
  const server = createServer({ keepAlive: true, keepAliveTimeout: 15_000 }, (request, response) => {
    byAddress.get(request.socket.localAddress ?? '')?.meet(request, response)
  })
  const listeners = await openListeners(
    [
      { address: KEEPER_ADDRESS, listens: 'always' },
      ...model.hosts.map((spec) =>
        placeOf(spec, addressOf(spec.name), (now) => hosts.get(spec.name)?.life.deathAt(now) !== 'refuse'),
      ),
    ],
    { port: options.port ?? 0, clock, onConnection },
  )
  const { port } = listeners
  const holes = await openBlackholes(deadOf(model, (death) => death === 'blackhole').map(addressOf), port)
  const nameless = new Set(deadOf(model, (death) => NAMELESS.has(death)))
  const baseOf = (host: string): string => `http://${nameless.has(host) ? `${host}.invalid` : addressOf(host)}:${String(port)}`
  const served = model.withBase(baseOf)
  for (const spec of model.hosts) {
    const host = new RoughHost(spec, served, { clock, startedAt, log })
    hosts.set(spec.name, host)
    byAddress.set(addressOf(spec.name), host)
  }

  function onConnection(socket: Socket): void {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    server.emit('connection', socket)
  }

  return {
    model: served,
    port,
    urlOf: baseOf,
    felt: (host) => known(hosts, host).felt,
    async close() {
      for (const socket of sockets) socket.destroy()
      await Promise.all([listeners.close(), holes.close()])
    },
  }
}

function deadOf({ hosts }: SiteModel, isSo: (death: NonNullable<HostSpec['death']>) => boolean): readonly string[] {
  return hosts.filter(({ death }) => death !== undefined && isSo(death)).map(({ name }) => name)
}

function placeOf(spec: HostSpec, address: string, listens: (now: number) => boolean): ListenAddress {
  if (spec.death !== undefined) {
    const silent = spec.death === 'refuse' || spec.death === 'blackhole' || NAMELESS.has(spec.death)
    return { address, listens: silent ? 'never' : 'always' }
  }
  const refusesAtTimes = spec.flapping?.style === 'refuse' || spec.outages?.some(({ style }) => style === 'refuse')
  return { address, listens: refusesAtTimes === true ? listens : 'always' }
}

function known<T>(map: ReadonlyMap<string, T>, host: string): T {
  const value = map.get(host)
  if (value === undefined) throw new RangeError(`expected a host of the model, got '${host}'`)
  return value
}

// Which loopback address each host of a rough web has: 127.42.0.1 and on, 254 in a row. On Linux all of 127/8 is this machine.

const PER_ROW = 254

/** Address of the `n`-th host. Throws RangeError above the 64,770th. */
export function loopbackAddress(n: number): string {
  const row = Math.floor(n / PER_ROW)
  if (row > 254)
    throw new RangeError(`expected at most ${String(255 * PER_ROW)} hosts on a rough web, got host number ${String(n)}`)
  return `127.42.${String(row)}.${String((n % PER_ROW) + 1)}`
}

/** An address of no host: it keeps the port of a web whose hosts are all silent. */
export const KEEPER_ADDRESS = '127.42.255.1'
