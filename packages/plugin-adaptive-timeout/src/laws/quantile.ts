// The timeout law `quantile`, the default: twice what 97 in 100 answers took, learned from timeouts as well as from answers.
//
// T = factor · q97 · (1 + 4/n), within [minMs, maxMs], and after a timeout at least twice what was waited then. No state keeps itself up:
// - A timeout after T goes into the histogram as a sample of 2T: it is not known, but it is longer than T (a censored observation).
// - Back-off is kept until an answer fits into less (Karn's rule of retention), and then only as far down as that answer leaves room.
// - A host that never answered has `coldMs`, which is all that core gives any phase by default. Shorter, and just the slowest healthy hosts lose
//   their first contact and are back last: at 10–20 s a crawl of 800 hosts (the world `eight-hundred`) took 354 s, at 30 s it takes 281 s. What
//   dead hosts hold meanwhile is bounded elsewhere: core has few unproven hosts in flight at once, and probes each of them three times.
// - A page that failed before gets twice the time at each attempt: rare slow pages of a quick host are had at the second or third try.
// Few samples: below five, what other hosts took when they were new counts like four samples. Measured in bench/control/timeout.ts.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { Around, TimeoutLaw } from '../timeout-law.ts'

/** Options of `quantile`. Durations in ms. */
export interface QuantileOptions {
  /** Share of answers, 0.5–0.999. Default 0.97: at 0.95 a host with 10 % of slow pages loses up to 2.2 % of all, at 0.97 1 %. */
  readonly share?: number
  /** How many times as long as that share took, ≥ 1. Default 2. */
  readonly factor?: number
  /** Timeout of a host that never answered, at least. Default 30 s. */
  readonly coldMs?: number
  /** Default 2 s. */
  readonly minMs?: number
  /** Default 60 s. The crawl's own `timeLimits` hold beside it: to wait longer than 30 s, raise them. */
  readonly maxMs?: number
}

/** Memory of one phase of one host. */
export type QuantileState = {
  /** Histogram of what it took. */
  readonly counts: number[]
  /** At least so long, since a timeout; absent = no back-off. */
  backOffMs?: number | undefined
}

const RULES: OptionRules<QuantileOptions> = {
  share: option.between(0.5, 0.999),
  factor: option.between(1, 100),
  coldMs: option.positive,
  minMs: option.positive,
  maxMs: option.positive,
}

/** A page that failed three times has eight times as long. */
const MOST_DOUBLINGS = 3

/** With fewer samples the others' count too, like so many samples. */
const FEW = 5
const PRIOR_WEIGHT = 4

/**
 * The law `quantile`.
 *
 * @throws AVO_CONFIG_INVALID for an unknown option, or one out of range.
 * @example
 * ```ts
 * quantile({ coldMs: 5_000 }).timeoutMs({ counts: [] }, { failedAttempts: 0, prior: [] }) // 5000
 * ```
 */
export function quantile(options: QuantileOptions = {}): TimeoutLaw<QuantileState> {
  checkOptions('quantile', options, RULES)
  const { share = 0.97, factor = 2, coldMs = 30_000, minMs = 2_000, maxMs = 60_000 } = options
  const bounded = (ms: number): number => Math.max(minMs, Math.min(maxMs, ms))

  /** Without any back-off. */
  function baseMs({ counts }: QuantileState, prior: readonly number[]): number {
    const n = sampleCount(counts)
    if (n === 0) return bounded(Math.max(coldMs, factor * quantileOf(prior, share)))
    const typicalMs = n < FEW ? quantileOf(counts, share, prior, PRIOR_WEIGHT) : quantileOf(counts, share)
    return bounded(factor * typicalMs * (1 + 4 / n))
  }

  return {
    name: 'quantile',
    fresh: () => ({ counts: [] }),
    inTime(state, { tookMs, isNews }) {
      addSample(state.counts, tookMs)
      if (!isNews || state.backOffMs === undefined) return
      const roomMs = Math.round(factor * tookMs)
      state.backOffMs = roomMs > minMs ? Math.min(state.backOffMs, roomMs) : undefined
    },
    timedOut(state, { waitedMs }) {
      addSample(state.counts, 2 * waitedMs)
      state.backOffMs = Math.min(maxMs, Math.max(state.backOffMs ?? 0, 2 * waitedMs))
    },
    timeoutMs(state, { failedAttempts, prior }: Around) {
      const againMs = baseMs(state, prior) * 2 ** Math.min(MOST_DOUBLINGS, failedAttempts)
      return Math.round(Math.min(maxMs, Math.max(againMs, state.backOffMs ?? 0)))
    },
    explain: ({ counts, backOffMs }) => ({
      quantileMs: quantileOf(counts, share),
      samples: Math.round(sampleCount(counts)),
      ...(backOffMs !== undefined && { backOffMs }),
    }),
  }
}

// A histogram of durations that forgets: 24 buckets, each √2 wider than the one before, from 50 ms to 144 s.
//
// Plain JSON, and short: the number of the first bucket that is not empty, then the counts up to the last one; `[]` is empty. Counts are whole quarters of a
// sample. When the total reaches 128 samples all counts are halved, so that what happened 128 samples ago weighs half; what is less than a quarter is
// forgotten. A quantile is the upper edge of its bucket: up to √2 too long, never too short. Rejected: P² and t-digest neither forget nor hold "longer than"
// samples, and t-digest takes 1 KiB a host.

/** `[first bucket, count, count, …]`, or `[]`. */
export type Histogram = readonly number[]

const SMALLEST_MS = 50
const LAST_BUCKET = 23
const SAMPLE = 4
const FULL = 128 * SAMPLE

/** Adds a sample to `histogram`, in place: it happens with every exchange. */
export function addSample(histogram: number[], ms: number): void {
  const bucket = bucketOf(ms)
  const first = histogram[0] ?? bucket
  for (let missing = first - bucket; missing > 0; missing--) histogram.splice(1, 0, 0)
  const start = Math.min(first, bucket)
  histogram[0] = start
  const place = 1 + bucket - start
  while (histogram.length <= place) histogram.push(0)
  histogram[place] = (histogram[place] ?? 0) + SAMPLE
  if (weightOf(histogram) >= FULL) halve(histogram)
}

/** Number of samples it holds, older ones counting less. */
export function sampleCount(histogram: Histogram): number {
  return weightOf(histogram) / SAMPLE
}

function weightOf(histogram: Histogram): number {
  let total = 0
  for (let place = 1; place < histogram.length; place++) total += histogram[place] ?? 0
  return total
}

/** Upper edge of the bucket below which `share` of the samples are, ms; 0 when there are none. `extra` is added, with `extraWeight` samples in all. */
export function quantileOf(histogram: Histogram, share: number, extra: Histogram = [], extraWeight = 0): number {
  const scale = extra.length === 0 ? 0 : (extraWeight * SAMPLE) / weightOf(extra)
  const total = weightOf(histogram) + (scale === 0 ? 0 : extraWeight * SAMPLE)
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
export function joined(a: number[], b: number[]): number[] {
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

function halve(histogram: number[]): void {
  for (let place = 1; place < histogram.length; place++) histogram[place] = Math.floor((histogram[place] ?? 0) / 2)
  while (histogram.at(-1) === 0) histogram.pop()
  while (histogram[1] === 0) histogram.splice(0, 2, (histogram[0] ?? 0) + 1)
}
