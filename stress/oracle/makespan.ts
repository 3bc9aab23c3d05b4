// How soon a whole model could be fetched by a client that knows everything: the yardstick of a finite crawl, which no choice of easy sites games.
//
// Lower bound T* = max( the slowest host alone, the sum of all latencies over the slots, all bytes over the bandwidth ). Dead hosts cost such a
// client nothing. Graham 1969: any client that leaves no slot idle beside work ends before the sum of the terms.
import { seeded, type CapacityLaw, type HostSpec, type SiteModel } from '@avocet/simulator'
import { DEFAULT_LATENCY, latencyMs } from '../../packages/simulator/src/site-model/host-life.ts'
import { changeAt, rateFactor } from '../../packages/simulator/src/site-model/rate-factor.ts'

/** The machine of the client, and how it holds itself back. */
export interface ClientMachine extends Restraint {
  /** Exchanges in flight, at most, over all hosts. */
  readonly slots: number
  /** Bandwidth. Default: bodies take no time. */
  readonly bytesPerSecond?: number
  /** Requests to a host. Default: one for each of its pages. */
  readonly requestsTo?: (host: string) => number
}

/** A bound, and what it is made of. Ms. */
export interface MakespanBound {
  readonly ms: number
  /** The host that takes longest alone. */
  readonly byHost: { readonly host: string; readonly ms: number }
  readonly bySlotsMs: number
  readonly byBytesMs: number
  /** Requests to live hosts. */
  readonly requests: number
}

/**
 * Lower bound on the time in which a client on `machine` can fetch all pages of the live hosts of `model` without being refused once.
 *
 * Latencies follow from the seed: the n-th request to a host has the n-th latency, whichever client sends it.
 *
 * @example
 * ```ts
 * const hosts = [{ name: 'a.test', pages: { kind: 'list', pages: 100 }, latency: { law: 'fixed', ms: 200 } }] as const
 * makespanBound(siteModel({ seed: 'a', hosts }), { slots: 10 }).ms // 2000
 * ```
 */
export function makespanBound(model: SiteModel, machine: ClientMachine): MakespanBound {
  const { slots, bytesPerSecond = Infinity, requestsTo = (host) => model.urls(host).length, ...restraint } = machine
  let requests = 0
  let busyMs = 0
  let byHost = { host: '', ms: 0 }
  for (const host of model.hosts) {
    if (host.death !== undefined) continue
    const wanted = requestsTo(host.name)
    requests += wanted
    busyMs += latenciesOf(host, model.seed, wanted).reduce((sum, one) => sum + one, 0)
    const aloneMs = leastMs(host, wanted, { ...restraint, seed: model.seed })
    if (aloneMs > byHost.ms) byHost = { host: host.name, ms: aloneMs }
  }
  const bySlotsMs = busyMs / slots
  const byBytesMs = bytesPerSecond === Infinity ? 0 : (bytesOf(model) / bytesPerSecond) * 1_000
  return { ms: Math.max(byHost.ms, bySlotsMs, byBytesMs), byHost, bySlotsMs, byBytesMs, requests }
}

function bytesOf(model: SiteModel): number {
  let bytes = 0
  for (const { name, death } of model.hosts) {
    if (death !== undefined) continue
    const base = model.baseOf(name).length
    for (const url of model.urls(name)) bytes += model.page(name, url.slice(base))?.body.byteLength ?? 0
  }
  return bytes
}

// Bounds for a client that knows everything about one host: the most requests in a given time, and the least time for a number of requests.
//
// Both are bounds: nobody can do better, and a client that knows the law comes near. A law counts from the start of the web, when every bucket
// is full and every window empty. Outages and flapping are not counted, so a bound for such a host is only a looser one.

/** Limits that the client sets itself at each host. */
export interface Restraint {
  /** Ms from start to start, at least. Default 0. */
  readonly delayMs?: number
  /** Exchanges in flight at one host, at most. Default: no limit. */
  readonly maxInFlightPerHost?: number
}

/** Latencies that a mean is taken of. */
const SAMPLE = 1_000

/**
 * Most requests that `host` serves between `fromMs` and `untilMs` (since the web was started), and none of them refused.
 *
 * Token bucket: burst and what flows in; windows: their quotas; workers: what they get done; a ban is a quota too. Latencies by their mean.
 */
