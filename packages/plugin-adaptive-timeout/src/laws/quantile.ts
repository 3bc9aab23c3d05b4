// The timeout law `quantile`, the default: twice what 95 in 100 answers took, learned from timeouts as well as from answers.
//
// T = factor · q95 · (1 + 4/n), within [minMs, maxMs], doubled for each timeout in a row (at most three times). No state keeps itself up:
// - A timeout after T goes into the histogram as a sample of 2T: it is not known, but it is longer than T (a censored observation).
// - Back-off is kept until an answer fits into less (Karn's rule of retention), and then only as far down as that answer leaves room.
// - A host that never answered gets at most `unprovenMs`, for most of these are dead; but each third probe gets the whole time, or a host
//   that is slow from the start would be taken for a dead one.
// - A page that failed before gets twice the time at each attempt: rare slow pages of a quick host are had at the second or third try.
// Few samples: below five, what other hosts took when they were new counts like four samples. Measured in bench/control/timeout.ts.
import { quantileOf, totalOf, withSample } from '../histogram.ts'
import type { Around, TimeoutLaw } from '../timeout-law.ts'

/** Options of `quantile`. Durations in ms. */
export interface QuantileOptions {
  /** Share of answers, 0.5–0.999. Default 0.95. */
  readonly share?: number
  /** How many times as long as that share took, ≥ 1. Default 2. */
  readonly factor?: number
  /** Timeout of a host that nothing is known of. Default 10 s. */
  readonly coldMs?: number
  /** Default 2 s. */
  readonly minMs?: number
  /** Default 60 s. The crawl's own `timeLimits` hold beside it: to wait longer than 30 s, raise them. */
  readonly maxMs?: number
  /** At most, for a host that never answered. Default 20 s. */
  readonly unprovenMs?: number
}

/** Memory of one phase of one host. */
export type QuantileState = {
  /** Histogram of what it took. */
  readonly counts: readonly number[]
  /** In a row, those at one moment counting as one. */
  readonly timeouts: number
}

/** 2^3 = eight times as long. */
const MOST_DOUBLINGS = 3
/** Each so many probes, a host that never answered has the whole time. Core gives a host up after three. */
const WHOLE_TIME_EACH = 3
/** With fewer samples the others' count too, like so many samples. */
const FEW = 5
const PRIOR_WEIGHT = 4

/**
 * The law `quantile`.
 *
 * @example
 * ```ts
 * const plugin = adaptiveTimeout({ law: quantile({ maxMs: 20_000 }) })
 * ```
 */
export function quantile(options: QuantileOptions = {}): TimeoutLaw<QuantileState> {
  const { share = 0.95, factor = 2, coldMs = 10_000, minMs = 2_000, maxMs = 60_000, unprovenMs = 20_000 } = options
  const within = (ms: number): number => Math.max(minMs, Math.min(maxMs, ms))

  /** Without any back-off. */
  function baseMs({ counts }: QuantileState, prior: readonly number[]): number {
    const n = totalOf(counts)
    if (n === 0) return within(Math.max(coldMs, Math.min(unprovenMs, factor * quantileOf(prior, share))))
    const typicalMs = n < FEW ? quantileOf(counts, share, prior, PRIOR_WEIGHT) : quantileOf(counts, share)
    return within(factor * typicalMs * (1 + 4 / n))
  }

  return {
    name: 'quantile',
    fresh: () => ({ counts: [], timeouts: 0 }),
    inTime(state, { tookMs, isNews }) {
      const counts = withSample(state.counts, tookMs)
      if (!isNews || state.timeouts === 0) return { counts, timeouts: state.timeouts }
      const roomMs = factor * tookMs
      const needed = Math.ceil(Math.log2(Math.max(1, roomMs / baseMs({ counts, timeouts: 0 }, []))))
      return { counts, timeouts: Math.min(state.timeouts, needed) }
    },
    timedOut(state, { waitedMs, isNews }) {
      return { counts: withSample(state.counts, 2 * waitedMs), timeouts: state.timeouts + (isNews ? 1 : 0) }
    },
    timeoutMs(state, { proven, failedAttempts, prior }: Around) {
      const doublings = Math.min(MOST_DOUBLINGS, Math.max(state.timeouts, failedAttempts))
      const longMs = Math.round(Math.min(maxMs, baseMs(state, prior) * 2 ** doublings))
      if (proven) return longMs
      return state.timeouts % WHOLE_TIME_EACH === WHOLE_TIME_EACH - 1 ? maxMs : Math.min(longMs, unprovenMs)
    },
    explain: ({ counts, timeouts }) => ({
      q95Ms: quantileOf(counts, share),
      samples: Math.round(totalOf(counts)),
      timeoutsInRow: timeouts,
    }),
  }
}
