// What an operator may order of a crawl, whoever runs it.
import { AvocetError } from '../errors.ts'
import { shown } from '../shown.ts'

/** Limits of one host that can be set while a crawl runs, as in `hosts:` of a configuration. */
export interface OrderedLimits {
  /** Maximum requests per second. */
  readonly maxRps?: number
  /** Maximum requests in flight. */
  readonly maxInFlight?: number
  /** Minimum time between two requests, in ms. */
  readonly delayMs?: number
}

/** What is to become of them: a number is set, null is as configured again, and what is left out stays. */
export type LimitsChange = { readonly [Name in keyof OrderedLimits]?: number | null }

/** A URL that is added, and the handler of its page; the spider's `start` where none is named. */
export interface AddedSeed {
  /** Absolute, with http or https. */
  readonly url: string
  /** As the spider names it. */
  readonly handler?: string
}

/** What an operator may order of a crawl. */
export type Control =
  /** Nothing more is requested until `resume`, also in later runs. Requests in flight finish. */
  | { readonly kind: 'pause' }
  /** Ends a pause of the crawl. Hosts that are paused stay so. */
  | { readonly kind: 'resume' }
  /** The processes that crawl now stop. `now`: they do not wait for requests in flight. The next run is not stopped. */
  | { readonly kind: 'stop'; readonly now?: boolean }
  /** Nothing is requested from this host until `until` (epoch ms); absent: until `resume-host`. */
  | { readonly kind: 'pause-host'; readonly hostKey: string; readonly until?: number }
  /** Ends a pause of this host. */
  | { readonly kind: 'resume-host'; readonly hostKey: string }
  /** Limits of this host, in place of those of the configuration. */
  | { readonly kind: 'limit-host'; readonly hostKey: string; readonly limits: LimitsChange }
  /** Discards what the policies learned of this host: rate, breaker, timeouts, retries, robots.txt. The delay and Retry-After hold. */
  | { readonly kind: 'forget-host'; readonly hostKey: string }
  /** Adds seeds. Their hosts belong to the crawl from then on. */
  | { readonly kind: 'add'; readonly seeds: readonly AddedSeed[] }

/** URLs of one order. */
export const MAX_ADDED_SEEDS = 1_000

/** Throws AVO_USAGE for an order that nobody can carry out. */
export function assertControl(control: Control): void {
  if (control.kind === 'add') assertSeeds(control.seeds)
  else if ('hostKey' in control) assertHost(control.hostKey)
  if (control.kind === 'pause-host' && control.until !== undefined && !(Number.isFinite(control.until) && control.until > 0))
    throw wrong('a moment in epoch ms until which the host is paused', control.until)
  if (control.kind === 'limit-host') assertLimits(control.limits)
}

function assertSeeds(seeds: readonly AddedSeed[]): void {
  if (seeds.length === 0 || seeds.length > MAX_ADDED_SEEDS)
    throw wrong(`1 to ${MAX_ADDED_SEEDS} URLs to add at once`, seeds.length, 'for more, add several times')
  const bad = seeds.find(({ url }) => !/^https?:\/\//i.test(url) || !URL.canParse(url))
  if (bad !== undefined) throw wrong('absolute http(s) URLs to add', bad.url, 'write them like https://shop.example/')
}

function assertHost(hostKey: string): void {
  if (hostKey === '' || /[\s/\p{Cc}]/u.test(hostKey) || hostKey.length > 300)
    throw wrong('the name of a host such as shop.example', hostKey)
}

function assertLimits(limits: LimitsChange): void {
  const { maxRps, maxInFlight, delayMs } = limits
  if ([maxRps, maxInFlight, delayMs].every((value) => value === undefined)) throw wrong('a limit to set', 'none')
  if (typeof maxRps === 'number' && !(maxRps > 0 && maxRps < Infinity))
    throw wrong('a positive number of requests per second for maxRps', maxRps)
  if (typeof maxInFlight === 'number' && !(Number.isSafeInteger(maxInFlight) && maxInFlight >= 1))
    throw wrong('a whole number of requests, 1 or more, for maxInFlight', maxInFlight, 'to have none sent, pause the host')
  if (typeof delayMs === 'number' && !(delayMs >= 0 && delayMs < Infinity)) throw wrong('0 or more ms for delayMs', delayMs)
}

function wrong(expected: string, got: unknown, hint?: string): AvocetError {
  return new AvocetError('AVO_USAGE', `expected ${expected}, got ${shown(got)}${hint === undefined ? '' : `; ${hint}`}`)
}
