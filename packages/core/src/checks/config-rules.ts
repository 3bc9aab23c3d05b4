// What the options of a crawl may be: one rule for each, so that a new option without a rule does not compile.
//
// Lists whose entries need a message of their own (rules for visiting again, statuses, name servers) are checked by those who read them,
// and the spider on its own: its errors have another code.
import type { Clock } from '../ports/clock.ts'
import { DEFAULTS, type CrawlConfig } from '../ports/config.ts'
import { CREDENTIALS_RULE, SESSION_NAME, type SessionSettings } from '../ports/credential.ts'
import { AvocetError } from '../values/errors.ts'
import type { Fetcher } from '../ports/fetcher.ts'
import type { Frontier } from '../ports/frontier.ts'
import { HEADERS_RULE, isFieldValue } from '../values/header-names.ts'
import { HOSTS_RULE } from '../ports/host-options.ts'
import { SCHEMA_SOURCE } from '../ports/reject.ts'
import type { Sink, SinkLimits } from '../ports/sink.ts'
import {
  anyObject,
  anyText,
  atLeast,
  callback,
  flag,
  hasMembers,
  listOf,
  memberProblems,
  needed,
  nonEmptyText,
  oneOf,
  orInfinity,
  recordOf,
  satisfying,
  synchronous,
  tableOf,
  wholeNumber,
  type OptionRule,
  type OptionRules,
} from '../values/options.ts'
import { shown } from '../values/shown.ts'
import { spiderProblems } from './spider-problem.ts'

const aListOf = (what: string): OptionRule => satisfying(`a list of ${what}`, (value) => Array.isArray(value))
const PLUGINS = listOf(satisfying('a plugin, definePlugin({ name, … })', (value) => typeof value === 'object' && value !== null))

/** A port: at least these methods, its own or inherited. */
function withMethods<Port>(...names: readonly (keyof Port & string)[]): OptionRule {
  return satisfying(
    `an object with the methods ${names.join(', ')}`,
    (value) => hasMembers(value) && names.every((name) => typeof (value as Port)[name] === 'function'),
  )
}

const secretParameter = satisfying(
  "the name of a query parameter, such as 'token'",
  (value) => typeof value === 'string' && value !== '' && !/[\s?&=#,]/.test(value),
)

const USER_AGENT = satisfying(
  'a name (letters, digits, signs; no line break, no character above U+00FF)',
  (value) => isFieldValue(value) && String(value).trim() !== '',
)

/** Limits of the batches of a sink. */
export const SINK_LIMITS_RULE: OptionRule = tableOf<SinkLimits>({
  maxItems: wholeNumber(1),
  maxBytes: wholeNumber(1),
  maxWaitMs: atLeast(0),
  timeoutMs: orInfinity(atLeast(1)),
})

const SINK_NAME = satisfying(
  `a name of your own: '${SCHEMA_SOURCE}' is what rejects of a schema have`,
  (name) => nonEmptyText.problem(name, '') === undefined && name !== SCHEMA_SOURCE,
)

const SINK: OptionRules<Sink> = {
  name: needed(SINK_NAME),
  write: needed(callback),
  limits: SINK_LIMITS_RULE,
  filter: synchronous,
  columns: listOf(nonEmptyText),
  options: anyObject,
  open: callback,
  finish: callback,
  close: callback,
}

/** Sinks with names of their own. */
const SINKS_RULE: OptionRule = {
  expected: 'a list of sinks, such as sink(async (items) => …, { name })',
  problem(value, path) {
    const problem = listOf({ expected: 'a sink', problem: sinkProblem }).problem(value, path)
    if (problem !== undefined) return problem
    const names = (value as readonly Sink[]).map(({ name }) => name)
    const twice = names.find((name, n) => names.indexOf(name) < n)
    return twice && `expected each sink in ${path} to have a name of its own, got '${twice}' twice; give one another name`
  },
}

type OptionTable = Readonly<Record<string, OptionRule>>

const RULES: OptionRules<CrawlConfig> = {
  // Its errors have a code of their own.
  spider: satisfying('a spider', () => true),
  frontier: withMethods<Frontier>('open', 'add', 'lease', 'commit', 'release', 'close'),
  policies: PLUGINS,
  plugins: PLUGINS,
  sinks: SINKS_RULE,
  hosts: HOSTS_RULE,
  userAgent: USER_AGENT,
  headers: HEADERS_RULE,
  credentials: CREDENTIALS_RULE,
  sessions: recordOf(sessionRule(), SESSION_NAME),
  secretParameters: listOf(secretParameter),
  concurrency: wholeNumber(1),
  maxPerHost: wholeNumber(1),
  delayMs: atLeast(0),
  patienceMs: orInfinity(atLeast(0)),
  storePatienceMs: orInfinity(atLeast(0)),
  recrawl: aListOf('rules, [{ everyMs: 3_600_000 }]'),
  maxPages: wholeNumber(1),
  maxTimeMs: orInfinity(atLeast(1)),
  allowPrivate: flag,
  hostKeying: oneOf('host', 'domain'),
  maxHandlers: wholeNumber(1),
  handlerTimeoutMs: orInfinity(atLeast(1)),
  maxYields: wholeNumber(1),
  html: oneOf('parse5', 'fast'),
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
  browser: satisfying('browser({ … }) of @avocet/fetcher-browser', isBrowser),
}

/** What a named session sends. */
function sessionRule(): OptionRule {
  return tableOf<SessionSettings>({
    headers: HEADERS_RULE,
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
  if (!hasMembers(config)) return [`expected defineCrawl({ … }), got ${shown(config)}`]
  return Object.entries(config).flatMap(([name, value]) => tableOf(rules).problem({ [name]: value }, '') ?? [])
}

/** Undefined counts as left out. */
function isBrowser(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'renders' in value && 'maxPages' in value && 'fetcherIn' in value
}

/** A table of limits, like their defaults: each a number, or Infinity, where the default is one. */
function limitsLike(defaults: object): OptionRule {
  return tableOf(Object.fromEntries(Object.keys(defaults).map((name) => [name, orInfinity(atLeast(0))])))
}

/** `given` over `defaults`; what is undefined is as if it were not there. */
export function limitsOf<Limits extends object>(
  defaults: Limits,
  given: { readonly [Name in keyof Limits]?: Limits[Name] | undefined } = {},
): Limits {
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(said) }
}

/** It may be of a class, with members of its own. */
function sinkProblem(value: unknown, path: string): string | undefined {
  return hasMembers(value)
    ? memberProblems(value, SINK, `${path}.`)[0]
    : satisfying('a sink, such as sink(async (items) => …, { name })', hasMembers).problem(value, path)
}
