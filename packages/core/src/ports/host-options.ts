// What a user may set for single hosts: `hosts: { 'api.shop.example': { maxRps: 4 } }`. Patterns are matched once, when a host is leased.
//
// A pattern is a host name for every port (`shop.example`) or for one (`shop.example:8080`), `*.shop.example` for all names below, or `*` for all hosts. For
// each option the most specific pattern that sets it counts: the exact key before `*.shop.example` before `*.example` before `*`.
import { satisfying, type OptionRule } from '../values/options.ts'

/** Options of one host. Policies read them, and so does a plugin that replaces a policy. */
export interface HostOptions {
  /**
   * Maximum requests per second, under every rate policy. Starts are evenly spaced; a start that is up to 50 ms late is made up
   * for.
   */
  readonly maxRps?: number
  /** Maximum requests in flight. */
  readonly maxInFlight?: number
  /** Minimum time between two requests, counted from sending. */
  readonly delayMs?: number
  /**
   * Requests begin between these times of the day only, such as `['20:00', '08:00']` by the clock of `timeZone`: pages,
   * robots.txt, retries. What is in flight ends. `['00:00', '24:00']`: at any time.
   */
  readonly between?: readonly [begin: string, end: string]
  /** Time zone of `between`, such as `Europe/Berlin` or `UTC`. */
  readonly timeZone?: string
  /** Maximum wait for the first byte. */
  readonly firstByteMs?: number
  /** Ignore robots.txt: for your own sites. */
  readonly ignoreRobots?: boolean
  /** Whether connections to private addresses are allowed. Matched by host, also with `hostKeying: 'domain'`; `*.` matches subdomains. */
  readonly allowPrivate?: boolean
  /**
   * `auto`: HTTP/2 over one connection where the server offers it; a host that breaks over it is asked over HTTP/1.1. Matched as
   * `allowPrivate` is. Default `off`.
   */
  readonly http2?: 'auto' | 'off'
}

/** A limit that hosts have together, such as shops of one platform. */
export interface SharedLimit {
  /** Patterns of hosts, as under `hosts`. The first one names the limit. */
  readonly match: string | readonly string[]
  /**
   * The hosts are behind one limiter of theirs: what they take together is learned, and a 429 of one slows or pauses all.
   * Default false: a bound of yours, which no answer changes.
   */
  readonly share?: boolean
  /** Maximum requests per second over all of them, also of several processes. With `share` default 10, as for a host; else needed. */
  readonly maxRps?: number
  /**
   * One such limit for each address of hosts (/24 of IPv4, /48 of IPv6), value of a header field of their answers, named
   * session, or exit (a proxy, or none), instead of one for all.
   */
  readonly by?: 'address' | 'session' | 'exit' | { readonly header: string }
}

/** Options by pattern. */
export type HostsOptions = Readonly<Record<string, HostOptions>>

const NONE: HostOptions = {}
const PATTERN = /^(?:\*|(?:\*\.)?[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?)$/

/** What a pattern of hosts may be. */
export const HOST_NAME: OptionRule = satisfying(
  'a host name such as shop.example, *.shop.example or *, in lower case',
  (name) => typeof name === 'string' && PATTERN.test(name),
)

/** What a configuration says of hosts. */
type SaidOfHosts = Readonly<Partial<Record<'delayMs' | 'maxPerHost', number>>> & { readonly hosts?: HostsOptions }

/** `hosts` with the bounds for all hosts as options of `*`: admission keeps to them under every rate policy. */
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
 * Reads `hosts:` of a configuration, which was checked.
 *
 * @example
 * ```ts
 * const optionsOf = compileHostOptions({ '*': { maxRps: 5 }, 'api.shop.example': { maxRps: 1 } })
 * optionsOf('api.shop.example').maxRps // 1
 * ```
 */
export function compileHostOptions(
  hosts: HostsOptions = {},
  { anyPort = true }: { readonly anyPort?: boolean } = {},
): (hostKey: string) => HostOptions {
  const patterns = new Map(Object.entries(hosts).map(([pattern, options]) => [pattern, chosenOf(options)]))
  if (patterns.size === 0) return () => NONE
  return (hostKey) => {
    const found = [...patternsOf(hostKey, anyPort)].toReversed().map((pattern) => patterns.get(pattern))
    return Object.assign({}, ...found) as HostOptions
  }
}

/** What is undefined is left out: a general pattern says it. */
function chosenOf(options: HostOptions): HostOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/**
 * The patterns that match `hostKey`, the most specific first: with its port, and (`anyPort`) the names for every port.
 *
 * @example
 * ```ts
 * [...patternsOf('www.shop.example')] // ['www.shop.example', '*.shop.example', '*.example', '*']
 * ```
 */
export function* patternsOf(hostKey: string, anyPort = true): Generator<string> {
  const name = hostKey.replace(/:\d+$/, '')
  const keys = anyPort && name !== hostKey ? [hostKey, name] : [hostKey]
  yield* keys
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) yield* keys.map((key) => `*${key.slice(dot)}`)
  yield '*'
}
