// The default law: finds what a host takes, and holds it, at the price of very few refusals.
//
// 1. *Between two refusals a bucket goes from empty to empty*: what was accepted in between, over the time from one to the other, is its capacity,
//    with any burst. So a refusal is not a punishment but a measurement, and the rate goes to what was measured, not to a share of itself.
// 2. *One look at the limit costs one refusal*, so the only freedom is how often to look: every `interval` requests. The interval grows with the
//    evidence (a measurement over n requests earns 12 n more) up to the *harm budget*, which falls with the rate: 0.27 % of requests at 5 rps.
// 3. *Between two looks the rate stays at the base*; the probe above it is exponential. A refusal that was due confirms. A capacity that grew is
//    known by the sum: more was accepted than the old one has to give. A refusal that was not due is a surprise: measure again, soon.
// 4. Nothing accepted at all is a window used up, not a rate: halve twice, then wait. What Retry-After says is kept by the binding.
// 5. Refused again and again without a reason of ours, we are not alone on the limit: it is shared then, and not measured (harm-budget-crowd.ts).
//
// Rejected, each simulated (bench/control): fixed cuts, 5 % when due and 30 % when not (doubled capacity found after 105 to 250 s instead of 57 to 76;
// 80 cold hosts in their first 50 s 81 % used and 4.6 % refused instead of 96 and 2.9); a base at the edge of what was refused (with a burst each
// look then costs two refusals); telling refusals at random by "the cut did not help" (1 % at random: 60 to 90 % used instead of 5 %, but two
// crawlers on one host take each other for noise, and the winner takes all: Jain 0.5). So hosts that refuse at random are asked too slowly.
// Sources: Chiu & Jain 1989; RFC 9438 (the plateau that is remembered); Cardwell et al. 2016, BBR (delivery rate as the model).
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { within, type Accepted, type RateLaw, type RateLimits } from '../rate-law.ts'
import { climbedInCrowd } from './harm-budget-crowd.ts'
import { refusedOnce } from './harm-budget-refusal.ts'
import { foldsOf, freshHarmBudget, intervalOf, measuredAnew, PROBE, ROUND_TRIP } from './harm-budget-state.ts'
import type { HarmBudgetState } from './harm-budget-state.ts'

export type { HarmBudgetState } from './harm-budget-state.ts'

/** The one constant of the law that is a matter of taste. */
export interface HarmBudgetOptions {
  /** Share of the requests that may be refused in the long run, at 5 requests per second; seldomer at higher rates. 0.0003 to 0.03, default 0.003. */
  readonly refusedRatio?: number
}

const DEFAULT_RATIO = 0.003
const RULES: OptionRules<HarmBudgetOptions> = { refusedRatio: option.between(0.0003, 0.03) }

/**
 * The law `harm-budget`: measures at each refusal what the host took, holds that, and looks for more as seldom as its budget says.
 *
 * @throws AVO_CONFIG_INVALID for a ratio outside 0.0003 to 0.03.
 * @example
 * ```ts
 * import { aimd } from '@avocet/plugin-aimd'
 * aimd({ law: harmBudget({ refusedRatio: 0.001 }) })
 * ```
 * Source: bench/control/rate.ts holds the figures.
 */
export function harmBudget(options: HarmBudgetOptions = {}): RateLaw<HarmBudgetState> {
  checkOptions('harmBudget', options, RULES)
  const budget = DEFAULT_RATIO / (options.refusedRatio ?? DEFAULT_RATIO)
  return {
    name: 'harm-budget',
    burst: 1,
    fresh: freshHarmBudget,
    accepted: (state, event, limits) => climbed(measuredAnew(state, event.now), event, limits),
    refused: (state, event, limits) => refusedOnce(measuredAnew(state, event.now), event, { limits, budget }),
  }
}

// The law `harm-budget` while nothing is refused: the start, the way back to the base, the probe above it. Pure.
//
// Start: doubling per round trip, from 4 rps on by 0.4, each time after a third of a second's worth of answers to requests at this rate.
// Probe: base × (1 + 1.5 % × e^(18 (x − 1))), x = accepted / interval. Invisible while the host is full; at x = 1 it looks; if nothing is refused
// then, it doubles the rate within another quarter of the interval.

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
function climbed(state: HarmBudgetState, event: Accepted, limits: RateLimits): HarmBudgetState {
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
  if (state.crowd !== undefined) return climbedInCrowd(counted, limits)
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
