// A fixed rate: what the user says, independent of the host's answers. Pauses that a host requests are kept as under every law.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { RateLaw, RateState } from '../rate-law.ts'

/** A fixed rate and its burst. */
export interface FixedOptions {
  /** Requests per second at a host for which `hosts:` says nothing. Default 1. */
  readonly rps?: number
  /** Requests that may go back to back after a rest. Default 1: none. */
  readonly burst?: number
}

const RULES: OptionRules<FixedOptions> = { rps: option.positive, burst: option.atLeast(1) }

/**
 * The law `fixed`: so many requests per second, evenly spaced; a host's own `maxRps` under `hosts:` is its rate.
 *
 * @throws AVO_CONFIG_INVALID for a rate of 0 or below, or a burst below 1.
 * @example
 * ```ts
 * fixedRate({ rps: 5, burst: 10 }).fresh({ startRps: 1, minRps: 0.02, maxRps: 10 }).rps // 5
 * ```
 */
export function fixedRate(options: FixedOptions = {}): RateLaw {
  checkOptions('fixedRate', options, RULES)
  const { rps = 1, burst = 1 } = options
  const state = ({ hostRps = rps }: { readonly hostRps?: number }): RateState => ({ rps: hostRps })
  return {
    name: 'fixed',
    burst,
    constant: true,
    fresh: state,
    accepted: (_state, _event, limits) => state(limits),
    refused: (_state, _event, limits) => state(limits),
  }
}
