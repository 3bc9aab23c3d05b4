// Whether a value is a configuration: no unknown key, and every value of the right kind. Ranges are core's to check.
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { didYouMean } from '../text/closest.ts'

type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean'

/** Every key of CrawlConfig with its kind; the compiler keeps the list whole. */
const KINDS = {
  spider: 'object',
  frontier: 'object',
  plugins: 'array',
  hosts: 'object',
  userAgent: 'string',
  headers: 'object',
  concurrency: 'number',
  maxPerHost: 'number',
  delayMs: 'number',
  patienceMs: 'number',
  maxPages: 'number',
  maxTimeMs: 'number',
  allowPrivate: 'boolean',
  hostKeying: 'string',
  maxHandlers: 'number',
  handlerTimeoutMs: 'number',
  maxYields: 'number',
  html: 'string',
  timeLimits: 'object',
  sizeLimits: 'object',
  drainMs: 'number',
  randomSeed: 'string',
  clock: 'object',
  fetcher: 'object',
} as const satisfies Readonly<Record<keyof CrawlConfig, Kind>>

/**
 * The value itself, if it is a configuration. A spider in it is checked on its own.
 *
 * @throws AVO_CONFIG_INVALID.
 */
export function checkConfig(value: unknown, from: string): Partial<CrawlConfig> {
  const wrong = (what: string): AvocetError => new AvocetError('AVO_CONFIG_INVALID', `${from}: ${what}`)
  if (kindOf(value) !== 'object') throw wrong(`expected defineCrawl({ … }), got ${kindOf(value)}`)
  for (const [key, given] of Object.entries(value as object)) {
    if (!Object.hasOwn(KINDS, key)) throw wrong(`there is no option '${key}'${didYouMean(key, Object.keys(KINDS))}`)
    const expected = KINDS[key as keyof typeof KINDS]
    if (given !== undefined && kindOf(given) !== expected)
      throw wrong(`expected ${key} to be of kind ${expected}, got ${kindOf(given)}`)
  }
  return value as Partial<CrawlConfig>
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
