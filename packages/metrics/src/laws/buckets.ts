// The buckets of the two histograms, in seconds.
import type { CountKey } from './counted.ts'
import type { Distribution } from './family.ts'

/** A histogram whose counts are kept by key. */
export interface Buckets {
  /** Upper bounds, ascending, in seconds. */
  readonly bounds: readonly number[]
  /** Of the counts, one more than bounds: a key that is made for each answer costs more than all else. */
  readonly keys: readonly CountKey[]
  readonly sum: CountKey
}

/** Of a server that answers at once to one that takes as long as a time limit lets it. */
export const LATENCY: Buckets = bucketsAt('latency', [0.05, 0.1, 0.2, 0.35, 0.5, 1, 2, 3.5, 5, 10, 15, 20, 30, 60])

/** Of a commit to a local disk to one to a server that is far away or struggles. */
export const COMMIT: Buckets = bucketsAt('commit', [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10])

/** Counts one duration. */
export function countDuration(
  { bounds, keys, sum }: Buckets,
  seconds: number,
  count: (key: CountKey, by?: number) => void,
): void {
  let bucket = 0
  while (seconds > (bounds[bucket] ?? Infinity)) bucket++
  const key = keys[bucket]
  if (key === undefined) return
  count(key)
  count(sum, seconds)
}

/** All that were counted. */
export function distributionOf({ keys, sum }: Buckets, of: (key: CountKey) => number): Distribution {
  return { counts: keys.map(of), sum: of(sum) }
}

function bucketsAt(name: 'latency' | 'commit', bounds: readonly number[]): Buckets {
  const keys = Array.from({ length: bounds.length + 1 }, (_, n): CountKey => `${name} ${n}`)
  return { bounds, keys, sum: `${name} sum` }
}
