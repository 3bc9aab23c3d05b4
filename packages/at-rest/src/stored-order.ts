// Which orders of an operator can be carried out, and how they are stored.
import { AvocetError } from '@avocet/core'
import { parseUrl } from '@avocet/core/plugin'
import { shown, type Ports } from '@avocet/core/store'
import type { Control, LimitsChange } from '@avocet/core/tools'

/** What a crawl orders, or lists. */
type CrawlOrder = Parameters<Awaited<ReturnType<Ports['orders']>>['prepared']>[0]

/** Patterns of URLs that the user opens again, or takes that back: from the next run on. */
interface PatternOrder {
  /** Among the orders that are listed. */
  readonly kind: 'accept' | 'forget-patterns'
  /** As `closedPatterns` of the report names them. */
  readonly patterns: readonly string[]
}

/** All that is stored as an order. */
export type Order = CrawlOrder | PatternOrder

/** URLs that are added. */
export type AddedSeeds = Extract<Control, { kind: 'add' }>['seeds']

/** Later ones come for nobody, and would be taken for no moment. */
const LATEST_MOMENT = Date.UTC(5_000, 0)
const LONGEST_DELAY_MS = 366 * 24 * 3_600_000

/** URLs of one order. */
export const MAX_ADDED_SEEDS = 1_000

const KINDS = [
  'pause',
  'resume',
  'stop',
  'pause-host',
  'resume-host',
  'limit-host',
  'forget-host',
  'accept-held',
  'add',
] satisfies Control['kind'][]

const AN_ORDER = `an order (${KINDS.join(', ')})`

/** Throws AVO_USAGE for an order that nobody can carry out. */
function assertControl(control: Control): void {
  if (!KINDS.includes(control.kind)) throw wrong(AN_ORDER, control.kind)
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
function assertGivenUpChange({ pages, settled }: Extract<Order, { kind: 'given-up' }>): void {
  if (!(Number.isSafeInteger(pages) && pages > 0)) throw wrong('how many given-up pages, 1 or more', pages)
  if (!(Number.isSafeInteger(settled) && Math.abs(settled) <= pages))
    throw wrong('by how many the settled requests became more, at most as many as pages', settled)
}

function assertSeeds(seeds: AddedSeeds): void {
  if (!Array.isArray(seeds)) throw wrong('URLs to add', seeds)
  if (seeds.length === 0 || seeds.length > MAX_ADDED_SEEDS)
    throw wrong(`1 to ${MAX_ADDED_SEEDS} URLs to add at once`, seeds.length, 'for more, add several times')
  const urls = seeds.map((seed: AddedSeeds[number] | null) => seed?.url ?? '')
  const bad = urls.find((url) => !/^https?:\/\//i.test(url) || !URL.canParse(url))
  if (bad !== undefined) throw wrong('absolute http(s) URLs to add', bad, 'write them like https://shop.example/')
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
  const { maxRps, maxInFlight, delayMs } = limits ?? {}
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
  // A program that no compiler has checked may give anything.
  if (typeof order !== 'object' || order === null) throw wrong(AN_ORDER, order)
  if (order.kind === 'given-up') assertGivenUpChange(order)
  else if ('patterns' in order) assertPatterns(order.patterns)
  else assertControl(order)
  if (order.kind !== 'add') return order
  return { ...order, seeds: order.seeds.map((seed) => ({ ...seed, url: hidden(parseUrl(seed.url) ?? seed.url) })) }
}
