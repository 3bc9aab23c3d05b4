// The simulated web: a fetcher over a site model that needs no network, only a clock. On virtual time a day of it takes seconds.
//
// It has the phases, limits and error codes of the real fetcher, and keeps what each target felt. What it leaves out: DNS and TLS time,
// the sizes of headers, content codings and connection limits of the client.
import { DEFAULTS, failure } from '@avocet/core/store'
import type { Clock, Fetcher, FetchReceiver, Outbound, SizeLimits } from '@avocet/core/store'
import { MAX_LOG_IN_ALL, type Felt } from '../felt.ts'
import { SimulatedExchange, type SimulatedGround } from './simulated-exchange.ts'
import { SimulatedHost } from './simulated-host.ts'
import { capacityGate, type CapacityGate } from '../site-model/capacity.ts'
import type { ClientOutage, HostSpec } from '../site-model/host-spec.ts'
import type { SiteModel } from '../site-model/site-model.ts'

/** Options of `simulatedWeb`. */
export interface SimulatedWebOptions {
  readonly clock: Clock
  readonly sizeLimits?: Partial<SizeLimits>
}

/** A fetcher that keeps a log for each host of its model. */
export interface SimulatedWeb extends Fetcher {
  /** The log of `host` (its name in the model) so far. Throws RangeError when the model has no such host. */
  felt(host: string): Felt
  connections(): { readonly open: number; readonly busy: number }
}

/**
 * Serves `model` without a network. Times in descriptions count from this call.
 *
 * @example
 * ```ts
 * const clock = new VirtualClock()
 * const web = simulatedWeb(twelveHosts(), { clock })
 * await clock.run(() => crawl({ spider, policies: polite(), clock, fetcher: web }).run())
 * web.felt('healthy-00.test').maxInFlight // 1
 * ```
 */
export function simulatedWeb(model: SiteModel, { clock, sizeLimits }: SimulatedWebOptions): SimulatedWeb {
  const startedAt = clock.now()
  const room = { left: MAX_LOG_IN_ALL }
  const gates = new Map(Object.entries(model.spec.sharedCapacities ?? {}).map(([name, law]) => [name, capacityGate(law)]))
  const gateOf = ({ sharedCapacity = '' }: HostSpec): CapacityGate | undefined => gates.get(sharedCapacity)
  const hosts = new Map(
    model.hosts.map((spec) => [spec.name, new SimulatedHost(spec, model, { startedAt, room, gate: gateOf(spec) })]),
  )
  const byAuthority = new Map([...hosts.values()].map((host) => [authorityOf(model.baseOf(host.name)), host]))
  const busy = new Set<SimulatedExchange>()
  const outageAt = (now: number): ClientOutage | undefined =>
    model.clientOutages.find(({ fromMs, untilMs }) => now - startedAt >= fromMs && now - startedAt < untilMs)
  const ground: SimulatedGround = {
    clock,
    sizeLimits: { ...DEFAULTS.sizeLimits, ...sizeLimits },
    outageAt: model.clientOutages.length === 0 ? () => undefined : outageAt,
    restOf: ({ untilMs }, now) => startedAt + untilMs - now,
    over: (exchange) => busy.delete(exchange),
  }
  return {
    fetch(outbound, receiver) {
      const host = byAuthority.get(authorityOf(outbound.url))
      if (host === undefined) return nobody(clock, outbound, receiver)
      const exchange = new SimulatedExchange(ground, host, { outbound, receiver, path: pathOf(outbound.url) })
      busy.add(exchange)
      return () => exchange.abort()
    },
    felt(name) {
      const host = hosts.get(name)
      if (host === undefined) throw new RangeError(`expected a host of the model, got '${name}'`)
      return host.felt
    },
    addressOf: (name) => hosts.get(name)?.spec.address ?? '',
    connections() {
      let idle = 0
      for (const host of hosts.values()) idle += host.idleSockets
      return { open: idle + busy.size, busy: busy.size }
    },
    close() {
      for (const exchange of busy) exchange.abort()
      return Promise.resolve()
    },
  }
}

function nobody(clock: Clock, { url }: Outbound, receiver: FetchReceiver): () => void {
  const message = `there is no host ${authorityOf(url)} on the simulated web`
  const wake = clock.at(clock.now(), () => receiver.failed(failure('AVO_DNS_NOT_FOUND', message, { phase: 'dns' })))
  return () => wake[Symbol.dispose]()
}

// Cut by hand: `new URL` would be a third of what an exchange costs here, and the crawl hands over canonical URLs.
function authorityOf(url: string): string {
  const from = url.indexOf('//') + 2
  const to = url.indexOf('/', from)
  return to < 0 ? url.slice(from) : url.slice(from, to)
}

function pathOf(url: string): string {
  const from = url.indexOf('/', url.indexOf('//') + 2)
  return from < 0 ? '/' : url.slice(from)
}
