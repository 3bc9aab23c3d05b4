// Constant steps of the interval instead of the rate: kept for comparison, since it is what many write first.
//
// A step of 50 ms off the interval adds 0.05 r³ requests per second per second: timid at 1 a second, explosive near the top (from 6.7 to 10 by
// one success). Its share of refusals in the long run is 1 / (1 + 20 / C): a fifth at 5 a second.
import type { RateLaw, RateLimits, RateState } from '../rate-law.ts'

/** State: the interval, and the rate that follows from it. */
export interface IntervalStepState extends RateState {
  readonly intervalMs: number
}

const STEP_MS = 50
const SHORTEST_MS = 100
const LONGEST_MS = 10_000

/**
 * The law `interval-step`: 50 ms less between requests per success, twice as long per refusal, between 0.1 and 10 s.
 *
 * @example
 * ```ts
 * import { aimd } from '@avocet/plugin-aimd'
 * aimd({ law: intervalStep() })
 * ```
 */
export function intervalStep(): RateLaw<IntervalStepState> {
  return {
    name: 'interval-step',
    burst: 1,
    fresh: (limits) => at(1_000 / limits.startRps, limits),
    accepted: (state, { counts }, limits) => (counts ? at(state.intervalMs - STEP_MS, limits) : state),
    refused: (state, _event, limits) => at(state.intervalMs * 2, limits),
  }
}

function at(wanted: number, { minRps, maxRps }: RateLimits): IntervalStepState {
  const shortest = Math.max(SHORTEST_MS, 1_000 / maxRps)
  const longest = Math.max(shortest, Math.min(LONGEST_MS, 1_000 / minRps))
  const intervalMs = Math.round(Math.min(longest, Math.max(shortest, wanted)) * 1e3) / 1e3
  return { intervalMs, rps: 1_000 / intervalMs }
}
