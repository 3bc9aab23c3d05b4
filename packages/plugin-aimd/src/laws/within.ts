// Keeps a rate within what the user allows, and to digits worth remembering.
import type { RateLimits, RateState } from '../rate-law.ts'

/** `state` at `rps`, within the limits. */
export function within<State extends RateState>(state: State, rps: number, { minRps, maxRps }: RateLimits): State {
  const bounded = Math.round(Math.min(maxRps, Math.max(minRps, rps)) * 1e6) / 1e6
  return bounded === state.rps ? state : { ...state, rps: bounded }
}
