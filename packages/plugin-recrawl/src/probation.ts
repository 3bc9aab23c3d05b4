// Whether a page that is missing is believed to be gone. Pure: what was seen before, one more outcome → what is known now.
//
// Ten minutes of 404, or of 301 to a maintenance page, hit every page that happens to be visited then. So a page that is missing (404, 410) or has
// moved for good (301, 308) keeps its schedule, on probation, until that was so in several visits in a row that are far enough apart. A visit in which
// it was there ends the probation. A failure of another kind, or a move for now, says neither. While nobody looked nobody knows whether it was there:
// of a visit that comes late, because the crawl was off or because the clock jumped, half a day at the most counts as absence. What a link or a seed asked
// for before its round counts only if the page is there: rounds are far enough apart, and runs need not be. That a page is gone is decided here alone, by
// a rule, and stored with the outcome: other pages that failed or moved have the same status and no next visit.
import type { Plugin, RecrawlRule } from '@avocet/core'
import type { RequestRecord } from '@avocet/core/store'

/** Visits in a row in which a page was missing. */
export type MissingVisits = NonNullable<RequestRecord['missing']>

/** Three visits at the least, for rounds of days; a day at the least, for rounds of minutes. */
const GONE_AFTER_VISITS = 3
const GONE_AFTER_MS = 24 * 3_600_000

/** Of the lateness of one visit; less than `GONE_AFTER_MS`, so that no single wait makes the decision. */
const MOST_UNSEEN_MS = 12 * 3_600_000

/** "Gone" is said by someone who knows; "not found" by someone who cannot find it (RFC 9110 §15.5.11). */
const WEIGHTS: Readonly<Record<number, number>> = { 301: 1, 308: 1, 404: 1, 410: 2 }

/** A visit that has ended. */
export type EndedVisit = Pick<Parameters<NonNullable<Plugin['revisit']>>[0], 'request' | 'outcome' | 'dueAt' | 'now'>

/** Whether a link or a seed asked for a visit whose round is still to come. */
export function isAhead({ request, dueAt, now }: EndedVisit): boolean {
  return request.again !== undefined && dueAt > now
}

/** What is known of a page's absence after a visit; undefined: nothing. */
export function missingAfter(visit: EndedVisit): MissingVisits | undefined {
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
export function isThere({ fetched }: EndedVisit['outcome']): boolean {
  return Math.trunc((fetched?.status ?? 0) / 100) === 2
}

/** Whether a page that is missing so is not requested again. */
export function isGone({ visits, since }: MissingVisits, rule: RecrawlRule, now: number): boolean {
  const { keep = false, goneAfterVisits = GONE_AFTER_VISITS, goneAfterMs = GONE_AFTER_MS } = rule
  return !keep && visits >= goneAfterVisits && now - since >= goneAfterMs
}
