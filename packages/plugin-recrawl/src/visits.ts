// When a page is visited again by its rule. Pure.
//
// A visit is due `everyMs` after the one before was due, not after it was made: so hourly stays hourly for weeks. A visit that comes later than
// its round is worth one visit: the rounds that passed meanwhile are counted as skipped, and the next is due at the first moment of the
// same grid that is still to come. Making up for them would ask a host that was away for a day 24 times for the same page.
import type { Plugin, RecrawlRule, Request } from '@avocet/core'
import { requestLaws, type RequestRecord } from '@avocet/core/store'

/** The next visit: when it is due, epoch ms, and how many rounds that leaves out. */
type Round = Readonly<Record<'at' | 'skipped', number>>

/** A store keeps whole ms: of the beginning, of the duration, and of the moment. */
const ROUNDED_MS = 3

/** The first rule that matches, if by it there is another visit. */
export function matchingRule(
  rules: readonly RecrawlRule[],
  { url, handler, knownAs = url }: Pick<Request, 'url' | 'handler' | 'knownAs'>,
): RecrawlRule | undefined {
  const rule = rules.find(({ match }) => {
    // Not `test`: a pattern with the flag g would remember where it stopped.
    return match === undefined || (typeof match === 'string' ? match === handler : knownAs.search(match) >= 0)
  })
  return rule === undefined || rule.everyMs === Infinity ? undefined : rule
}

/** When the visit after one that was due at `dueAt` and is over at `now` is due, and how many rounds that leaves out. */
export function nextVisit(dueAt: number, everyMs: number, now: number): Round {
  const skipped = Math.max(0, Math.floor((now - dueAt) / everyMs))
  return { at: dueAt + (skipped + 1) * everyMs, skipped }
}

/** What a rule says of the visit after one. */
interface Vote extends Round {
  readonly isGone?: true
  readonly missing?: MissingVisits
  readonly everyMs?: number
}

/**
 * The visit after this one. A page that failed or moved, be it in its first visit or in a later one, keeps its rounds until it is believed to be gone, or to
 * have moved for good; then it is visited rarely, also when a link or a seed asked for it in vain.
 */
export function voteAfter(visit: EndedVisit, rule: RecrawlRule): Vote {
  const { request, outcome, now } = visit
  if (outcome.kind === 'done') return roundAfter(visit, rule)
  const { gone = 0, missing: before } = request.earlier ?? {}
  const missing = missingAfter(visit)
  const known = missing !== undefined && { missing }
  const staysGone = gone > 0 && rule.keep !== true && !isThere(outcome)
  if (!staysGone && (missing === undefined || missing === before || !isGone(missing, rule, now)))
    return { ...roundAfter(visit, rule), ...known }
  const everyMs = Math.max(GONE_EVERY_MS, rule.everyMs) * Math.min(2 ** gone, MOST_TIMES_RARER)
  return { at: roundAfter(visit, { everyMs }).at, skipped: 0, everyMs: rule.everyMs, isGone: true, ...known }
}

/** The round after a visit. One that was ahead of its round leaves that where it is; sooner, where the rule has become shorter since that was set. */
function roundAfter(visit: EndedVisit, { everyMs }: RecrawlRule): Round {
  const { dueAt, now } = visit
  return isAhead(visit) ? { at: Math.min(dueAt, now + everyMs), skipped: 0 } : nextVisit(dueAt, everyMs, now)
}

/**
 * When a settled page is due again by the rules as they are; undefined: never. One that was settled before there was a rule is due `everyMs` after it was
 * fetched: at once, if that has passed.
 */
