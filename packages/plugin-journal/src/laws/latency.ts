// How long answers took to their first byte: counts in 31 buckets, each √2 wider than the one before, from 4 ms to 131 s.
//
// As JSON a list of the first bucket's number and the counts from there on; `[]` is none. Nothing is forgotten, and joining is adding. A quantile
// is the upper edge of its bucket: at most √2 too long, never too short. Rejected: mean and deviation, which say nothing of the slow tenth.

/** `[first bucket, count, count, …]`, or `[]`. */
export type Latency = readonly number[]

const SMALLEST_MS = 4
const LAST_BUCKET = 30

/** Number of the bucket that `ms` falls into. */
export function latencyBucket(ms: number): number {
  if (ms <= SMALLEST_MS) return 0
  // A hair less, so that a bucket's own upper edge falls into it in spite of rounding.
  return Math.min(LAST_BUCKET, Math.ceil(2 * Math.log2(ms / SMALLEST_MS) - 1e-9))
}

/** Both together. */
export function addedLatency(a: Latency, b: Latency): Latency {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  const first = Math.min(a[0] ?? 0, b[0] ?? 0)
  const end = Math.max((a[0] ?? 0) + a.length, (b[0] ?? 0) + b.length) - 1
  return [first, ...Array.from({ length: end - first }, (_, n) => countIn(a, first + n) + countIn(b, first + n))]
}

/** Number of answers. */
export function answersIn(latency: Latency): number {
  let answers = 0
  for (let place = 1; place < latency.length; place++) answers += latency[place] ?? 0
  return answers
}

/**
 * Time within which `share` of the answers began, ms, rounded up to its bucket; undefined when there were none.
 *
 * @example
 * ```ts
 * withinMs([0, 90, 0, 10], 0.5) // 4
 * withinMs([0, 90, 0, 10], 0.99) // 8
 * ```
 */
export function withinMs(latency: Latency, share: number): number | undefined {
  let left = answersIn(latency) * share
  if (left === 0) return undefined
  for (let place = 1; place < latency.length; place++) {
    left -= latency[place] ?? 0
    if (left <= 1e-9) return Math.round(SMALLEST_MS * Math.SQRT2 ** ((latency[0] ?? 0) + place - 1))
  }
  return undefined
}

function countIn(latency: Latency, bucket: number): number {
  const place = bucket - (latency[0] ?? 0)
  return place < 0 ? 0 : (latency[place + 1] ?? 0)
}
