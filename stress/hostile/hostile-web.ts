// The hostile web: rows of the table as servers on loopback addresses of their own, with a name server, and a listener that no row may lead to.
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { systemClock, type Clock } from '@avocet/core/store'
import { KEEPER_ADDRESS, loopbackAddress, openBlackholes, openListeners, type ListenAddress } from '../rough-web/index.ts'
import type { HostOptions } from '@avocet/core'
import { whole } from './answers.ts'
import { Authority, type Certificate } from './certificates.ts'
import { HostileHost, type HostileFelt } from './hostile-host.ts'
import type { HostileRow, World } from './hostile-row.ts'
import { startNameServer, type NameAnswer } from './name-server.ts'

/** All names of a hostile web end so (RFC 6761 §6.2: `test` is nobody's). */
export const ZONE = 'hostile.test'
const CANARY_PLACES = ['127.0.0.1', '::1'] as const

/** One host of a row, for the crawl. Plain JSON. */
export interface HostilePlace {
  readonly row: string
  readonly origin: string
  readonly seeds: readonly string[]
  /** HTTP/2 is to be offered to it. */
  readonly http2?: true
}

/** What a crawl needs to know of a running web. Plain JSON. */
export interface HostilePlan {
  readonly places: readonly HostilePlace[]
  readonly nameServer: string
  readonly canaryPort: number
  /** What its good certificates are signed by, in PEM. */
  readonly ca: string
}

/** What the servers saw. Plain JSON. */
export interface HostileAccount {
  /** By name of the row: of its hosts the one that got the most requests. */
  readonly rows: Readonly<Record<string, HostileFelt>>
  /** Connections to the canary. */
  readonly canary: number
  /** Names of the rows that led there, as far as a request told. */
  readonly ledInside: readonly string[]
}

/** Running servers. */
export interface HostileWeb {
  readonly plan: HostilePlan
  account(): HostileAccount
  close(): Promise<void>
}

/** Starts `rows`. Throws AVO_CONFIG_INVALID where the machine lacks the addresses. */
export async function startHostileWeb(
  rows: readonly HostileRow[],
  { clock = systemClock() }: { clock?: Clock } = {},
): Promise<HostileWeb> {
  const startedAt = clock.now()
  const sockets = new Set<Socket>()
  const track = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket)).on('error', () => {})
  }
  const canary = await openCanary(track)
  const hosts = rows.flatMap((row) => Array.from({ length: row.hosts ?? 1 }, (_, n) => ({ row, n })))
  const placed = hosts.map((host, at): PlacedHost => ({ ...host, address: loopbackAddress(at) }))
  const met = new Map<string, HostileHost>()
  const onConnection = (socket: Socket): void => {
    track(socket)
    met.get(socket.localAddress ?? '')?.meet(socket)
  }
  const addresses: readonly ListenAddress[] = [{ address: KEEPER_ADDRESS, listens: 'always' }, ...placed.map(listenAddressOf)]
  const listeners = await openListeners(addresses, { port: 0, clock, onConnection })
  const { port } = listeners
  const holes = await openBlackholes(
    placed.filter(({ row }) => row.play === 'swallows').map(({ address }) => address),
    port,
  )
  const origins = new Map(placed.map((host) => [`${host.row.name} ${String(host.n)}`, originAt(host, port)]))
  const originOf = (row: string, n = 0): string => origins.get(`${row} ${String(n)}`) ?? `http://${row}.${ZONE}`
  const authority = new Authority(startedAt)
  const worldOf = ({ row, n }: PlacedHost): World => ({
    row: row.name,
    origin: originOf(row.name, n),
    host: n,
    port,
    canaryPort: canary.port,
    originOf,
  })
  for (const host of placed) {
    const certificate = certificateOf(host, authority)
    met.set(host.address, new HostileHost(host.row, worldOf(host), { clock, certificate }))
  }
  const names = await startNameServer(answersOf(placed, worldOf, clock))

  return {
    plan: {
      places: placed.map((host) => placeOf(host.row, worldOf(host))),
      nameServer: names.server,
      canaryPort: canary.port,
      ca: authority.ca,
    },
    account: () => ({ rows: busiest([...met.values()]), canary: canary.connections(), ledInside: canary.led() }),
    async close() {
      names.close()
      for (const socket of sockets) socket.destroy()
      await Promise.all([listeners.close(), holes.close(), canary.close()])
    },
  }
}

interface PlacedHost {
  readonly row: HostileRow
  readonly n: number
  readonly address: string
}

function listenAddressOf({ row, address }: PlacedHost): ListenAddress {
  return { address, listens: typeof row.play === 'string' ? 'never' : 'always' }
}

