// The default law: finds what a host takes, and holds it, at the price of very few refusals.
//
// 1. *Between two refusals a bucket goes from empty to empty*: what was accepted in between, over the time from one to the other, is its capacity,
//    with any burst. So a refusal is not a punishment but a measurement, and the rate goes to what was measured, not to a share of itself.
// 2. *One look at the limit costs one refusal*, so the only freedom is how often to look: every `interval` requests. The interval grows with the
//    evidence (a measurement over n requests earns 12 n more) up to the *harm budget*, which falls with the rate: 0.27 % of requests at 5 rps.
// 3. *Between two looks the rate stays at the base*; the probe above it is exponential. A refusal that was due confirms. A capacity that grew is
//    known by the sum: more was accepted than the old one has to give. A refusal that was not due is a surprise: measure again, soon.
// 4. Nothing accepted at all is a window used up, not a rate: halve twice, then wait. What Retry-After says is kept by the binding.
//
// Rejected, each simulated (bench/control): fixed cuts, 5 % when due and 30 % when not (doubled capacity found after 105 to 250 s instead of 57 to 76;
// 80 cold hosts in their first 50 s 81 % used and 4.6 % refused instead of 96 and 2.9); a base at the edge of what was refused (with a burst each
// look then costs two refusals); telling refusals at random by "the cut did not help" (1 % at random: 60 to 90 % used instead of 26 %, but two
// crawlers on one host take each other for noise, and the winner takes all: Jain 0.5). So hosts that refuse at random are asked too slowly.
// Sources: Chiu & Jain 1989; RFC 9438 (the plateau that is remembered); Cardwell et al. 2016, BBR (delivery rate as the model).
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import type { RateLaw } from '../rate-law.ts'
import { climbed } from './harm-budget-climb.ts'
import { refusedOnce } from './harm-budget-refusal.ts'
import { freshHarmBudget, measuredAnew, type HarmBudgetState } from './harm-budget-state.ts'

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
    moments: ['sinceAt', 'firstAt', 'lastAt'],
  }
}
