// Options of the breaker: what may be set, checked when the plugin is made.
import { AvocetError } from '@avocet/core'
import { checkOptions, option, wrongOption, type OptionRules } from '@avocet/core/plugin'
import type { CircuitRules } from './circuit.ts'
import { consecutiveLaw, NO_LAW, ratioLaw, type TripLaw } from './trip-law.ts'

/** Everything may be left out. */
export interface BreakerOptions {
  /** When a circuit opens. `ratio` (default), `consecutive`, `none`, or a law of your own. */
  readonly law?: 'ratio' | 'consecutive' | 'none' | TripLaw
  /**
   * Failures in a row that open it. Default 5. Under the law `ratio` three fifths of it suffice when they come out of the blue, with no answer
   * since the first of them, and 2 from a host that never answered.
   */
  readonly failures?: number
  /**
   * First cool-down, ms. Each further one is as long as the host has been down by then, and this more. Default 5,000; a host that never answered,
   * or that refuses without a word about when to come back, is left alone for a minute at least.
   */
  readonly openMs?: number
  /** Longest cool-down, ms, at most 12 h. Default one hour. */
  readonly maxOpenMs?: number
  /** First cool-down of a host that keeps us out (`blockedStatuses` of the configuration), ms; three times as long each time. Default 10 min. */
  readonly blockedOpenMs?: number
  /** A host without a success for so long is given up, ms. Default 24 h. */
  readonly giveUpAfterMs?: number
}

const HOUR_MS = 3_600_000

const RULES: OptionRules<BreakerOptions> = {
  law: option.either(option.oneOf('ratio', 'consecutive', 'none'), option.satisfying('a law with the function trips', isLaw)),
  failures: option.wholeNumber(1, 1_000),
  openMs: option.between(1, 12 * HOUR_MS),
  maxOpenMs: option.between(1, 12 * HOUR_MS),
  blockedOpenMs: option.between(1, 6 * HOUR_MS),
  giveUpAfterMs: option.between(0, 365 * 24 * HOUR_MS),
}

const MOVED =
  'expected blockedStatuses beside plugins, got it as an option of breaker; write defineCrawl({ blockedStatuses: [401, 403], … }): rate, breaker and retry go by it'

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function breakerRules(options: BreakerOptions): CircuitRules {
  if (Object.hasOwn(options, 'blockedStatuses')) throw new AvocetError('AVO_CONFIG_INVALID', MOVED)
  checkOptions('breaker', options, RULES)
  const { law = 'ratio', failures = 5, openMs = 5_000, maxOpenMs = HOUR_MS } = options
  if (maxOpenMs < openMs) throw wrongOption('breaker: maxOpenMs', `at least openMs (${openMs})`, maxOpenMs)
  const { blockedOpenMs = 600_000, giveUpAfterMs = 24 * HOUR_MS } = options
  return { law: lawOf(law, failures), openMs, maxOpenMs, blockedOpenMs, giveUpAfterMs }
}

function lawOf(law: NonNullable<BreakerOptions['law']>, failures: number): TripLaw {
  if (law === 'ratio') return ratioLaw(failures)
  if (law === 'consecutive') return consecutiveLaw(failures)
  return law === 'none' ? NO_LAW : law
}

function isLaw(law: unknown): boolean {
  return typeof law === 'object' && law !== null && typeof (law as Partial<TripLaw>).trips === 'function'
}
