// Within which time half, nine in ten and 99 in 100 answers began.
import { addedLatency, withinMs, type Latency } from '@avocet/plugin-journal'

/** Ms, each at most √2 too long. */
export interface Quantiles {
  readonly halfMs: number
  readonly nineInTenMs: number
  readonly most99Ms: number
}

/** Null when there was no answer. */
export function quantilesOf(latency: Latency): Quantiles | null {
  const [halfMs, nineInTenMs, most99Ms] = [0.5, 0.9, 0.99].map((share) => withinMs(latency, share))
  if (halfMs === undefined || nineInTenMs === undefined || most99Ms === undefined) return null
  return { halfMs, nineInTenMs, most99Ms }
}

/** All together. */
export function totalOf(latencies: readonly Latency[]): Latency {
  return latencies.reduce(addedLatency, [])
}
