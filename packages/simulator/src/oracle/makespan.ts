// How soon a whole model could be fetched by a client that knows everything: the yardstick of a finite crawl, which no choice of easy sites games.
//
// Lower bound T* = max( the slowest host alone, the sum of all latencies over the slots, all bytes over the bandwidth ). Dead hosts cost such a
// client nothing. Graham 1969: any client that leaves no slot idle beside work ends before the sum of the terms.
import type { SiteModel } from '../site-model/site-model.ts'
import { latenciesOf, leastMs, type Restraint } from './host-bound.ts'

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
