// What ended in each second of the last minutes: requests, refusals, failures, and how long answers took, as counts that can be added up.
//
// A ring of fixed size. Latencies are counted in buckets, so a quantile costs no sorting, and that of several processes comes from the sum of their counts:
// quantiles cannot be added up. A worker takes out of its ring what its supervisor puts into one.
import type { Series, SeriesPoint } from '@avocet/dashboard'
import { isRefusal, type TraceEvent } from '@avocet/core/plugin'

/** How an exchange ended. */
export type EndOfExchange = Extract<TraceEvent, { readonly kind: 'answered' | 'failed' }>

/** What ended in one second. */
export interface SecondCounts {
  /** When it begins, epoch ms. */
  readonly at: number
  readonly requests: number
  readonly refusals: number
  readonly failures: number
  /** Answers by bucket of the time to their first byte; buckets without one are left out. */
  readonly latency: readonly (readonly [bucket: number, answers: number])[]
}

interface Second {
  at: number
  requests: number
  refusals: number
  failures: number
  readonly latency: Uint32Array
}

const SECONDS = 600
const SECOND_MS = 1_000
/** Each a quarter longer than the one before, from 1 ms: 60 of them reach ten minutes. */
const BUCKETS = 60
const STEP = 1.25

/** The ring. */
export class SecondRing {
  readonly #seconds: readonly Second[]

  /** `seconds`: how many are remembered. */
  constructor(seconds: number = SECONDS) {
    this.#seconds = Array.from({ length: seconds }, () => ({ ...NOTHING, latency: new Uint32Array(BUCKETS) }))
  }

  /** Adds counts of one second. `now`: epoch ms; what is older than all that is remembered is left out. */
  add({ at, requests, refusals, failures, latency }: SecondCounts, now: number): void {
    if (at <= this.#since(now)) return
    const second = this.#secondOf(at)
    second.requests += requests
    second.refusals += refusals
    second.failures += failures
    for (const [bucket, answers] of latency) second.latency[bucket] = (second.latency[bucket] ?? 0) + answers
  }

  /** Takes out all that is in it, oldest first. */
  take(): readonly SecondCounts[] {
    const taken = this.#seconds.filter(({ requests }) => requests > 0).toSorted((a, b) => a.at - b.at)
    const counts = taken.map(countsOf)
    for (const second of taken) empty(second)
    return counts
  }

  /** As a page draws it. `now`: epoch ms. */
  series(now: number): Series {
    const since = this.#since(now)
    const points = this.#seconds
      .filter(({ at, requests }) => at > since && requests > 0)
      .toSorted((a, b) => a.at - b.at)
      .map(pointOf)
    return { widthMs: SECOND_MS, points }
  }

  #since(now: number): number {
    return now - this.#seconds.length * SECOND_MS
  }

  #secondOf(at: number): Second {
    const second = this.#seconds[(at / SECOND_MS) % this.#seconds.length]
    if (second === undefined) throw new RangeError('expected the beginning of a second after 1970')
    if (second.at !== at) {
      empty(second)
      second.at = at
    }
    return second
  }
}

/** One exchange, as counts of its second. */
export function countsOfEnd(event: EndOfExchange): SecondCounts {
  const at = Math.floor(event.at / SECOND_MS) * SECOND_MS
  if (event.kind === 'failed') return { at, requests: 1, refusals: 0, failures: 1, latency: [] }
  const { status, timings } = event.response
  return { at, requests: 1, refusals: isRefusal(status) ? 1 : 0, failures: 0, latency: [[bucketOf(timings.firstByteMs), 1]] }
}

const NOTHING = { at: -1, requests: 0, refusals: 0, failures: 0 }

function empty(second: Second): void {
  Object.assign(second, NOTHING)
  second.latency.fill(0)
}

function countsOf({ latency, ...counts }: Second): SecondCounts {
  const filled = [...latency.entries()].filter(([, answers]) => answers > 0)
  return { ...counts, latency: filled }
}

function pointOf({ latency, ...counts }: Second): SeriesPoint {
  return { ...counts, halfMs: withinOf(latency, 0.5), nineInTenMs: withinOf(latency, 0.9) }
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
