// Pages that are visited again and again: which, and when.
//
// A visit is due `everyMs` after the one before was due, not after it was made: so hourly stays hourly for weeks. A visit that comes later than
// its round is worth one visit: the rounds that passed meanwhile are counted as skipped, and the next is due at the first moment of the
// same grid that is still to come. Making up for them would ask a host that was away for a day 24 times for the same page.
import type { RecrawlRule } from '../ports/config.ts'
import { AvocetError } from '../values/errors.ts'
import type { Request } from '../ports/request.ts'
import { shown } from '../values/shown.ts'
import type { Spider } from '../ports/spider.ts'
import { keysOf, unknownKey } from '../values/closest.ts'
import { isGone, isThere, missingAfter } from './probation.ts'
import type { Again, Outcome } from '../ports/frontier.ts'

/** The next visit: when it is due, epoch ms, and how many rounds that leaves out. */
type Round = Pick<Again, 'at' | 'skipped'>

/** When the visit after one that was due at `dueAt` and is over at `now` is due, and how many rounds that leaves out. */
export function nextVisit(dueAt: number, everyMs: number, now: number): Round {
  const skipped = Math.max(0, Math.floor((now - dueAt) / everyMs))
  return { at: dueAt + (skipped + 1) * everyMs, skipped }
}

/** When a visit was due, and when it ended; epoch ms. */
interface Moments {
  readonly dueAt: number
  readonly now: number
}

/** Whether a link or a seed asked for a visit whose round is still to come. */
function isAhead({ again }: Request, { dueAt, now }: Moments): boolean {
  return again !== undefined && dueAt > now
}

/** The round after a visit. One that was ahead of its round leaves that where it is. */
function roundAfter(request: Request, moments: Moments, rule: RecrawlRule): Round {
  return isAhead(request, moments) ? roundToCome(moments, rule) : nextVisit(moments.dueAt, rule.everyMs, moments.now)
}

/** The round that is to come anyway; sooner, where the rule has become shorter since that was set. */
function roundToCome({ dueAt, now }: Moments, { everyMs }: RecrawlRule): Round {
  return { at: Math.min(dueAt, now + everyMs), skipped: 0 }
}

const RULE_KEYS = keysOf<RecrawlRule>({ everyMs: true, match: true, goneAfterVisits: true, goneAfterMs: true, keep: true })

/** The rules of a crawl. */
export class Recrawl {
  readonly #rules: readonly RecrawlRule[]

  constructor(rules: readonly RecrawlRule[]) {
    this.#rules = rules
  }

  /** The rules as text: the same for rules that are the same. */
  get text(): string {
    return ruleText(this.#rules)
  }

  get hasRules(): boolean {
    return this.#rules.length > 0
  }

  /** Whether by some rule pages are visited again: then the crawl waits for everything that is due at some moment, however far away. */
  get watches(): boolean {
    return this.#rules.some(({ everyMs }) => everyMs < Infinity)
  }

  /** The first rule that matches, if by it there is another visit. */
  ruleOf({ url, handler, knownAs = url }: Pick<Request, 'url' | 'handler' | 'knownAs'>): RecrawlRule | undefined {
    const rule = this.#rules.find(({ match }) => {
      // Not `test`: a pattern with the flag g would remember where it stopped.
      return match === undefined || (typeof match === 'string' ? match === handler : knownAs.search(match) >= 0)
    })
    return rule === undefined || rule.everyMs === Infinity ? undefined : rule
  }

  /** The visit after one that a handler accepted, or that found nothing new. `sentAt`, `now`: epoch ms. */
  afterPage(request: Request, { sentAt, now }: { readonly sentAt: number; readonly now: number }): Round | undefined {
    const rule = this.ruleOf(request)
    return rule && roundAfter(request, { dueAt: request.earlier?.dueAt ?? sentAt, now }, rule)
  }

  /**
   * The same outcome with another visit to come, for a page that failed or moved, be it in its first visit or in a later one. One that is believed
   * to be gone, or to have moved for good, is left alone, also when a link or a seed asked for it in vain.
   */
  afterTrouble(request: Request, outcome: Outcome, now: number): Outcome {
    if (outcome.kind !== 'failed' && outcome.kind !== 'moved') return outcome
    const rule = this.ruleOf(request)
    const { earlier } = request
    if (earlier?.gone && rule?.keep !== true && !isThere(outcome)) return { ...outcome, gone: true }
    if (rule === undefined) return outcome
    const { dueAt, missing: before } = earlier ?? { dueAt: outcome.fetched?.at ?? now }
    const moments = { dueAt, now }
    const missing = missingAfter(before, outcome, { ...moments, isAhead: isAhead(request, moments) })
    if (missing !== undefined && missing !== before && isGone(missing, rule, now)) return { ...outcome, gone: true }
    return { ...outcome, again: { ...roundAfter(request, moments, rule), ...(missing !== undefined && { missing }) } }
  }
}

