// AIMD as the textbooks have it (Chiu & Jain 1989), in the rate domain: every second a little more, at every refusal a good part less.
//
// A rate of r has r successes a second, so a/r per success is a per second; a host that is asked more seldom than it might be rises more slowly.
// On a server of capacity C without burst the rate saws between βC and C: utilisation (1 + β) / 2, refused (per burst of refusals n)
// 2an / ((1 − β²) C²). The step is absolute: right for one C, timid for a large one and rude to a small one. `harm-budget` has no such step.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { within, type RateLaw, type RateState } from '../rate-law.ts'

/** The two constants of the law. */
export interface TextbookOptions {
  /** Requests per second that are added per second. Default 0.02. */
  readonly stepRps?: number
  /** What is left of the rate after a refusal, 0 to 1. Default 0.85. */
  readonly cutRatio?: number
}

const RULES: OptionRules<TextbookOptions> = {
  stepRps: option.positive,
  cutRatio: option.satisfying('a number above 0 and below 1', (value) => typeof value === 'number' && value > 0 && value < 1),
}

/**
 * The law `aimd`: `+ stepRps` a second, `× cutRatio` at the first refusal of an epoch.
 *
 * @throws AVO_CONFIG_INVALID for a step of 0 or below, or a ratio outside (0, 1).
 * @example
 * ```ts
 * import { aimd } from '@avocet/plugin-aimd'
 * aimd({ law: textbook({ stepRps: 0.1, cutRatio: 0.5 }) })
 * ```
 * Source: Chiu & Jain 1989; RFC 5681 §3.1.
 */
export function textbook(options: TextbookOptions = {}): RateLaw {
  checkOptions('textbook', options, RULES)
  const { stepRps: step = 0.02, cutRatio: cut = 0.85 } = options
  return {
    name: 'aimd',
    burst: 1,
    fresh: ({ startRps }): RateState => ({ rps: startRps }),
    // At most doubled: below √a requests per second one success would else stand for minutes of rise.
    accepted: (state, { counts }, limits) =>
      counts ? within(state, state.rps + Math.min(state.rps, step / state.rps), limits) : state,
    refused: (state, _event, limits) => within(state, state.rps * cut, limits),
  }
}
