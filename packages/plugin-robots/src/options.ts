// The options of the plugin, and their check.
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { agentIn } from './product-token.ts'

/** Options of `robots`. */
export interface RobotsOptions {
  /** Product token to look up in robots.txt. Default: that of the crawl's `userAgent`. */
  readonly agent?: string
  /** All hosts are one's own: no robots.txt is requested. Default false. For single hosts: `ignoreRobots` under `hosts`. */
  readonly ignore?: boolean
  /** A host that asks for more than this between two requests is given up instead. Ms; default 300,000. */
  readonly maxCrawlDelayMs?: number
}

/** All of them, with the agent as a product token; without one it follows from the crawl's `userAgent`. */
export interface Rules {
  readonly agent?: string
  readonly ignore: boolean
  readonly maxCrawlDelayMs: number
}

const RULES: OptionRules<RobotsOptions> = {
  agent: option.satisfying('a name that begins with letters, digits, "-" or "_"', (agent) => tokenOf(agent) !== undefined),
  ignore: option.flag,
  maxCrawlDelayMs: option.between(0, 86_400_000),
}

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function checked(options: RobotsOptions): Rules {
  checkOptions('robots', options, RULES)
  const { agent, ignore = false, maxCrawlDelayMs = 300_000 } = options
  const token = tokenOf(agent)
  return { ...(token !== undefined && { agent: token }), ignore, maxCrawlDelayMs }
}

function tokenOf(agent: unknown): string | undefined {
  return typeof agent === 'string' ? agentIn(agent) : undefined
}