/**
 * The rules of a configuration, checked.
 *
 * @throws AVO_CONFIG_INVALID
 */
export function recrawlRulesOf(rules: readonly RecrawlRule[] | undefined, spider: Spider): readonly RecrawlRule[] {
  const wrong = (what: string): AvocetError => new AvocetError('AVO_CONFIG_INVALID', what)
  if (rules !== undefined && !Array.isArray(rules))
    throw wrong(`expected recrawl to be a list of rules, [{ everyMs: 3_600_000 }], got ${shown(rules)}`)
  for (const [n, rule] of (rules ?? []).entries()) {
    if (typeof rule !== 'object' || rule === null)
      throw wrong(`expected recrawl[${n}] to be a rule, { everyMs: 3_600_000 }, got ${shown(rule)}`)
    const misspelled = unknownKey(rule, RULE_KEYS)
    if (misspelled !== undefined) throw wrong(`recrawl[${n}] ${misspelled}`)
    const { everyMs, match } = rule
    if (typeof everyMs !== 'number' || !(everyMs >= 1))
      throw wrong(`expected recrawl[${n}].everyMs to be a number of ms of at least 1, got ${shown(everyMs)}`)
    const problem = goneProblem(rule)
    if (problem !== undefined) throw wrong(`expected recrawl[${n}]${problem}`)
    if (match === undefined || (match instanceof RegExp && !match.sticky)) continue
    if (typeof match === 'string' && Object.hasOwn(spider.handlers, match)) continue
    const known = Object.keys(spider.handlers).join(', ')
    throw wrong(
      `expected recrawl[${n}].match to be a RegExp without the flag y, or the name of a handler (${known}), got ${shown(match)}`,
    )
  }
  return rules ?? []
}

/** What is wrong with when a rule takes a page for gone. */
function goneProblem({ everyMs, keep, goneAfterVisits, goneAfterMs }: RecrawlRule): string | undefined {
  if (goneAfterVisits !== undefined && !(Number.isSafeInteger(goneAfterVisits) && goneAfterVisits >= 1))
    return `.goneAfterVisits to be a whole number of at least 1, got ${shown(goneAfterVisits)}; keep: true never takes a page for gone`
  if (goneAfterMs !== undefined && !(Number.isFinite(goneAfterMs) && goneAfterMs >= 0))
    return `.goneAfterMs to be a number of ms of at least 0, got ${shown(goneAfterMs)}; keep: true never takes a page for gone`
  if (goneAfterVisits === undefined && goneAfterMs === undefined) return undefined
  if (keep === true) return ' to have keep, or goneAfterVisits and goneAfterMs, got both; leave one out'
  return everyMs === Infinity ? ' not to have goneAfterVisits or goneAfterMs, for its pages are never visited again' : undefined
}

/** JSON in which patterns and Infinity are told apart, too. */
export function ruleText(rules: unknown): string {
  return JSON.stringify(rules, (_key, value: unknown) =>
    value instanceof RegExp || typeof value === 'number' ? String(value) : value,
  )
}
