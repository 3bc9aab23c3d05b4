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
import { quantileOf, sampleCount, withSample } from '../histogram.ts'
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
  readonly counts: readonly number[]
  /** At least so long, since a timeout; absent = no back-off. */
  readonly backOffMs?: number
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
      const counts = withSample(state.counts, tookMs)
      if (!isNews || state.backOffMs === undefined) return { ...state, counts }
      const roomMs = Math.round(factor * tookMs)
      return roomMs > minMs ? { counts, backOffMs: Math.min(state.backOffMs, roomMs) } : { counts }
    },
    timedOut({ counts, backOffMs = 0 }, { waitedMs }) {
      return { counts: withSample(counts, 2 * waitedMs), backOffMs: Math.min(maxMs, Math.max(backOffMs, 2 * waitedMs)) }
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
