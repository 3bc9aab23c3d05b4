// The pause follows the site's own slowness: k times as long as the last exchange took. A site that needs 15 s a page is left alone for 15 s.
//
// `after: 'end'` counts from the end of an exchange to the start of the next (one at a time; k = 1 keeps a site busy half of the time), as
// Heritrix (k = 5) and Mercator (k = 10) do; `after: 'start'` from start to start. Refusals double the pause, successes take that back slowly.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { RateLaw, RateLimits, RateState } from '../rate-law.ts'

/** How long, and from when. */
export interface DelayFactorOptions {
  /** Pause per duration of the last exchange. Default 1. */
  readonly factor?: number
  /** From when the pause counts. Default `end`. */
  readonly after?: 'end' | 'start'
}

/** State: the pause, and by how much refusals have stretched it. */
export interface DelayFactorState extends RateState {
  readonly stretch: number
}

const RULES: OptionRules<DelayFactorOptions> = { factor: option.positive, after: option.oneOf('end', 'start') }

/** A page that takes minutes must not stop a host for an hour. */
const LONGEST_MS = 600_000
const MAX_STRETCH = 64
/** What a success leaves of the stretch: a refusal is forgotten after 14 of them. */
const RELAX = 0.95

/**
 * The law `delay-factor`: pauses of `factor` × the last duration.
 *
 * @throws AVO_CONFIG_INVALID for a factor of 0 or below, or an `after` that is neither `end` nor `start`.
 * @example
 * ```ts
 * import { aimd } from '@avocet/plugin-aimd'
 * aimd({ law: delayFactor({ factor: 5 }) })
 * ```
 */
export function delayFactor(options: DelayFactorOptions = {}): RateLaw<DelayFactorState> {
  checkOptions('delayFactor', options, RULES)
  const { factor = 1, after = 'end' } = options
  const paused = (durationMs: number, stretch: number, limits: RateLimits): DelayFactorState => {
    const pauseMs = Math.round(Math.min(LONGEST_MS, factor * durationMs * stretch))
    if (after === 'end') return { rps: limits.maxRps, stretch, afterEndMs: pauseMs }
    return { rps: Math.min(limits.maxRps, Math.max(limits.minRps, 1_000 / Math.max(1, pauseMs))), stretch }
  }
  return {
    name: `delay-factor-${after}`,
    burst: 1,
    fresh: ({ startRps }) => ({ rps: startRps, stretch: 1 }),
    accepted: (state, { counts, durationMs }, limits) =>
      paused(durationMs, counts ? Math.max(1, Math.round(state.stretch * RELAX * 1e3) / 1e3) : state.stretch, limits),
    refused: (state, _event, limits) => {
      const stretch = Math.min(MAX_STRETCH, state.stretch * 2)
      const pauseMs = Math.min(LONGEST_MS, 2 * (state.afterEndMs ?? 1_000 / state.rps))
      if (after === 'end') return { rps: Math.min(state.rps, limits.maxRps), stretch, afterEndMs: pauseMs }
      return { rps: Math.max(limits.minRps, 1_000 / pauseMs), stretch }
    },
  }
}
