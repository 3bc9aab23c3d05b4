// The law `harm-budget` while nothing is refused: the start, the way back to the base, the probe above it. Pure.
//
// Start: doubling per round trip, from 4 rps on by 0.4, each time after a third of a second's worth of answers to requests at this rate.
// Probe: base × (1 + 1.5 % × e^(18 (x − 1))), x = accepted / interval. Invisible while the host is full; at x = 1 it looks; if nothing is refused
// then, it doubles the rate within another quarter of the interval.
import type { Accepted, RateLimits } from '../rate-law.ts'
import { foldsOf, intervalOf, PROBE, ROUND_TRIP, type HarmBudgetState } from './harm-budget-state.ts'
import { within } from './within.ts'

/** Below this the start doubles. */
const DOUBLES_BELOW_RPS = 4
const DOUBLE = 2
const GENTLY = 1.4
/** In the start a rate is believed after so many seconds' worth of answers. */
const BELIEVED_S = 0.35
/** The way back to the base: what is missing shrinks to 1/e in so many requests, or in so many seconds' worth. */
const RETURN_REQUESTS = 6
const RETURN_S = 1.5

/** The state after an accepted answer. */
export function climbed(state: HarmBudgetState, event: Accepted, limits: RateLimits): HarmBudgetState {
  const { now, firstByteMs } = event
  const latencyMs = state.latencyMs === 0 ? firstByteMs : 0.9 * state.latencyMs + 0.1 * firstByteMs
  const sinceAt = state.sinceAt === 0 ? Math.round(now - firstByteMs) : state.sinceAt
  const seen = { ...state, restMs: 0, latencyMs: Math.round(latencyMs), taken: state.taken + 1, sinceAt }
  if (!event.counts) return seen
  const used = now - state.lastAt <= 2_000 / state.rps + 100 || state.lastAt === 0
  // Asked more seldom than the rate allows, because of something else: that proves nothing about the rate.
  if (!used) return { ...seen, lastAt: Math.round(now) }
  if (state.stale > 0) return { ...seen, lastAt: Math.round(now), stale: state.stale - 1 }
  const counted = {
    ...seen,
    lastAt: Math.round(now),
    accepted: state.accepted + 1,
    firstAt: state.accepted === 0 ? Math.round(now) : state.firstAt,
  }
  return state.baseRps === 0 ? started(counted, event, limits) : probed(counted, event, limits)
}

function started(state: HarmBudgetState, { inFlight }: Accepted, limits: RateLimits): HarmBudgetState {
  const { rps, accepted } = state
  if (accepted < Math.max(1, BELIEVED_S * rps)) return state
  if (rps >= limits.maxRps) return { ...state, baseRps: rps, interval: intervalOf(state, 0, 1), accepted: 0 }
  return within({ ...state, accepted: 0, stale: inFlight }, rps * (rps < DOUBLES_BELOW_RPS ? DOUBLE : GENTLY), limits)
}

function probed(state: HarmBudgetState, { inFlight }: Accepted, limits: RateLimits): HarmBudgetState {
  const { rps, baseRps, interval, accepted } = state
  // At the user's own limit there is nothing to look for.
  if (rps >= limits.maxRps)
    return within({ ...state, baseRps: Math.max(baseRps, limits.maxRps), accepted: Math.min(accepted, interval) }, rps, limits)
  const back = rps + (baseRps - rps) / Math.max(RETURN_REQUESTS, RETURN_S * rps)
  const probe = baseRps * (1 + PROBE * Math.exp(Math.min(50, foldsOf(state) * (accepted / interval - 1))))
  const most = rps * (1 + ROUND_TRIP / (inFlight + 1))
  return within(state, Math.max(rps, Math.min(most, rps < 0.995 * baseRps ? back : probe)), limits)
}
