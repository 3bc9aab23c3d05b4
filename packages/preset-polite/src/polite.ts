// Five policies with their defaults: what a crawl of sites that belong to others should do unless told otherwise.
//
// Plugins commute, so the order below means nothing. Each policy takes options, and can be left out (`false`) or replaced: by a plugin of
// `plugins` that says which policy it implements. The rate cannot be left out: `'fixed'` keeps a fixed delay, `'none'` sets no pace.
import type { Plugin } from '@avocet/core'
import { fixedDelay, unpaced } from '@avocet/plugin-aimd/fixed-delay'
import { checkOptions, option, wrongOption, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import { adaptiveTimeout, type AdaptiveTimeoutOptions } from '@avocet/plugin-adaptive-timeout'
import { aimd, type AimdOptions } from '@avocet/plugin-aimd'
import { breaker, type BreakerOptions } from '@avocet/plugin-breaker'
import { retry, type RetryOptions } from '@avocet/plugin-retry'
import { robots, type RobotsOptions } from '@avocet/plugin-robots'

/** What to change. `false` leaves a policy out. */
export interface PoliteOptions {
  /** What robots.txt asks for; `false` for sites of your own: then it is not even requested. */
  readonly robots?: RobotsOptions | false
  /**
   * How fast each host is asked: `'learned'` (default) or its options, `'fixed'` for a delay of one second, `'none'` for sites
   * of your own. Bounds of the crawl and Retry-After hold with each.
   */
  readonly rate?: AimdOptions | 'learned' | 'fixed' | 'none'
  /** When to back off from a failing host, and for how long. */
  readonly breaker?: BreakerOptions | false
  /** How long to wait for a host, learned from its answers. */
  readonly timeouts?: AdaptiveTimeoutOptions | false
  /** What is retried, when, and how often. */
  readonly retry?: RetryOptions | false
}

/** Options of a policy, which checks them itself. */
const options = option.satisfying(
  'an object of options',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
)
const optionsOrFalse: OptionRule = option.orFalse(options)

const RULES: OptionRules<PoliteOptions> = {
  robots: optionsOrFalse,
  rate: option.either(options, option.oneOf('learned', 'fixed', 'none')),
  breaker: optionsOrFalse,
  timeouts: optionsOrFalse,
  retry: optionsOrFalse,
}

/**
 * The policies `robots`, `aimd`, `breaker`, `adaptive-timeout` and `retry`, each with its defaults. They obey `hosts` of the configuration.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from 'avocet'
 * const userAgent = 'price-watch (+https://example.org/bot)'
 * export default defineCrawl({ spider, userAgent, policies: polite({ rate: { maxRps: 5 }, retry: { maxAttempts: 2 } }) })
 * ```
 */
export function polite(chosen: PoliteOptions = {}): readonly Plugin[] {
  checkOptions('polite', chosen, RULES)
  const { robots: rules = {}, rate = {}, breaker: circuit = {}, timeouts = {}, retry: retries = {} } = chosen
  return [
    ...(rules === false ? [] : [robots(rules)]),
    ratePolicy(rate),
    ...(circuit === false ? [] : [breaker(circuit)]),
    ...(timeouts === false ? [] : [adaptiveTimeout(timeouts)]),
    ...(retries === false ? [] : [retry(retries)]),
  ]
}

/**
 * The rate policy of `polite({ rate })` alone.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown, of the wrong type or out of range.
 */
export function ratePolicy(rate: AimdOptions | 'learned' | 'fixed' | 'none'): Plugin {
  if (rate === 'learned') return aimd()
  if (rate === 'fixed') return fixedDelay()
  if (rate === 'none') return unpaced()
  if (typeof rate === 'object') return aimd(rate)
  throw wrongOption('rate', RULES.rate.expected, rate)
}
