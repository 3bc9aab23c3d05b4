// What an operator may order of a crawl, whoever runs it, and what may be listed beside that.
import { AvocetError } from '../values/errors.ts'
import { shown } from '../values/shown.ts'
import { parseUrl } from '../url/parse-url.ts'

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
  /** Discards what the policies learned of this host: rate, breaker, timeouts, retries. What the host asked for holds, and so does the delay. */
  | { readonly kind: 'forget-host'; readonly hostKey: string }
  /** Adds seeds. Their hosts belong to the crawl from then on. */
  | { readonly kind: 'add'; readonly seeds: readonly AddedSeed[] }

/** Given-up pages that were retried, or dropped. */
export interface GivenUpChange {
  /** Among the orders that are listed. */
  readonly kind: 'given-up'
  /** Retried: they wait again. Dropped: nobody looks at them any more. */
  readonly done: 'retried' | 'dropped'
  /** How many. */
  readonly pages: number
  /** By how many the settled requests became more; negative where they wait again. */
  readonly settled: number
}

/** Patterns of URLs that the user opens again, or takes that back: from the next run on. */
interface PatternOrder {
  /** Among the orders that are listed. */
  readonly kind: 'accept' | 'forget-patterns'
  /** As `closedPatterns` of the report names them. */
  readonly patterns: readonly string[]
}

/** All that is stored as an order. */
export type Order = Control | GivenUpChange | PatternOrder

/** Later ones come for nobody, and would be taken for no moment. */
const LATEST_MOMENT = Date.UTC(5_000, 0)
const LONGEST_DELAY_MS = 366 * 24 * 3_600_000

/** URLs of one order. */
export const MAX_ADDED_SEEDS = 1_000

/** Throws AVO_USAGE for an order that nobody can carry out. */
function assertControl(control: Control): void {
  if (!KINDS.includes(control.kind)) throw wrong(`an order (${KINDS.join(', ')})`, control.kind)
  if (control.kind === 'add') assertSeeds(control.seeds)
  else if (control.kind !== 'pause' && control.kind !== 'resume' && control.kind !== 'stop') assertHost(control.hostKey)
  if (control.kind === 'pause-host' && control.until !== undefined && !(control.until > 0 && control.until < LATEST_MOMENT))
    throw wrong(
      'a moment in epoch ms, before the year 5000, until which the host is paused',
      control.until,
      'without one it is paused until it is resumed',
    )
  if (control.kind === 'limit-host') assertLimits(control.limits)
}

/** Throws AVO_USAGE for numbers that cannot be. */
function assertGivenUpChange({ pages, settled }: GivenUpChange): void {
  if (!(Number.isSafeInteger(pages) && pages > 0)) throw wrong('how many given-up pages, 1 or more', pages)
  if (!(Number.isSafeInteger(settled) && Math.abs(settled) <= pages))
    throw wrong('by how many the settled requests became more, at most as many as pages', settled)
}

const KINDS = Object.keys({
  ...{ pause: 0, resume: 0, stop: 0, add: 0 },
  ...{ 'pause-host': 0, 'resume-host': 0, 'limit-host': 0, 'forget-host': 0 },
} satisfies Record<Control['kind'], 0>)

function assertSeeds(seeds: readonly AddedSeed[]): void {
  if (seeds.length === 0 || seeds.length > MAX_ADDED_SEEDS)
    throw wrong(`1 to ${MAX_ADDED_SEEDS} URLs to add at once`, seeds.length, 'for more, add several times')
  const bad = seeds.find(({ url }) => !/^https?:\/\//i.test(url) || !URL.canParse(url))
  if (bad !== undefined) throw wrong('absolute http(s) URLs to add', bad.url, 'write them like https://shop.example/')
}

function assertHost(hostKey: string): void {
  if (typeof hostKey !== 'string' || hostKey === '' || /[\s/\p{Cc}]/u.test(hostKey) || hostKey.length > 300)
    throw wrong('the name of a host such as shop.example', hostKey)
}

/** What a report names, whole hosts and whole domains. */
function assertPatterns(patterns: readonly string[]): void {
  const bad = patterns.find((pattern) => /^[a-z][a-z\d+.-]*:\/\//i.test(pattern) || !/^[^\s/]+\/\S*$|^\*\.[^\s/]+$/.test(pattern))
  if (bad !== undefined)
    throw wrong('a pattern such as shop.example/cal?d=* or *.shop.example', bad, 'the report names those that are closed')
}

function assertLimits(limits: LimitsChange): void {
  const { maxRps, maxInFlight, delayMs } = limits
  if ([maxRps, maxInFlight, delayMs].every((value) => value === undefined)) throw wrong('a limit to set', 'none')
  if (typeof maxRps === 'number' && !(maxRps >= 1_000 / LONGEST_DELAY_MS && maxRps < Infinity))
    throw wrong('a positive number of requests per second for maxRps, at least one request a year', maxRps)
  if (typeof maxInFlight === 'number' && !(Number.isSafeInteger(maxInFlight) && maxInFlight >= 1))
    throw wrong('a whole number of requests, 1 or more, for maxInFlight', maxInFlight, 'to have none sent, pause the host')
  if (typeof delayMs === 'number' && !(delayMs >= 0 && delayMs <= LONGEST_DELAY_MS))
    throw wrong('0 or more ms for delayMs, a year at most', delayMs)
}

function wrong(expected: string, got: unknown, hint?: string): AvocetError {
  return new AvocetError('AVO_USAGE', `expected ${expected}, got ${shown(got)}${hint === undefined ? '' : `; ${hint}`}`)
}

/** As it is stored: without user names and passwords in URLs; `hidden` takes values out that nobody is to read. Throws AVO_USAGE for what is no order. */
export function storedOrder<Given extends Order>(order: Given, hidden: (url: string) => string): Given {
  if (order.kind === 'given-up') assertGivenUpChange(order)
  else if ('patterns' in order) assertPatterns(order.patterns)
  else assertControl(order)
  if (order.kind !== 'add') return order
  return { ...order, seeds: order.seeds.map((seed) => ({ ...seed, url: hidden(parseUrl(seed.url) ?? seed.url) })) }
}
