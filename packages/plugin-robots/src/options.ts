// What the plugin can be told, and the check of it.
import { AvocetError } from '@avocet/core'
import { productToken } from './product-token.ts'

/** Options of `robots`. */
export interface RobotsOptions {
  /** Product token to look up in robots.txt, or a whole User-Agent field: its first word counts. Default: that of the crawl's `userAgent`. */
  readonly agent?: string
  /** All hosts are one's own: nothing is asked for, nothing is disallowed. Default false. For single hosts: `hosts: { 'own.example': { ignoreRobots: true } }`. */
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

/** Fills in the defaults. Throws AVO_CONFIG_INVALID. */
export function checked(options: RobotsOptions): Rules {
  const { agent, ignore = false, maxCrawlDelayMs = 300_000, ...unknown } = options
  const expect = (what: string, expected: string, value: unknown): AvocetError =>
    new AvocetError(
      'AVO_CONFIG_INVALID',
      `expected robots' ${what} to be ${expected}, got ${typeof value === 'number' ? value : JSON.stringify(value)}`,
    )
  for (const [name, value] of Object.entries(unknown))
    throw expect('options', 'agent, ignore and maxCrawlDelayMs', { [name]: value })
  const token = typeof agent === 'string' ? productToken(agent) : undefined
  if (agent !== undefined && token === undefined)
    throw expect('agent', 'a name that begins with letters, digits, "-" or "_"', agent)
  if (typeof ignore !== 'boolean') throw expect('ignore', 'true or false', ignore)
  if (typeof maxCrawlDelayMs !== 'number' || !(maxCrawlDelayMs >= 0 && maxCrawlDelayMs <= 86_400_000))
    throw expect('maxCrawlDelayMs', 'a number from 0 to 86400000', maxCrawlDelayMs)
  return { ...(token !== undefined && { agent: token }), ignore, maxCrawlDelayMs }
}
