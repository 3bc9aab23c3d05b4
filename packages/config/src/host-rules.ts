// What `hosts` of a configuration may be: options of one host each, and patterns that some host can match.
import type { HostOptions, SharedLimit } from '@avocet/core'
import { HOST_NAME, option, patternsOf, siteOf, type OptionRule, type OptionRules } from '@avocet/core/plugin'

const { atLeast, either, flag, listOf, needed, oneOf, positive, recordOf, satisfying, tableOf, wholeNumber } = option

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/

const RULES: OptionRules<HostOptions> = {
  maxRps: positive,
  maxInFlight: wholeNumber(1),
  delayMs: atLeast(0),
  between: satisfying("two different times of the day, such as ['20:00', '08:00']", isWindow),
  timeZone: satisfying('the name of a time zone, such as Europe/Berlin', isTimeZone),
  firstByteMs: positive,
  ignoreRobots: flag,
  allowPrivate: flag,
  http2: oneOf('auto', 'off'),
}

const HOST = tableOf(RULES)

/** What `hosts:` may be. */
export const HOSTS_RULE: OptionRule = recordOf(
  { ...HOST, problem: (value, path) => HOST.problem(value, path) ?? halfWindow(value as HostOptions, path) },
  HOST_NAME,
)

function isWindow(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false
  const [begin, end]: unknown[] = value
  return isTime(begin) && (isTime(end) || end === '24:00') && begin !== end
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && TIME.test(value)
}

function isTimeZone(name: unknown): boolean {
  try {
    return typeof name === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }))
  } catch {
    return false
  }
}

/** The clock of the machine is another one on each. */
function halfWindow({ between, timeZone }: HostOptions, path: string): string | undefined {
  if ((between === undefined) === (timeZone === undefined)) return undefined
  return between === undefined
    ? `expected ${path}.between beside timeZone, got none; add between: ['20:00', '08:00'], or remove timeZone`
    : `expected ${path}.timeZone beside between, got none; add timeZone: 'Europe/Berlin', or the one that the times are of`
}

const PLACES = ['address', 'session', 'exit']
const PLACE = satisfying(
  "'address', 'session', 'exit' or { header: 'x-served-by' }",
  (by) =>
    PLACES.includes(by as string) ||
    (typeof by === 'object' &&
      Object.keys(by ?? {}).join() === 'header' &&
      /^(?!(?:address|session|exit)$)[\w-]+$/i.test(String((by as { header: unknown }).header))),
)

const LIMITS: OptionRule = listOf(
  tableOf<SharedLimit>({ match: needed(either(HOST_NAME, listOf(HOST_NAME))), share: flag, maxRps: positive, by: PLACE }),
)

/** What `limits:` may be. */
export const LIMITS_RULE: OptionRule = {
  expected: LIMITS.expected,
  problem: (value, path) => LIMITS.problem(value, path) ?? contradiction((value ?? []) as readonly SharedLimit[]),
}

/** More would not fit into the memory of a crawl. */
const MOST_LIMITS = 50

/** What is wrong with limits that are well written each. */
function contradiction(limits: readonly SharedLimit[]): string | undefined {
  if (limits.length > MOST_LIMITS) return `expected at most ${MOST_LIMITS} limits, got ${limits.length}`
  for (const [n, { match, share = false, maxRps, by }] of limits.entries()) {
    const patterns = [match].flat()
    if (patterns.length === 0) return `limits[${n}] matches no host: match is empty`
    if (!share && maxRps === undefined) return `limits[${n}] limits nothing: add maxRps, or share: true to learn the rate`
    const namesake = limits.findIndex((other) => [other.match].flat()[0] === patterns[0] && isSamePlace(other.by, by))
    if (namesake < n) return `limits[${n}] contradicts limits[${namesake}]: both begin with '${patterns[0]}', which names them`
    const conflict = patterns
      .map((pattern) => conflictOf({ pattern, share, maxRps, by }, limits, n))
      .find((each) => each !== undefined)
    if (conflict !== undefined) return `limits[${n}] contradicts ${conflict}`
  }
  return undefined
}

