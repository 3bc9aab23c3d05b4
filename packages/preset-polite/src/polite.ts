// Five policies with their defaults: what a crawl of sites that belong to others should do unless told better.
//
// Plugins commute, so the order below means nothing. Each can be told more, be left out (`false`), or be replaced: leave it out, and put another
// plugin beside the others. Without `rate`, core's own politeness paces: one request at a time, `delayMs` apart.
import { AvocetError, type Plugin } from '@avocet/core'
import { adaptiveTimeout, type AdaptiveTimeoutOptions } from '@avocet/plugin-adaptive-timeout'
import { aimd, type AimdOptions } from '@avocet/plugin-aimd'
import { breaker, type BreakerOptions } from '@avocet/plugin-breaker'
import { retry, type RetryOptions } from '@avocet/plugin-retry'
import { robots, type RobotsOptions } from '@avocet/plugin-robots'
import { agentOf } from './agent-of.ts'

/** What may be said otherwise. `false` leaves a policy out. */
export interface PoliteOptions {
  /** The one of the crawl: the name in it is the name by which robots.txt files address us. Default `avocet`. */
  readonly userAgent?: string
  /** For sites of one's own: robots.txt is not even asked for. Default false. */
  readonly ignoreRobots?: boolean
  /** Requests per second at one host, at most; `rate.maxRps` by a shorter name. Default: as the rate plugin has it. */
  readonly maxRps?: number
  /** What robots.txt asks for. */
  readonly robots?: RobotsOptions | false
  /** A rate for each host, learned from its refusals; false: core's fixed spacing. */
  readonly rate?: AimdOptions | false
  /** When to leave a failing host alone, and for how long. */
  readonly breaker?: BreakerOptions | false
  /** How long to wait for a host, learned from its answers. */
  readonly timeouts?: AdaptiveTimeoutOptions | false
  /** What is tried again, when, and how often. */
  readonly retry?: RetryOptions | false
}

const NAMES = {
  userAgent: 0,
  ignoreRobots: 0,
  maxRps: 0,
  robots: 0,
  rate: 0,
  breaker: 0,
  timeouts: 0,
  retry: 0,
} satisfies Record<keyof PoliteOptions, 0>

/**
 * The plugins `robots`, `aimd`, `breaker`, `adaptive-timeout` and `retry`, each with its defaults. What `hosts:` says of single hosts, they read.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from '@avocet/core'
 * const userAgent = 'price-watch (+https://example.org/bot)'
 * export default defineCrawl({ spider, userAgent, plugins: polite({ userAgent, maxRps: 5, retry: { maxAttempts: 2 } }) })
 * ```
 */
export function polite(options: PoliteOptions = {}): readonly Plugin[] {
  check(options)
  const { userAgent, ignoreRobots = false, maxRps, rate = {}, timeouts = {} } = options
  const { robots: rules = {}, breaker: circuit = {}, retry: retries = {} } = options
  return [
    ...(rules === false || ignoreRobots
      ? []
      : [robots({ ...(userAgent !== undefined && { agent: agentOf(userAgent) }), ...rules })]),
    ...(rate === false ? [] : [aimd({ ...(maxRps !== undefined && { maxRps }), ...rate })]),
    ...(circuit === false ? [] : [breaker(circuit)]),
    ...(timeouts === false ? [] : [adaptiveTimeout(timeouts)]),
    ...(retries === false ? [] : [retry(retries)]),
  ]
}

/** What the plugins do not check themselves. */
function check({ userAgent, ignoreRobots, maxRps, rate, ...others }: PoliteOptions): void {
  const unknown = Object.keys(others).find((name) => !Object.hasOwn(NAMES, name))
  if (unknown !== undefined) throw wrong(`the options of polite to be among ${Object.keys(NAMES).join(', ')}`, unknown)
  if (userAgent !== undefined && typeof userAgent !== 'string') throw wrong('userAgent to be a text', userAgent)
  if (ignoreRobots !== undefined && typeof ignoreRobots !== 'boolean')
    throw wrong('ignoreRobots to be true or false', ignoreRobots)
  if (maxRps !== undefined && rate === false) throw wrong('no maxRps beside rate: false (use hosts: { "*": { maxRps } })', maxRps)
}

function wrong(what: string, got: unknown): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', `expected ${what}, got ${JSON.stringify(got) ?? String(got)}`)
}
