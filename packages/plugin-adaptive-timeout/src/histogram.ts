// A histogram of durations that forgets: 24 buckets, each √2 wider than the one before, from 50 ms to 144 s.
//
// Plain JSON, and short: the number of the first bucket that is not empty, then the counts up to the last one; `[]` is empty. When the total
// reaches 128 all counts are halved, so that what happened 128 samples ago weighs half. A quantile is the upper edge of its bucket: up to √2
// too long, never too short. Rejected: P² and t-digest neither forget nor hold "longer than" samples, and t-digest takes 1 KiB a host.

/** `[first bucket, count, count, …]`, or `[]`. */
export type Histogram = readonly number[]

const SMALLEST_MS = 50
const LAST_BUCKET = 23
const FULL = 128
/** Counts are kept in quarters: what is less is forgotten. */
const GRAIN = 4

/** `histogram` with one more sample. */
export function withSample(histogram: Histogram, ms: number): Histogram {
  const bucket = bucketOf(ms)
  const first = histogram[0] ?? bucket
  const start = Math.min(first, bucket)
  const counts = histogram.slice(1)
  for (let missing = first - start; missing > 0; missing--) counts.unshift(0)
  while (counts.length <= bucket - start) counts.push(0)
  counts[bucket - start] = (counts[bucket - start] ?? 0) + 1
  const grown = [start, ...counts]
  return sampleCount(grown) < FULL ? grown : halved(start, counts)
}

/** Number of samples it holds, older ones counting less. */
export function sampleCount(histogram: Histogram): number {
  let total = 0
  for (let place = 1; place < histogram.length; place++) total += histogram[place] ?? 0
  return total
}

/** Upper edge of the bucket below which `share` of the samples are, ms; 0 when there are none. `extra` is added, with `extraWeight` samples in all. */
export function quantileOf(histogram: Histogram, share: number, extra: Histogram = [], extraWeight = 0): number {
  const extraTotal = sampleCount(extra)
  const scale = extraTotal === 0 ? 0 : extraWeight / extraTotal
  const total = sampleCount(histogram) + scale * extraTotal
  if (total === 0) return 0
  let left = total * (1 - share)
  const last = scale === 0 ? (histogram[0] ?? 0) + histogram.length - 2 : LAST_BUCKET
  for (let bucket = last; bucket >= 0; bucket--) {
    left -= countIn(histogram, bucket) + scale * countIn(extra, bucket)
    if (left < 0) return Math.round(SMALLEST_MS * Math.SQRT2 ** bucket)
  }
  return SMALLEST_MS
}

/** The larger count of each bucket: joins what two processes know, and joining twice changes nothing. */
export function joined(a: Histogram, b: Histogram): Histogram {
  if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a
  const start = Math.min(a[0] ?? 0, b[0] ?? 0)
  const end = Math.max((a[0] ?? 0) + a.length, (b[0] ?? 0) + b.length) - 1
  return [start, ...Array.from({ length: end - start }, (_, n) => Math.max(countIn(a, start + n), countIn(b, start + n)))]
}

function bucketOf(ms: number): number {
  if (ms <= SMALLEST_MS) return 0
  // A hair less, so that a bucket's own upper edge falls into it in spite of rounding.
  return Math.min(LAST_BUCKET, Math.ceil(2 * Math.log2(ms / SMALLEST_MS) - 1e-9))
}

function countIn(histogram: Histogram, bucket: number): number {
  const place = bucket - (histogram[0] ?? 0)
  return place < 0 ? 0 : (histogram[place + 1] ?? 0)
}

function halved(start: number, counts: readonly number[]): Histogram {
  const half = counts.map((count) => Math.floor((count / 2) * GRAIN) / GRAIN)
  const from = half.findIndex((count) => count > 0)
  const to = half.findLastIndex((count) => count > 0)
  return [start + from, ...half.slice(from, to + 1)]
}