function placeOf({ name, seeds = ['/'], http2 }: HostileRow, world: World): HostilePlace {
  const { origin } = world
  return {
    row: name,
    origin,
    seeds: typeof seeds === 'function' ? seeds(world) : seeds.map((path) => origin + path),
    ...(http2 && { http2: true }),
  }
}

/** What the name server says of the hosts that have names, and of names below theirs. */
function answersOf(
  placed: readonly PlacedHost[],
  worldOf: (host: PlacedHost) => World,
  clock: Clock,
): (question: { readonly name: string }) => NameAnswer {
  const byName = new Map(placed.map((host) => [nameOf(host), host]))
  const askedAt = new Map<string, number>()
  return ({ name }) => {
    for (let rest = name; rest.includes('.'); rest = rest.slice(rest.indexOf('.') + 1)) {
      const host = byName.get(rest)
      if (host === undefined) continue
      const { address } = host
      const now = clock.now()
      const since = askedAt.get(rest) ?? now
      askedAt.set(rest, since)
      const sinceMs = now - since
      if (rest !== name) return host.row.below?.(name, { address }) ?? { rcode: 3 }
      return host.row.named?.({ ...worldOf(host), address, sinceMs }) ?? { rcode: 3 }
    }
    return { rcode: 3 }
  }
}

function certificateOf(host: PlacedHost, authority: Authority): Certificate | undefined {
  const { tls, named } = host.row
  return tls && authority.certificate(tls === 'plain-too' ? 'good' : tls, named ? nameOf(host) : host.address)
}

function nameOf({ row, n }: { readonly row: HostileRow; readonly n: number }): string {
  return n === 0 ? `${row.name}.${ZONE}` : `${row.name}-${String(n)}.${ZONE}`
}

function originAt(host: PlacedHost, port: number): string {
  const { tls, named } = host.row
  return `${tls === undefined ? 'http' : 'https'}://${named ? nameOf(host) : host.address}:${String(port)}`
}

/** Of each row the largest figures of one host. */
function busiest(hosts: readonly HostileHost[]): Record<string, HostileFelt> {
  const rows: Record<string, HostileFelt> = {}
  for (const { row, felt } of hosts) {
    const before = rows[row.name] ?? { connections: 0, requests: 0, forbidden: 0, leaked: 0 }
    rows[row.name] = {
      connections: Math.max(before.connections, felt.connections),
      requests: Math.max(before.requests, felt.requests),
      forbidden: before.forbidden + felt.forbidden,
      leaked: before.leaked + felt.leaked,
    }
  }
  return rows
}

/** Listens where nobody should ever connect to. */
async function openCanary(
  track: (socket: Socket) => void,
): Promise<{ readonly port: number; connections(): number; led(): readonly string[]; close(): Promise<void> }> {
  let connections = 0
  const led = new Set<string>()
  const servers: Server[] = []
  let port = 0
  for (const host of CANARY_PLACES) {
    const server = createServer((socket) => {
      connections += 1
      track(socket)
      socket.on('data', (chunk: Buffer) => {
        const [, path = ''] = chunk.toString('latin1').split(' ', 2)
        led.add(path.split('/', 2)[1] ?? '')
        socket.end(whole('canary'))
      })
    })
    server.listen({ host, port })
    // A machine without IPv6 has one place less to be led to.
    const isOpen = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (!isOpen) continue
    servers.push(server)
    port = (server.address() as { port: number }).port
  }
  return {
    port,
    connections: () => connections,
    led: () => [...led],
    async close() {
      await Promise.all(
        servers.map(
          (server) =>
            new Promise<void>((resolve) => {
              server.close(() => resolve())
            }),
        ),
      )
    },
  }
}

/**
 * What a user says of inner hosts that have names, for everything of a hostile web is at a private address: also of new names below that of a row. Not of those
 * below a row that leads inside, for which that is the point. And which hosts HTTP/2 is offered to.
 */
export function meantHosts({ places }: HostilePlan): Readonly<Record<string, HostOptions>> {
  const names = places.filter(({ origin }) => origin.includes(`.${ZONE}`))
  const meant = names.flatMap(({ row, origin }) => {
    const { host } = new URL(origin)
    const patterns = row.startsWith('inside-') ? [host] : [host, `*.${host}`]
    return patterns.map((pattern) => [pattern, { allowPrivate: true }] as const)
  })
  const offered = places.flatMap(({ origin, http2 }) => (http2 ? [[new URL(origin).host, { http2: 'auto' }] as const] : []))
  return Object.fromEntries([...meant, ...offered])
}
