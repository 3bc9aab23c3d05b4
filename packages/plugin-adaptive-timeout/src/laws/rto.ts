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
  meanMs: number
  deviationMs: number
  /** In a row, since the last answer that was sent after them. */
  timeouts: number
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
    inTime(state, { tookMs, isNews }) {
      const { meanMs, deviationMs } = state
      if (isNews) state.timeouts = 0
      const isFirst = meanMs === 0
      // RFC 6298 §2.3: the deviation is taken from the old mean.
      state.deviationMs = Math.round(isFirst ? tookMs / 2 : 0.75 * deviationMs + 0.25 * Math.abs(meanMs - tookMs))
      state.meanMs = Math.max(1, Math.round(isFirst ? tookMs : 0.875 * meanMs + 0.125 * tookMs))
    },
    timedOut(state, { isNews }) {
      if (isNews) state.timeouts = Math.min(MOST_DOUBLINGS, state.timeouts + 1)
    },
    timeoutMs({ meanMs, deviationMs, timeouts }) {
      const baseMs = meanMs === 0 ? coldMs : Math.max(minMs, meanMs + 4 * deviationMs)
      return Math.min(maxMs, baseMs * 2 ** timeouts)
    },
    explain: ({ meanMs, deviationMs, timeouts }) => ({ meanMs, deviationMs, timeoutsInRow: timeouts }),
  }
}
