// What ended in each second of the last minutes: requests, refusals, failures, and how long answers took.
//
// A ring of fixed size. Latencies are counted in buckets, so a quantile costs no sorting.
import type { Series, SeriesPoint } from '@avocet/dashboard'

interface Second {
  /** When it begins, epoch ms. */
  at: number
  requests: number
  refusals: number
  failures: number
  /** Answers by bucket of the time to their first byte. */
  readonly latency: Uint32Array
}

/** How an exchange ended. */
interface Ended {
  readonly isRefused: boolean
  /** Absent without an answer. */
  readonly firstByteMs?: number
}

const SECONDS = 600
const SECOND_MS = 1_000
/** Each a quarter longer than the one before, from 1 ms: 60 of them reach ten minutes. */
const BUCKETS = 60
const STEP = 1.25
const NOTHING = { at: -1, requests: 0, refusals: 0, failures: 0 }

/** The ring. */
export class SecondRing {
  readonly #seconds: readonly Second[] = Array.from({ length: SECONDS }, () => ({
    ...NOTHING,
    latency: new Uint32Array(BUCKETS),
  }))

  /** Adds one exchange. `endedAt`: epoch ms. */
  add(endedAt: number, { isRefused, firstByteMs }: Ended): void {
    const second = this.#secondAt(Math.floor(endedAt / SECOND_MS) * SECOND_MS)
    second.requests++
    if (isRefused) second.refusals++
    if (firstByteMs === undefined) second.failures++
    else count(second.latency, bucketOf(firstByteMs))
  }

  /** As a page draws it. `now`: epoch ms. */
  series(now: number): Series {
    const since = now - SECONDS * SECOND_MS
    const points = this.#seconds
      .filter(({ at, requests }) => at > since && requests > 0)
      .toSorted((a, b) => a.at - b.at)
      .map(pointOf)
    return { widthMs: SECOND_MS, points }
  }

  #secondAt(at: number): Second {
    const second = this.#seconds[(at / SECOND_MS) % SECONDS]
    if (second === undefined) throw new RangeError('expected the beginning of a second after 1970')
    if (second.at !== at) {
      Object.assign(second, NOTHING, { at })
      second.latency.fill(0)
    }
    return second
  }
}

function pointOf({ latency, ...counts }: Second): SeriesPoint {
  return { ...counts, halfMs: withinOf(latency, 0.5), nineInTenMs: withinOf(latency, 0.9) }
}

function count(latency: Uint32Array, bucket: number): void {
  latency[bucket] = (latency[bucket] ?? 0) + 1
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
