// Whether a value is a configuration: no unknown key, and every value of the right kind. Ranges are core's to check.
import {
  AvocetError,
  DEFAULT_DISCOVERY_LIMITS,
  DEFAULT_SIZE_LIMITS,
  DEFAULT_TIME_LIMITS,
  didYouMean,
  type CrawlConfig,
  type HostOptions,
} from '@avocet/core'

type Kind = 'object' | 'array' | 'string' | 'number' | 'boolean'

/** Every key of CrawlConfig with its kind; the compiler keeps the list whole. */
const KINDS = {
  spider: 'object',
  frontier: 'object',
  policies: 'array',
  plugins: 'array',
  hosts: 'object',
  userAgent: 'string',
  headers: 'object',
  secretParameters: 'array',
  concurrency: 'number',
  maxPerHost: 'number',
  delayMs: 'number',
  patienceMs: 'number',
  storePatienceMs: 'number',
  recrawl: 'array',
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
  bodyBudgetBytes: 'number',
  discoveryLimits: 'object',
  resolver: 'string',
  nameServers: 'array',
  blockedStatuses: 'array',
  drainMs: 'number',
  randomSeed: 'string',
  clock: 'object',
  fetcher: 'object',
} as const satisfies Readonly<Record<keyof CrawlConfig, Kind>>

/** Every option of a host with its kind, in the same way. */
const HOST_KINDS = {
  maxRps: 'number',
  maxInFlight: 'number',
  delayMs: 'number',
  firstByteMs: 'number',
  ignoreRobots: 'boolean',
  allowPrivate: 'boolean',
} as const satisfies Readonly<Record<keyof HostOptions, Kind>>

/** What a text may be. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  html: ['parse5', 'fast'],
  hostKeying: ['host', 'domain'],
  resolver: ['dns', 'system'],
}

/**
 * The value itself, if it is a configuration. A spider in it is checked on its own.
 *
 * @throws AVO_CONFIG_INVALID.
 */
export function checkConfig(value: unknown, from: string): Partial<CrawlConfig> {
  const wrong: Wrong = (what) => new AvocetError('AVO_CONFIG_INVALID', `${from}: ${what}`)
  if (kindOf(value) !== 'object') throw wrong(`expected defineCrawl({ … }), got ${kindOf(value)}`)
  for (const [key, given] of Object.entries(value as object)) {
    if (!Object.hasOwn(KINDS, key)) throw wrong(`there is no option '${key}'${didYouMean(key, Object.keys(KINDS))}`)
    const expected = KINDS[key as keyof typeof KINDS]
    if (given !== undefined && kindOf(given) !== expected)
      throw wrong(`expected ${key} to be of kind ${expected}, got ${kindOf(given)}`)
  }
  const config = value as Partial<CrawlConfig>
  for (const [key, words] of Object.entries(WORDS)) checkWord(key, config[key as keyof CrawlConfig], words, wrong)
  checkMembers('timeLimits', config.timeLimits, kindsLike(DEFAULT_TIME_LIMITS), wrong)
  checkMembers('sizeLimits', config.sizeLimits, kindsLike(DEFAULT_SIZE_LIMITS), wrong)
  checkMembers('discoveryLimits', config.discoveryLimits, kindsLike(DEFAULT_DISCOVERY_LIMITS), wrong)
  for (const [pattern, options] of Object.entries(config.hosts ?? {}))
    checkMembers(`hosts['${pattern}']`, options, HOST_KINDS, wrong)
  for (const [name, field] of Object.entries(config.headers ?? {}))
    if (kindOf(field) !== 'string') throw wrong(`expected headers['${name}'] to be of kind string, got ${kindOf(field)}`)
  return config
}

type Wrong = (what: string) => AvocetError

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Every member of `group` is known and of its kind. */
function checkMembers(group: string, members: unknown, kinds: Readonly<Record<string, Kind>>, wrong: Wrong): void {
  if (members === undefined) return
  if (kindOf(members) !== 'object') throw wrong(`expected ${group} to be of kind object, got ${kindOf(members)}`)
  for (const [name, given] of Object.entries(members as object)) {
    const expected = Object.hasOwn(kinds, name) ? kinds[name] : undefined
    if (expected === undefined) throw wrong(`${group} has no '${name}'${didYouMean(name, Object.keys(kinds))}`)
    if (given !== undefined && kindOf(given) !== expected)
      throw wrong(`expected ${group}.${name} to be of kind ${expected}, got ${kindOf(given)}`)
  }
}

function checkWord(key: string, given: unknown, words: readonly string[], wrong: Wrong): void {
  // That it is a text is known by now.
  if (typeof given !== 'string' || words.includes(given)) return
  throw wrong(`expected ${key} to be ${words.join(' or ')}, got '${given}'${didYouMean(given, words)}`)
}

function kindsLike(defaults: object): Readonly<Record<string, Kind>> {
  return Object.fromEntries(Object.entries(defaults).map(([name, value]): [string, Kind] => [name, kindOf(value) as Kind]))
}
