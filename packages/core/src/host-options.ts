// What a user may set for single hosts: `hosts: { 'api.shop.example': { maxRps: 4 } }`. Patterns are matched once, when a host is leased.
//
// A pattern is a host key (`shop.example`, `shop.example:8080`), `*.shop.example` for all names below, or `*` for all hosts. For each option the
// most specific pattern that sets it counts: the exact key before `*.shop.example` before `*.example` before `*`.
import { AvocetError } from './errors.ts'

/** Options of one host. Policies read them, and so does a plugin that replaces a policy. */
export interface HostOptions {
  /** Maximum requests per second. With a fixed rate: the rate. */
  readonly maxRps?: number
  /** Maximum requests in flight. */
  readonly maxInFlight?: number
  /** Minimum time between the starts of two requests. */
  readonly delayMs?: number
  /** Maximum wait for the first byte. */
  readonly firstByteMs?: number
  /** Ignore robots.txt: for your own sites. */
  readonly ignoreRobots?: boolean
  /** Whether connections to private addresses are allowed. Matched by host, also with `hostKeying: 'domain'`; `*.` matches subdomains. */
  readonly allowPrivate?: boolean
}

/** Options by pattern. */
export type HostsOptions = Readonly<Record<string, HostOptions>>

const NONE: HostOptions = {}
const PATTERN = /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/

const RULES: Readonly<Record<keyof HostOptions, { readonly expected: string; readonly holds: (value: unknown) => boolean }>> = {
  maxRps: { expected: 'a number above 0', holds: (value) => isNumber(value) && value > 0 },
  maxInFlight: { expected: 'a whole number of at least 1', holds: (value) => Number.isInteger(value) && Number(value) >= 1 },
  delayMs: { expected: 'a number of at least 0', holds: (value) => isNumber(value) && value >= 0 },
  firstByteMs: { expected: 'a number above 0', holds: (value) => isNumber(value) && value > 0 },
  ignoreRobots: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  allowPrivate: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
}

/** What a configuration says of hosts. */
interface SaidOfHosts {
  readonly hosts?: HostsOptions
  readonly delayMs?: number
  readonly maxPerHost?: number
}

/** `hosts` with the bounds for all hosts as options of `*`: the scheduler and the rate policy keep to them. */
export function hostsOptionsOf({ hosts, delayMs, maxPerHost }: SaidOfHosts): HostsOptions | undefined {
  if (delayMs === undefined && maxPerHost === undefined) return hosts
  const all = hosts?.['*'] ?? {}
  return {
    ...hosts,
    '*': {
      ...all,
      ...(delayMs !== undefined && { delayMs: Math.max(delayMs, all.delayMs ?? 0) }),
      ...(maxPerHost !== undefined && { maxInFlight: Math.min(maxPerHost, all.maxInFlight ?? Infinity) }),
    },
  }
}

/**
 * Reads `hosts:` of a configuration.
 *
 * @throws AVO_CONFIG_INVALID for what is no pattern, no option, or out of range.
 * @example
 * ```ts
 * const optionsOf = compileHostOptions({ '*': { maxRps: 5 }, 'api.shop.example': { maxRps: 1 } })
 * optionsOf('api.shop.example').maxRps // 1
 * ```
 */
export function compileHostOptions(hosts: HostsOptions = {}): (hostKey: string) => HostOptions {
  for (const [pattern, options] of Object.entries(hosts)) check(pattern, options)
  const patterns = new Map(Object.entries(hosts))
  if (patterns.size === 0) return () => NONE
  return (hostKey) => {
    const found = [...generalOf(hostKey)].toReversed().map((pattern) => patterns.get(pattern))
    return Object.assign({}, ...found) as HostOptions
  }
}

/** The patterns that match `hostKey`, the most specific first. */
function* generalOf(hostKey: string): Generator<string> {
  yield hostKey
  for (let dot = hostKey.indexOf('.'); dot >= 0; dot = hostKey.indexOf('.', dot + 1)) yield `*${hostKey.slice(dot)}`
  yield '*'
}

function check(pattern: string, options: unknown): void {
  const wrong = (what: string): AvocetError => new AvocetError('AVO_CONFIG_INVALID', what)
  if (!PATTERN.test(pattern)) {
    throw wrong(
      `hosts: expected a host name such as shop.example, *.shop.example or *, in lower case, got ${JSON.stringify(pattern)}`,
    )
  }
  if (typeof options !== 'object' || options === null)
    throw wrong(`hosts['${pattern}']: expected options, got ${String(options)}`)
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(RULES, name)) {
      throw wrong(`hosts['${pattern}']: there is no option '${name}'; the options are ${Object.keys(RULES).join(', ')}`)
    }
    const { expected, holds } = RULES[name as keyof HostOptions]
    if (value !== undefined && !holds(value))
      throw wrong(`hosts['${pattern}'].${name}: expected ${expected}, got ${String(value)}`)
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
