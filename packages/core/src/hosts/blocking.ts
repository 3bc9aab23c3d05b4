// Whether a host keeps us out: forbidden answers in a row, and two readings of the row. The one place that decides it. Pure, small JSON.
//
// A ban begins at one moment and forbids everything. Its first answer looks like a private page and is taken for one; the second makes a row. But
// where every other page is private, rows are common too, so a row is suspected only once it is longer than any that was over within a minute.
// (Of n pages, half of them private at random, about log2 n are then requested again; every second one: none.) A ban is not over within a minute,
// and if it was, the first page that is served after all says that those were not private, and the record is forgotten.
// A page that was served in an earlier visit is not private, so of those one is a row: a crawl of sixty prices that is banned for the last of them, every
// hour anew, would never see two.
// A policy that leaves a host alone because of it wants to be sure: ten in a row.
// Rejected: the share of forbidden answers, as breakers have it. It takes ten pages to be suspicious, and each of them would be lost; and of a site
// of which every third page is private, ten among twenty are forbidden at one moment in twenty: it would be left alone for hours.
import type { Blocking } from '../ports/exchange.ts'

/** What is kept of the forbidden answers of one host; absent while none was forbidden. */
export interface ForbiddenAnswers {
  /** Since the last answer of another kind; 0 = the row is over. */
  readonly inRow: number
  /** The exchange that began the row, and epoch ms of its end. */
  readonly firstSeq: number
  readonly firstAt: number
  /** A page of the row was served in an earlier visit. */
  readonly hasPublic?: true
  /** Longest row that was over within a minute: as many private pages may stand side by side. */
  readonly longestPrivate: number
}

/** A page of a host was answered. */
export interface PageAnswer {
  readonly status: number
  /** Its status is one that a ban comes with, and the spider does not want it. */
  readonly forbidden: boolean
  readonly seq: number
  /** Epoch ms. */
  readonly now: number
  /** The page was requested before, and that counted. */
  readonly again: boolean
  /** It was served in an earlier visit. */
  readonly wasPublic: boolean
}

const SHORTEST_BAN_MS = 60_000
const SUSPECTED_FROM = 2
const CERTAIN_FROM = 10
const NOT_BLOCKED: Blocking = { inRow: 0, isSuspected: false, isCertain: false }
/** Pay, come again, or ask elsewhere: whether we are kept out is not said. Nor does a server that is in trouble say so. */
const SILENT = new Set([402, 408, 421, 425, 429])
/** Not implemented, version not supported, network login: the server is well. */
const WELL_5XX = new Set([501, 505, 511])

/** The record after an answer; the same object while there is nothing to note, undefined = nothing to remember. */
export function forbiddenAfter(record: ForbiddenAnswers | undefined, answer: PageAnswer): ForbiddenAnswers | undefined {
  if (answer.forbidden) return oneMore(record, answer)
  return record === undefined || isSilent(answer.status) ? record : over(record, answer)
}

/** Whether an answer shows that the host's pages are not closed to us. */
export function isServed({ status, forbidden }: Pick<PageAnswer, 'status' | 'forbidden'>): boolean {
  return status < 300 && !forbidden
}

/** What the record says of a host that `served` a page, or was `proven` by any success, such as a robots.txt. */
export function blockingOf(record: ForbiddenAnswers | undefined, served: boolean, proven: boolean): Blocking {
  if (record === undefined || record.inRow === 0) return NOT_BLOCKED
  const { inRow, longestPrivate, hasPublic } = record
  return {
    inRow,
    isSuspected: served && inRow >= (hasPublic === true ? 1 : SUSPECTED_FROM) && inRow > longestPrivate,
    isCertain: proven && inRow >= CERTAIN_FROM,
  }
}

function oneMore(record: ForbiddenAnswers | undefined, { seq, now, wasPublic }: PageAnswer): ForbiddenAnswers {
  const row =
    record === undefined || record.inRow === 0
      ? { inRow: 1, firstSeq: seq, firstAt: Math.round(now), longestPrivate: record?.longestPrivate ?? 0 }
      : { ...record, inRow: record.inRow + 1 }
  return wasPublic ? { ...row, hasPublic: true } : row
}

function over(record: ForbiddenAnswers, answer: PageAnswer): ForbiddenAnswers | undefined {
  const { inRow, firstSeq, firstAt, longestPrivate } = record
  // Sent before the row began, so it says nothing about what came after.
  if (answer.seq < firstSeq) return record
  const isRescued = answer.again && isServed(answer)
  const wasBan = answer.now - firstAt >= SHORTEST_BAN_MS
  const longest = isRescued ? 0 : wasBan ? longestPrivate : Math.max(longestPrivate, inRow)
  if (longest === 0) return undefined
  return inRow === 0 && longest === longestPrivate ? record : { ...record, inRow: 0, longestPrivate: longest }
}

function isSilent(status: number): boolean {
  return SILENT.has(status) || (status >= 500 && status < 600 && !WELL_5XX.has(status))
}