export function mostAccepted(
  host: HostSpec,
  span: { fromMs: number; untilMs: number; seed: string },
  restraint: Restraint = {},
): number {
  const { fromMs, untilMs, seed } = span
  const durationMs = untilMs - fromMs
  if (host.death !== undefined || durationMs <= 0) return 0
  const { delayMs = 0, maxInFlightPerHost = Infinity } = restraint
  const meanMs = meanLatencyMs(host, seed)
  return Math.min(
    acceptedBy(host.capacity, span, meanMs),
    host.ban === undefined ? Infinity : slidingQuota(host.ban.requests, host.ban.windowSeconds, durationMs),
    delayMs === 0 ? Infinity : Math.floor(durationMs / delayMs) + 1,
    (maxInFlightPerHost * durationMs) / meanMs,
  )
}

function acceptedBy(
  law: CapacityLaw | undefined,
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  meanMs: number,
): number {
  if (law === undefined) return Infinity
  if (law.law === 'window') {
    const windowMs = law.seconds * 1_000
    return law.requests * (Math.ceil(untilMs / windowMs) - Math.floor(fromMs / windowMs))
  }
  if (law.law === 'sliding') return slidingQuota(law.requests, law.seconds, untilMs - fromMs)
  const factor = rateFactor(law)
  const worthMs = factor.integral(untilMs) - factor.integral(fromMs)
  return law.law === 'servers' ? (law.servers * worthMs) / meanMs : law.burst + (law.perSecond * worthMs) / 1_000
}

function slidingQuota(requests: number, seconds: number, durationMs: number): number {
  return requests * Math.ceil(durationMs / (seconds * 1_000))
}

/** Least time, ms, in which `host` answers its first `requests` requests, counted from the start of the web. Infinity for a dead one. */
export function leastMs(host: HostSpec, requests: number, { seed, ...restraint }: Restraint & { seed: string }): number {
  if (host.death !== undefined) return Infinity
  if (requests === 0) return 0
  const { delayMs = 0, maxInFlightPerHost = Infinity } = restraint
  const latencies = latenciesOf(host, seed, requests)
  const sumMs = latencies.reduce((sum, one) => sum + one, 0)
  const shortestMs = Math.min(...latencies)
  // The last one begins no earlier than this, and takes no less than the shortest.
  const lastBeginsMs = Math.max(
    beginsAfter(host.capacity, requests),
    host.ban === undefined ? 0 : Math.floor((requests - 1) / host.ban.requests) * host.ban.windowSeconds * 1_000,
    (requests - 1) * delayMs,
  )
  const workersMs = host.capacity?.law === 'servers' ? rateFactor(host.capacity).until(0, sumMs / host.capacity.servers) : 0
  return Math.max(lastBeginsMs + shortestMs, sumMs / maxInFlightPerHost, Math.max(...latencies), workersMs)
}

function beginsAfter(law: CapacityLaw | undefined, requests: number): number {
  if (law === undefined || law.law === 'servers') return 0
  if (law.law === 'window' || law.law === 'sliding') return Math.floor((requests - 1) / law.requests) * law.seconds * 1_000
  return requests <= law.burst ? 0 : rateFactor(law).until(0, ((requests - law.burst) / law.perSecond) * 1_000)
}

/** Latencies of the first `requests` requests, ms, as the seed has them. Changes that come later are left out of account. */
export function latenciesOf(host: HostSpec, seed: string, requests: number): number[] {
  const chance = seeded(seed, host.name, 'latency')
  // A later change may make it quicker; then the quickest is what counts, or this were no bound.
  const factors = [1, ...(host.latencyChanges ?? []).map(({ factor }) => factor)]
  const factor = host.latencyChanges === undefined ? 1 : Math.min(...factors, changeAt(host.latencyChanges, 0))
  return Array.from({ length: requests }, (_, n) => latencyMs(host.latency ?? DEFAULT_LATENCY, chance, n) * factor)
}

function meanLatencyMs(host: HostSpec, seed: string): number {
  return latenciesOf(host, seed, SAMPLE).reduce((sum, one) => sum + one, 0) / SAMPLE
}
