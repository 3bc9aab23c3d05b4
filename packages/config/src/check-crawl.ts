// What the options of a crawl may be: one rule for each, so that a new option without a rule does not compile.
//
// Lists whose entries need a message of their own (rules for visiting again, statuses, name servers) are checked by those who read them,
// and the spider on its own: its errors have another code.
import { AvocetError, type CrawlConfig } from '@avocet/core'
import { option, type OptionRule, type OptionRules } from '@avocet/core/plugin'
import { DEFAULTS, shown, type Clock, type Fetcher, type Frontier } from '@avocet/core/store'
import { CREDENTIALS_RULE } from './credential-rules.ts'
import { HOSTS_RULE, LIMITS_RULE, unmatchedLimit, unmatchedPattern } from './host-rules.ts'
import { SINKS_RULE } from './sink-rules.ts'
import { spiderProblems } from './spider-rules.ts'

const { anyObject, anyText, atLeast, flag, listOf, oneOf, orInfinity, recordOf, satisfying, tableOf, wholeNumber } = option

const aListOf = (what: string): OptionRule => satisfying(`a list of ${what}`, (value) => Array.isArray(value))
const PLUGINS = listOf(satisfying('a plugin, definePlugin({ name, … })', (value) => typeof value === 'object' && value !== null))

/** A port: at least these methods, its own or inherited. */
function withMethods<Port>(...names: readonly (keyof Port & string)[]): OptionRule {
  return satisfying(
    `an object with the methods ${names.join(', ')}`,
    (value) => anyObject.problem(value, '') === undefined && names.every((name) => typeof (value as Port)[name] === 'function'),
  )
}