export function dueAgainAt(record: RequestRecord, rule: RecrawlRule | undefined, now: number): number | undefined {
  if (rule === undefined) return undefined
  const { state, notBefore, attempts, durationMs = 0, reason = '', fetchedAt: toldAt = 0 } = record
  // What is being tried again has its moment.
  if (notBefore !== undefined && attempts > 0) return notBefore
  // Fetched in the future: by a clock that was ahead.
  const fetchedAt = Math.min(toldAt, now)
  const planned = fetchedAt + rule.everyMs
  // What killed its process three times, and what an operator dropped, is settled for good.
  const isForGood = reason === 'poison' || requestLaws.droppedReason(reason) === undefined
  if (state !== 'done') return notBefore ?? (isForGood ? undefined : planned)
  // By this rule it is at most a round after the end of the last visit: if it is later, the rule has become shorter since.
  return notBefore !== undefined && notBefore <= planned + durationMs + ROUNDED_MS ? notBefore : planned
}

// Whether a page that is missing is believed to be gone. Pure: what was seen before, one more outcome → what is known now.
//
// Ten minutes of 404, or of 301 to a maintenance page, hit every page that happens to be visited then. So a page that is missing (404, 410) or has
// moved for good (301, 308) keeps its schedule, on probation, until that was so in several visits in a row that are far enough apart. A visit in which
// it was there ends the probation. A failure of another kind, or a move for now, says neither. While nobody looked nobody knows whether it was there:
// of a visit that comes late, because the crawl was off or because the clock jumped, half a day at the most counts as absence. What a link or a seed asked
// for before its round counts only if the page is there: rounds are far enough apart, and runs need not be. That a page is gone is decided here alone, by
// a rule, and stored with the outcome: other pages that failed or moved have the same status. It is still visited, for a shop lists again what was sold out:
// after one, two and four days, then every seven, so it costs little and is seen soon. No link to it is needed, and most say nothing: lists name their products
// in each round, and one that is as it was names none.

/** Visits in a row in which a page was missing. */
type MissingVisits = NonNullable<RequestRecord['missing']>

/** Three visits at the least, for rounds of days; a day at the least, for rounds of minutes. */
const GONE_AFTER_VISITS = 3
const GONE_AFTER_MS = 24 * 3_600_000

/** A page that is gone is visited so much later, or a round if that is longer; then twice as late each time, up to so many times. */
const GONE_EVERY_MS = 24 * 3_600_000
const MOST_TIMES_RARER = 7

/** Of the lateness of one visit; less than `GONE_AFTER_MS`, so that no single wait makes the decision. */
const MOST_UNSEEN_MS = 12 * 3_600_000

/** "Gone" is said by someone who knows; "not found" by someone who cannot find it (RFC 9110 §15.5.11). */
const WEIGHTS: Readonly<Record<number, number>> = { 301: 1, 308: 1, 404: 1, 410: 2 }

/** A visit that has ended. */
export type EndedVisit = Pick<Parameters<NonNullable<Plugin['revisit']>>[0], 'request' | 'outcome' | 'dueAt' | 'now'>

/** Whether a link or a seed asked for a visit whose round is still to come. */
function isAhead({ request, dueAt, now }: EndedVisit): boolean {
  return request.again !== undefined && dueAt > now
}

/** What is known of a page's absence after a visit; undefined: nothing. */
function missingAfter(visit: EndedVisit): MissingVisits | undefined {
  const { request, outcome, dueAt, now } = visit
  const before = request.earlier?.missing
  const weight = WEIGHTS[outcome.fetched?.status ?? 0]
  if (weight !== undefined && !isAhead(visit)) {
    const unseenMs = Math.max(0, now - dueAt - MOST_UNSEEN_MS)
    return { visits: (before?.visits ?? 0) + weight, since: Math.round(before === undefined ? now : before.since + unseenMs) }
  }
  return isThere(outcome) ? undefined : before
}

/** Whether the page was there, and what failed was the handler. */
function isThere({ fetched }: EndedVisit['outcome']): boolean {
  return Math.trunc((fetched?.status ?? 0) / 100) === 2
}

/** Whether a page that is missing so is not requested again. */
function isGone({ visits, since }: MissingVisits, rule: RecrawlRule, now: number): boolean {
  const { keep = false, goneAfterVisits = GONE_AFTER_VISITS, goneAfterMs = GONE_AFTER_MS } = rule
  return !keep && visits >= goneAfterVisits && now - since >= goneAfterMs
}
