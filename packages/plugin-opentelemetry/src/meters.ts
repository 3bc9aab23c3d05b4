// The metrics of a crawl: those of HTTP clients as the semantic conventions have them, and a few of its own. Bounded: hosts beyond a number share a name.
import type { Response } from '@avocet/core'
import type { Exchange, Failure, HostView, Settled } from '@avocet/core/plugin'
import { ValueType, type Attributes, type Counter, type Histogram, type Meter, type UpDownCounter } from '@opentelemetry/api'
import { failureAttributes, methodOf, serverAttributes, statusAttributes, type ServerAttributes } from './attributes.ts'

/** Seconds; source: the conventions, `http.client.request.duration`. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const SECOND_MS = 1_000

/** An exchange that has ended. */
interface Ended {
  readonly exchange: Exchange
  /** Epoch ms. */
  readonly now: number
}

/** Its instruments. */
export class Meters {
  readonly #maxHosts: number
  /** By host key. */
  readonly #servers = new Map<string, ServerAttributes>()
  readonly #duration: Histogram
  readonly #bodySize: Histogram
  readonly #active: UpDownCounter
  readonly #settled: Counter
  readonly #items: Counter

  constructor(meter: Meter, maxHosts: number) {
    this.#maxHosts = maxHosts
    this.#duration = meter.createHistogram('http.client.request.duration', {
      description: 'Duration of HTTP client requests.',
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    })
    this.#bodySize = meter.createHistogram('http.client.response.body.size', {
      description: 'Size of HTTP client response bodies.',
      unit: 'By',
      valueType: ValueType.INT,
    })
    this.#active = meter.createUpDownCounter('http.client.active_requests', {
      description: 'Number of active HTTP requests.',
      unit: '{request}',
      valueType: ValueType.INT,
    })
    this.#settled = meter.createCounter('avocet.requests.settled', {
      description: 'Requests that were committed, by outcome.',
      unit: '{request}',
      valueType: ValueType.INT,
    })
    this.#items = meter.createCounter('avocet.items', {
      description: 'Items that were committed.',
      unit: '{item}',
      valueType: ValueType.INT,
    })
  }

  begun(exchange: Exchange): void {
    this.#active.add(1, this.#requestOf(exchange))
  }

  /** It does not count, or ended: the slot is free. */
  over(exchange: Exchange): void {
    this.#active.add(-1, this.#requestOf(exchange))
  }

  answered({ exchange, now }: Ended, { status, wireBytes, timings }: Response): void {
    this.over(exchange)
    const attributes = { ...this.#requestOf(exchange), ...statusAttributes(status) }
    this.#duration.record(secondsOf({ exchange, now }, timings.connectMs), attributes)
    this.#bodySize.record(wireBytes, attributes)
  }

  failed({ exchange, now }: Ended, failure: Failure): void {
    this.over(exchange)
    const attributes = { ...this.#requestOf(exchange), ...failureAttributes(failure) }
    this.#duration.record(secondsOf({ exchange, now }, failure.timings?.connectMs), attributes)
  }

  settled({ outcome, items }: Settled): void {
    this.#settled.add(1, { 'avocet.outcome': outcome.kind })
    if (items > 0) this.#items.add(items)
  }

  #requestOf({ host, request }: Exchange): Attributes {
    return { 'http.request.method': methodOf(request), ...this.#serverAttributes(host, request.url) }
  }

  /** A host whose name was not told at first is never told, so that what begins and what ends have the same attributes. */
  #serverAttributes({ key }: HostView, url: string): Attributes {
    const known = this.#servers.get(key)
    if (known !== undefined) return known
    if (this.#servers.size >= this.#maxHosts) return { 'server.address': '_OTHER' }
    const server = serverAttributes(url)
    this.#servers.set(key, server)
    return server
  }
}

/** With the connection that was made for it; without the time that it waited for plugins. */
function secondsOf({ exchange: { sentAt, admittedAt }, now }: Ended, connectMs = 0): number {
  const from = sentAt === undefined ? admittedAt : Math.max(admittedAt, sentAt - connectMs)
  return Math.max(0, now - from) / SECOND_MS
}
