// What a run did lately, as its trace tells it: the last exchanges, and how many there were in each second of the last ten minutes.
//
// Rings of fixed size, written as it happens: a few numbers an exchange. Latencies are counted in buckets, so that a quantile costs no sorting.
import type { Series, SeriesPoint } from '@avocet/dashboard'
import type { Crawl } from '@avocet/core'
import { isRefusal, type TraceEvent } from '@avocet/core/plugin'
import { ExchangeRing, type EndOfExchange } from './exchange-ring.ts'

const SECONDS = 600
const SECOND_MS = 1_000
/** Each a quarter longer than the one before, from 1 ms: 60 of them reach ten minutes. */
const BUCKETS = 60
const STEP = 1.25

interface Second {
  at: number
  requests: number
  refusals: number
  failures: number
  readonly latency: Uint32Array
}

/** The tape of one run. */
export class RunTape {
  readonly #seconds: Second[] = Array.from({ length: SECONDS }, () => ({
    ...{ at: -1, requests: 0, refusals: 0, failures: 0 },
    latency: new Uint32Array(BUCKETS),
  }))
  readonly exchanges: ExchangeRing = new ExchangeRing()
  #refusals = 0

  constructor(crawl: Pick<Crawl, 'hooks'>) {
    crawl.hooks.onTrace.tap('ui', (event: TraceEvent) => {
      if (event.kind === 'answered' || event.kind === 'failed') this.#ended(event)
    })
  }

  /** Refusals of this run. */
  get refusals(): number {
    return this.#refusals
  }

  /** The last ten minutes. `now`: epoch ms. */
  lately(now: number): Series {
    const since = now - SECONDS * SECOND_MS
    const points = this.#seconds
      .filter(({ at }) => at > since)
      .toSorted((a, b) => a.at - b.at)
      .map(pointOf)
    return { widthMs: SECOND_MS, points }
  }

  #ended(event: EndOfExchange): void {
    const { at } = event
    const isRefused = event.kind === 'answered' && isRefusal(event.response.status)
    const second = this.#secondOf(at)
    second.requests++
    if (isRefused) second.refusals++
    if (isRefused) this.#refusals++
    if (event.kind === 'failed') second.failures++
    if (event.kind === 'answered') {
      const bucket = bucketOf(event.response.timings.firstByteMs)
      second.latency[bucket] = (second.latency[bucket] ?? 0) + 1
    }
    this.exchanges.add(event)
  }

  #secondOf(at: number): Second {
    const start = Math.floor(at / SECOND_MS) * SECOND_MS
    const second = this.#seconds[(start / SECOND_MS) % SECONDS]
    if (second === undefined) throw new RangeError('expected a time after 1970')
    if (second.at !== start) {
      Object.assign(second, { at: start, requests: 0, refusals: 0, failures: 0 })
      second.latency.fill(0)
    }
    return second
  }
}

function pointOf({ at, requests, refusals, failures, latency }: Second): SeriesPoint {
  return { at, requests, refusals, failures, halfMs: withinOf(latency, 0.5), nineInTenMs: withinOf(latency, 0.9) }
}

function bucketOf(ms: number): number {
  return ms <= 1 ? 0 : Math.min(BUCKETS - 1, Math.ceil(Math.log(ms) / Math.log(STEP)))
}

function withinOf(latency: Uint32Array, share: number): number | null {
  const all = latency.reduce((sum, times) => sum + times, 0)
  let left = all * share
  for (let bucket = 0; all > 0 && bucket < BUCKETS; bucket++) {
    left -= latency[bucket] ?? 0
    if (left <= 0) return Math.round(STEP ** bucket)
  }
  return null
}