const secretParameter = satisfying(
  "the name of a query parameter, such as 'token'",
  (value) => typeof value === 'string' && value !== '' && !/[\s?&=#,]/.test(value),
)

const USER_AGENT = satisfying(
  'a name (letters, digits, signs; no line break, no character above U+00FF)',
  (value) => option.isFieldValue(value) && String(value).trim() !== '',
)

const SESSION_NAME = satisfying('letters, digits, dashes, underscores or dots, 64 at most', option.isSessionName)

type OptionTable = Readonly<Record<string, OptionRule>>

const RULES: OptionRules<CrawlConfig> = {
  // Its errors have a code of their own.
  spider: satisfying('a spider', () => true),
  frontier: withMethods<Frontier>('open', 'add', 'lease', 'commit', 'release', 'close'),
  policies: PLUGINS,
  plugins: PLUGINS,
  sinks: SINKS_RULE,
  hosts: HOSTS_RULE,
  limits: LIMITS_RULE,
  userAgent: USER_AGENT,
  headers: option.headers,
  credentials: CREDENTIALS_RULE,
  sessions: recordOf(sessionRule(), SESSION_NAME),
  secretParameters: listOf(secretParameter),
  concurrency: wholeNumber(1),
  maxPerHost: wholeNumber(1),
  delayMs: atLeast(0),
  patienceMs: orInfinity(atLeast(0)),
  storePatienceMs: orInfinity(atLeast(0)),
  recrawl: aListOf('rules, [{ everyMs: 3_600_000 }]'),
  keep: tableOf({ itemsMs: orInfinity(atLeast(3_600_000)), historyMs: orInfinity(atLeast(3_600_000)) }),
  maxPages: wholeNumber(1),
  maxTimeMs: orInfinity(atLeast(1)),
  offersSeeds: flag,
  allowPrivate: flag,
  hostKeying: oneOf('host', 'domain'),
  maxHandlers: wholeNumber(1),
  handlerTimeoutMs: orInfinity(atLeast(1)),
  maxYields: wholeNumber(1),
  timeLimits: limitsLike(DEFAULTS.timeLimits),
  sizeLimits: limitsLike(DEFAULTS.sizeLimits),
  // Three times what a chunk is at most, and as much for others: with less not even a small page would do.
  bodyBudgetBytes: wholeNumber(2 ** 20),
  discoveryLimits: limitsLike(DEFAULTS.discoveryLimits),
  resolver: oneOf('dns', 'system'),
  nameServers: aListOf('IP addresses'),
  blockedStatuses: aListOf('statuses from 400 to 999 without 402, 429 and 503, which are no bans'),
  drainMs: orInfinity(atLeast(0)),
  randomSeed: anyText,
  clock: withMethods<Clock>('now', 'at'),
  fetcher: withMethods<Fetcher>('fetch', 'close'),
  browser: satisfying('browser({ … }) of @avocet/fetcher-browser', (value) => typeof value === 'function'),
}

/** What a named session sends. */
function sessionRule(): OptionRule {
  return tableOf<NonNullable<CrawlConfig['sessions']>[string]>({
    headers: option.headers,
    userAgent: USER_AGENT,
    proxy: satisfying("a proxy URL, a list of them, or 'direct'", (value) => typeof value === 'string' || Array.isArray(value)),
    credentials: CREDENTIALS_RULE,
  })
}

/**
 * Checks what a crawl is made of: a configuration, and the spider in it where there is one.
 *
 * @param from where it comes from, such as a file: messages begin with it.
 * @param more rules of options beside those of a crawl.
 * @throws AVO_CONFIG_INVALID, AVO_SPIDER_INVALID, with what was expected and what came. Of several mistakes the first; its cause has the others.
 * @example
 * ```ts
 * import { checkCrawl } from '@avocet/config'
 *
 * checkCrawl({ concurrency: 200 })
 * checkCrawl({ conccurrency: 200 }, 'avocet.config.ts') // throws: there is no option 'conccurrency' (did you mean 'concurrency'?)
 * ```
 */
export function checkCrawl(config: unknown, from?: string, more: OptionTable = {}): asserts config is Partial<CrawlConfig> {
  const errorOf = (code: 'AVO_CONFIG_INVALID' | 'AVO_SPIDER_INVALID', problem: string): AvocetError =>
    new AvocetError(code, from === undefined ? problem : `${from}: ${problem}`)
  const errors = configProblems(config, { ...RULES, ...more }).map((problem) => errorOf('AVO_CONFIG_INVALID', problem))
  const { spider } = (config ?? {}) as Partial<CrawlConfig>
  if (spider !== undefined) errors.push(...spiderProblems(spider).map((problem) => errorOf('AVO_SPIDER_INVALID', problem)))
  const [error, ...others] = errors
  if (error !== undefined) throw Object.assign(error, others.length > 0 && { cause: new AggregateError(others) })
}

function configProblems(config: unknown, rules: OptionTable): readonly string[] {
  if (anyObject.problem(config, '') !== undefined) return [`expected defineCrawl({ … }), got ${shown(config)}`]
  return Object.entries(config as object).flatMap(([name, value]) => tableOf(rules).problem({ [name]: value }, '') ?? [])
}

/** A table of limits, like their defaults: each a number, or Infinity, where the default is one. */
function limitsLike(defaults: object): OptionRule {
  return tableOf(Object.fromEntries(Object.keys(defaults).map((name) => [name, orInfinity(atLeast(0))])))
}

/**
 * Checks the configuration of a crawl that a program makes: `checkCrawl`, and what no rule of a single option can say.
 *
 * @throws AVO_CONFIG_INVALID, AVO_SPIDER_INVALID.
 */
export function checkRunnable(config: CrawlConfig): void {
  checkCrawl({ ...config, spider: config.spider ?? null })
  const { seeds, name } = config.spider
  if (Array.isArray(seeds) && seeds.length === 0)
    throw new AvocetError('AVO_SPIDER_INVALID', `spider ${name} has no seeds: add at least one URL`)
  const problem =
    unmatchedPattern(config.hosts, config.hostKeying) ??
    unmatchedLimit(config.limits, config.hostKeying) ??
    fetchersOwn(config) ??
    userAgentIn([config, ...Object.values(config.sessions ?? {})]) ??
    sessionsProxy(config) ??
    changesOfNothing(config)
  if (problem !== undefined) throw new AvocetError('AVO_CONFIG_INVALID', problem)
}

/** What a fetcher brings itself, and what it is made with. */
function fetchersOwn({ fetcher, resolver, nameServers, bodyBudgetBytes }: CrawlConfig): string | undefined {
  if (fetcher !== undefined && (resolver !== undefined || nameServers !== undefined))
    return 'expected either a fetcher, which finds names itself, or resolver and nameServers, got both; leave one out'
  if (fetcher?.bodyBudget !== undefined && bodyBudgetBytes !== undefined)
    return 'expected either a fetcher that has a bodyBudget of its own, or bodyBudgetBytes, got both; leave one out'
  return undefined
}

/** The user agent is named once: policies such as robots.txt go by it. */
function userAgentIn(all: readonly Pick<CrawlConfig, 'headers'>[]): string | undefined {
  const isGiven = all.some(({ headers }) => Object.keys(headers ?? {}).some((name) => name.toLowerCase() === 'user-agent'))
  return isGiven ? 'expected the user agent in userAgent (--user-agent), got it among headers; move it there' : undefined
}

/** Proxies are a plugin's. */
function sessionsProxy({ sessions = {} }: CrawlConfig): string | undefined {
  const name = Object.keys(sessions).find((each) => sessions[each]?.proxy !== undefined)
  if (name === undefined) return undefined
  return `expected sessions.${name}.proxy in the configuration of the avocet command, got it in crawl(); add plugins: [proxies({ … }, { sessions: { ${name}: 'URL' } })] of @avocet/plugin-proxies`
}

/** A sink of changes would wait for the first one for ever. */
function changesOfNothing({ sinks = [], spider: { name, items } }: CrawlConfig): string | undefined {
  const sink = sinks.find(({ changes }) => changes === true)
  if (sink === undefined || (items !== undefined && 'watch' in items)) return undefined
  return `expected spider ${name} to watch items, for sink ${sink.name} gets their changes, got none; add items: { key: 'sku', watch: ['price'] } to the spider, or leave changes: true out of the sink`
}
