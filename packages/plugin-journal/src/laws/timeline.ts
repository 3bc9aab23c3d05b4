// What became of the requests to one host, over time, in a few KiB however long it goes on: at most 96 buckets, of 5 s at first.
//
// A bucket is a stretch of time that begins at a multiple of its width; empty ones are not kept. When there are too many, the width doubles, and
// neighbours become one: an hour is then seen by the minute, a month by the half day, and no count is ever lost. The last bucket is open and lies
// apart, for it changes with each exchange while the others are written once. As JSON a bucket is a list of numbers: it is read by this file alone.
import { addedLatency, latencyBucket, type Latency } from './latency.ts'

/** `[place, requests, refusals, failures, bytes, …latency]`; it begins at `place × widthMs`, epoch ms. */
export type Bucket = readonly number[]

/** Closed buckets, oldest first. */
export interface Timeline {
  readonly widthMs: number
  readonly buckets: readonly Bucket[]
}

/** How one exchange ended. */
export interface EndedExchange {
  readonly kind: 'answered' | 'refused' | 'failed' | 'let-go'
  /** Bytes of the body on the wire. */
  readonly wireBytes: number
  /** Absent when no answer came. */
  readonly firstByteMs?: number
}

/** Closed buckets, at most. */
export const MAX_BUCKETS = 96
/** Ms. */
export const FIRST_WIDTH_MS = 5_000

const HEAD = 5

/** A timeline without anything in it. */
export const EMPTY_TIMELINE: Timeline = { widthMs: FIRST_WIDTH_MS, buckets: [] }

/** Number of the bucket that `at` (epoch ms) is in. */
export function placeOf(at: number, widthMs: number): number {
  return Math.floor(at / widthMs)
}

/** An open bucket with one more exchange. Changes `bucket`: it happens with every exchange. */
export function note(bucket: number[], { kind, wireBytes, firstByteMs }: EndedExchange): void {
  add(bucket, 1, 1)
  if (kind === 'refused') add(bucket, 2, 1)
  if (kind === 'failed') add(bucket, 3, 1)
  add(bucket, 4, wireBytes)
  if (firstByteMs !== undefined) noteLatency(bucket, latencyBucket(firstByteMs))
}

/** An open bucket with nothing in it. */
export function openedAt(place: number): number[] {
  return [place, 0, 0, 0, 0]
}

/** `timeline` with one more bucket, made coarser when it is full. */
export function withClosedBucket({ widthMs, buckets }: Timeline, bucket: Bucket): Timeline {
  const last = buckets.at(-1)
  // After a doubling the next one may begin where the last one did.
  const isSame = last !== undefined && last[0] === bucket[0]
  let timeline: Timeline = { widthMs, buckets: isSame ? [...buckets.slice(0, -1), joined(last, bucket)] : [...buckets, bucket] }
  while (timeline.buckets.length > MAX_BUCKETS) timeline = coarser(timeline)
  return timeline
}

/** The same with buckets twice as wide. */
export function coarser({ widthMs, buckets }: Timeline): Timeline {
  const wider: Bucket[] = []
  for (const bucket of buckets) {
    const moved = [Math.floor((bucket[0] ?? 0) / 2), ...bucket.slice(1)]
    const last = wider.at(-1)
    if (last?.[0] === moved[0]) wider[wider.length - 1] = joined(last, moved)
    else wider.push(moved)
  }
  return { widthMs: widthMs * 2, buckets: wider }
}

/** First byte times of a bucket. */
export function bucketLatency(bucket: Bucket): Latency {
  return bucket.slice(HEAD)
}

/** Two buckets of one place. */
function joined(a: Bucket = [], b: Bucket = []): Bucket {
  const counts = [1, 2, 3, 4].map((field) => (a[field] ?? 0) + (b[field] ?? 0))
  return [a[0] ?? 0, ...counts, ...addedLatency(bucketLatency(a), bucketLatency(b))]
}

function noteLatency(bucket: number[], latency: number): void {
  const first = bucket[HEAD]
  if (first === undefined) {
    bucket.push(latency, 1)
    return
  }
  for (let missing = first - latency; missing > 0; missing--) bucket.splice(HEAD + 1, 0, 0)
  if (latency < first) bucket[HEAD] = latency
  const place = HEAD + 1 + latency - Math.min(first, latency)
  while (bucket.length <= place) bucket.push(0)
  add(bucket, place, 1)
}

function add(bucket: number[], field: number, amount: number): void {
  bucket[field] = (bucket[field] ?? 0) + amount
}
