// The timeout law `rto`: TCP's retransmission timer (RFC 6298), mean plus four deviations, with back-off.
//
// For comparison: the times of pages are no round trips. They come in kinds (a quick one and a slow one) and with heavy tails, and there mean
// plus four deviations cuts off one page in ten (bench/control/timeout.ts). Departures: initial 10 s and least 2 s, instead of 1 s each.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { TimeoutLaw } from '../timeout-law.ts'

/** Options of `rto`. Durations in ms. */
export interface RtoOptions {
  /** Timeout of a host that nothing is known of. Default 10 s. */
  readonly coldMs?: number
  /** Default 2 s. */
  readonly minMs?: number
  /** Default 60 s. */
  readonly maxMs?: number
}

/** Memory of one phase of one host; 0 = no sample yet. */
export type RtoState = {
  readonly meanMs: number
  readonly deviationMs: number
  /** In a row, since the last answer that was sent after them. */
  readonly timeouts: number
}

const RULES: OptionRules<RtoOptions> = { coldMs: option.positive, minMs: option.positive, maxMs: option.positive }

const MOST_DOUBLINGS = 6

/**
 * The law `rto`.
 *
 * @throws AVO_CONFIG_INVALID for an unknown option, or one out of range.
 * @example
 * ```ts
 * rto().timeoutMs({ meanMs: 800, deviationMs: 400, timeouts: 0 }, { failedAttempts: 0, prior: [] }) // 2400
 * ```
 */
export function rto(options: RtoOptions = {}): TimeoutLaw<RtoState> {
  checkOptions('rto', options, RULES)
  const { coldMs = 10_000, minMs = 2_000, maxMs = 60_000 } = options
  return {
    name: 'rto',
    fresh: () => ({ meanMs: 0, deviationMs: 0, timeouts: 0 }),
    inTime({ meanMs, deviationMs, timeouts }, { tookMs, isNews }) {
      const kept = isNews ? 0 : timeouts
      if (meanMs === 0) return { meanMs: Math.max(1, Math.round(tookMs)), deviationMs: Math.round(tookMs / 2), timeouts: kept }
      return {
        // RFC 6298 §2.3, in this order: the deviation is taken from the old mean.
        deviationMs: Math.round(0.75 * deviationMs + 0.25 * Math.abs(meanMs - tookMs)),
        meanMs: Math.max(1, Math.round(0.875 * meanMs + 0.125 * tookMs)),
        timeouts: kept,
      }
    },
    timedOut: (state, { isNews }) => (isNews ? { ...state, timeouts: Math.min(MOST_DOUBLINGS, state.timeouts + 1) } : state),
    timeoutMs({ meanMs, deviationMs, timeouts }) {
      const baseMs = meanMs === 0 ? coldMs : Math.max(minMs, meanMs + 4 * deviationMs)
      return Math.min(maxMs, baseMs * 2 ** timeouts)
    },
    explain: ({ meanMs, deviationMs, timeouts }) => ({ meanMs, deviationMs, timeoutsInRow: timeouts }),
  }
}
