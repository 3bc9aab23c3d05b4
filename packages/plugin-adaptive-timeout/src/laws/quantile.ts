// The timeout law `quantile`, the default: twice what 97 in 100 answers took, learned from timeouts as well as from answers.
//
// T = factor · q97 · (1 + 4/n), within [minMs, maxMs], and after a timeout at least twice what was waited then. No state keeps itself up:
// - A timeout after T goes into the histogram as a sample of 2T: it is not known, but it is longer than T (a censored observation).
// - Back-off is kept until an answer fits into less (Karn's rule of retention), and then only as far down as that answer leaves room.
// - A host that never answered gets at most `unprovenMs`, for most of these are dead; but each third probe gets the whole time, or a host
//   that is slow from the start would be taken for a dead one.
// - A page that failed before gets twice the time at each attempt: rare slow pages of a quick host are had at the second or third try.
// Few samples: below five, what other hosts took when they were new counts like four samples. Measured in bench/control/timeout.ts.
import { check, DURATION, within } from '../checked-options.ts'
import { quantileOf, totalOf, withSample } from '../histogram.ts'
import type { Around, TimeoutLaw } from '../timeout-law.ts'

/** Options of `quantile`. Durations in ms. */
export interface QuantileOptions {
  /** Share of answers, 0.5–0.999. Default 0.97: at 0.95 a host with 10 % of slow pages loses up to 2.2 % of all, at 0.97 1 %. */
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
  /** Timeouts in a row, those at one moment counting as one; absent = none. */
  readonly timeouts?: number
  /** At least so long, since the last of them; absent = no back-off. */
  readonly backOffMs?: number
}

const RULES = {
  share: within('a number from 0.5 to 0.999', 0.5, 0.999),
  factor: within('a number from 1 to 100', 1, 100),
  coldMs: DURATION,
  minMs: DURATION,
  maxMs: DURATION,
  unprovenMs: DURATION,
}

/** A page that failed three times has eight times as long. */
const MOST_DOUBLINGS = 3
/** Each so many probes, a host that never answered has the whole time. Core gives a host up after three. */
const WHOLE_TIME_EACH = 3
/** With fewer samples the others' count too, like so many samples. */
const FEW = 5
const PRIOR_WEIGHT = 4

/**
 * The law `quantile`.
 *
 * @throws AVO_CONFIG_INVALID for an unknown option, or one out of range.
 * @example
 * ```ts
 * quantile({ coldMs: 5_000 }).timeoutMs({ counts: [] }, { proven: false, failedAttempts: 0, prior: [] }) // 5000
 * ```
 */
export function quantile(options: QuantileOptions = {}): TimeoutLaw<QuantileState> {
  check('quantile', options, RULES)
  const { share = 0.97, factor = 2, coldMs = 10_000, minMs = 2_000, maxMs = 60_000, unprovenMs = 20_000 } = options
  const bounded = (ms: number): number => Math.max(minMs, Math.min(maxMs, ms))

  /** Without any back-off. */
  function baseMs({ counts }: QuantileState, prior: readonly number[]): number {
    const n = totalOf(counts)
    if (n === 0) return bounded(Math.max(coldMs, Math.min(unprovenMs, factor * quantileOf(prior, share))))
    const typicalMs = n < FEW ? quantileOf(counts, share, prior, PRIOR_WEIGHT) : quantileOf(counts, share)
    return bounded(factor * typicalMs * (1 + 4 / n))
  }

  return {
    name: 'quantile',
    fresh: () => ({ counts: [] }),
    inTime(state, { tookMs, isNews }) {
      const counts = withSample(state.counts, tookMs)
      if (!isNews || state.backOffMs === undefined) return { ...state, counts }
      const roomMs = Math.round(factor * tookMs)
      return roomMs > minMs ? { counts, backOffMs: Math.min(state.backOffMs, roomMs) } : { counts }
    },
    timedOut({ counts, timeouts = 0, backOffMs = 0 }, { waitedMs, isNews }) {
      return {
        counts: withSample(counts, 2 * waitedMs),
        timeouts: timeouts + (isNews ? 1 : 0),
        backOffMs: Math.min(maxMs, Math.max(backOffMs, 2 * waitedMs)),
      }
    },
    timeoutMs(state, { proven, failedAttempts, prior }: Around) {
      const { timeouts = 0, backOffMs = 0 } = state
      const againMs = baseMs(state, prior) * 2 ** Math.min(MOST_DOUBLINGS, failedAttempts)
      const longMs = Math.round(Math.min(maxMs, Math.max(againMs, backOffMs)))
      if (proven) return longMs
      return timeouts % WHOLE_TIME_EACH === WHOLE_TIME_EACH - 1 ? maxMs : Math.min(longMs, unprovenMs)
    },
    explain: ({ counts, timeouts = 0 }) => ({
      quantileMs: quantileOf(counts, share),
      samples: Math.round(totalOf(counts)),
      timeoutsInRow: timeouts,
    }),
  }
}
