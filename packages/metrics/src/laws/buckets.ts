// The buckets of the two histograms, in seconds.
import type { CountKey } from './counted.ts'
import type { Distribution } from './family.ts'

/** A histogram whose counts are kept by key. */
export interface Buckets {
  readonly key: 'latency' | 'commit'
  /** Upper bounds, ascending, in seconds. */
  readonly bounds: readonly number[]
}

/** Of a server that answers at once to one that takes as long as a time limit lets it. */
export const LATENCY: Buckets = { key: 'latency', bounds: [0.05, 0.1, 0.2, 0.35, 0.5, 1, 2, 3.5, 5, 10, 15, 20, 30, 60] }

/** Of a commit to a local disk to one to a server that is far away or struggles. */
export const COMMIT: Buckets = { key: 'commit', bounds: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] }

/** Counts one duration. */
export function countDuration({ key, bounds }: Buckets, seconds: number, count: (key: CountKey, by?: number) => void): void {
  const bucket = bounds.findIndex((bound) => seconds <= bound)
  count(`${key} ${bucket < 0 ? bounds.length : bucket}`)
  count(`${key} sum`, seconds)
}

/** All that were counted. */
export function distributionOf({ key, bounds }: Buckets, of: (key: CountKey) => number): Distribution {
  const counts = Array.from({ length: bounds.length + 1 }, (_, n) => of(`${key} ${n}`))
  return { counts, sum: of(`${key} sum`) }
}