function isSamePlace(a: SharedLimit['by'] | undefined, b: SharedLimit['by'] | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

interface OfPattern extends Pick<SharedLimit, 'share'> {
  readonly pattern: string
  readonly by: SharedLimit['by'] | undefined
  readonly maxRps: number | undefined
}

/** Another limit that a pattern of limit `n` is within, and that leaves it without a meaning. */
function conflictOf(
  { pattern, share, maxRps = Infinity, by }: OfPattern,
  limits: readonly SharedLimit[],
  n: number,
): string | undefined {
  const wider = new Set(patternsOf(pattern.replace('*', '_')))
  wider.add(pattern)
  for (const [other, limit] of limits.entries()) {
    const around = [limit.match].flat().find((each) => wider.has(each))
    if (other === n || around === undefined) continue
    const where = `limits[${other}]: ${around === pattern ? `both match '${pattern}'` : `'${pattern}' is within '${around}'`}`
    if (share && limit.share) return `${where}, and both share refusals; leave '${pattern}' out of one`
    // Hosts at several addresses may exceed what one of these is asked.
    const isWithin = limit.by === undefined || isSamePlace(limit.by, by)
    if (isWithin && maxRps < Infinity && maxRps >= (limit.maxRps ?? Infinity))
      return `${where}, whose ${limit.maxRps} a second it cannot exceed; leave '${pattern}' out, or lower its maxRps`
  }
  return undefined
}

const MOST_PORT = 65_535
const BY_HOST = new Set(['allowPrivate', 'http2'])

/**
 * Of the first pattern that matches no host: why, and what to write; undefined where all may match. What is said of connections goes by host, with any
 * keying.
 */
export function unmatchedPattern(
  hosts: Readonly<Record<string, HostOptions>> = {},
  keying: 'host' | 'domain' = 'host',
): string | undefined {
  for (const [pattern, options] of Object.entries(hosts)) {
    const problem = portProblem(pattern)
    const goesByKey = Object.entries(options).some(([name, value]) => !BY_HOST.has(name) && value !== undefined)
    const why = problem ?? (keying === 'domain' && goesByKey && pattern !== '*' ? domainProblem(pattern) : undefined)
    if (why !== undefined) return `hosts: '${pattern}' matches no host: ${why}`
  }
  return undefined
}

/** The same of the first pattern of a limit. */
export function unmatchedLimit(limits: readonly SharedLimit[] = [], keying?: 'host' | 'domain'): string | undefined {
  const patterns = limits.flatMap(({ match }) => match)
  return unmatchedPattern(Object.fromEntries(patterns.map((pattern) => [pattern, { maxRps: 1 }])), keying)?.replace(
    'hosts',
    'limits',
  )
}

function portProblem(pattern: string): string | undefined {
  const name = withoutPort(pattern)
  if (name === pattern) return undefined
  const port = Number(pattern.slice(pattern.lastIndexOf(':') + 1))
  if (port === 80 || port === 443) return `a default port is no part of a host; write '${name}'`
  return port < 1 || port > MOST_PORT ? `expected a port from 1 to ${MOST_PORT}, got ${port}` : undefined
}

/** Hosts are registrable domains, without ports: `shop.example`, never `www.shop.example`. */
function domainProblem(pattern: string): string | undefined {
  const name = withoutPort(pattern).replace(/^\*\./, '')
  const below = `x.${name}`
  // Below a public suffix there are domains.
  if (pattern.startsWith('*.') && siteOf(below) === below) return undefined
  const site = siteOf(name)
  return pattern === site ? undefined : `with hostKeying 'domain' hosts are registrable domains without a port; write '${site}'`
}

function withoutPort(pattern: string): string {
  return pattern.replace(/:\d+$/, '')
}
