// How densely requests to one host started, whether it was left alone when it asked, and how they ended.
//
// A start becomes known at the end of its exchange, so starts arrive out of order: a quick one overtakes a slow one. Each is put in its
// place, and only windows that hold it are looked at. Two starts are in one window of a second when they are less than 1,000 ms apart. The list
// lives in RAM: it reaches back as far as a slow exchange and the minute before it may need.
import { retryAfterAt, type ResponseHeaders } from '@avocet/core/plugin'

/** Epoch ms, ascending. */
export type Starts = number[]

/** What one more start showed. */
export interface Density {
  /** Most starts in any window that holds this one. */
  readonly inSecond: number
  readonly inMinute: number
  /** To the nearest start before or after it, ms; undefined when it is the only one. */
  readonly gapMs: number | undefined
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000

/** A minute, and two for the exchange that takes longest. */
const KEPT_MS = 180_000

/** Dropping is dear and rare. */
const DROP_MS = 240_000

/** A server of one's own asked without any delay: more is not counted exactly. */
const MAX_KEPT = 100_000

/** Puts a start at `at` in its place. */
export function addStart(starts: Starts, at: number): Density {
  forget(starts, at)
  const place = firstAfter(starts, at)
  if (place === starts.length) starts.push(at)
  else starts.splice(place, 0, at)
  const before = starts[place - 1]
  const after = starts[place + 1]
  const sinceBeforeMs = before === undefined ? undefined : at - before
  const untilAfterMs = after === undefined ? undefined : after - at
  return {
    inSecond: mostAround(starts, place, SECOND_MS),
    inMinute: mostAround(starts, place, MINUTE_MS),
    gapMs: untilAfterMs === undefined ? sinceBeforeMs : Math.min(untilAfterMs, sinceBeforeMs ?? Infinity),
  }
}

/** Most starts in any window of `lengthMs` that holds the one at `place`. */
function mostAround(starts: Starts, place: number, lengthMs: number): number {
  const at = starts[place] ?? 0
  let first = firstAfter(starts, at - lengthMs)
  let most = 0
  for (let end = place + 1; first <= place; first++) {
    const until = (starts[first] ?? 0) + lengthMs
    while (end < starts.length && (starts[end] ?? 0) < until) end++
    most = Math.max(most, end - first)
    // The longest list ends here: a later window only loses.
    if (end === starts.length) return most
  }
  return most
}

function forget(starts: Starts, at: number): void {
  const oldest = starts[0]
  if (oldest !== undefined && oldest < at - DROP_MS) starts.splice(0, firstAfter(starts, at - KEPT_MS))
  if (starts.length >= MAX_KEPT) starts.splice(0, MAX_KEPT / 2)
}

/** Number of starts at or before `at`. */
function firstAfter(starts: Starts, at: number): number {
  if ((starts.at(-1) ?? -Infinity) <= at) return starts.length
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}

// Whether a host was left alone for as long as it asked in Retry-After: a pure law over answers that ask and requests that start.
//
// What was sent before the answer arrived could not know of it. Source: RFC 9110 §10.2.3.

/** What a host asked, and whether it was heeded. Plain JSON. */
export interface Waits {
  /** How often it asked. */
  readonly asked: number
  /** The longest of them, ms. */
  readonly longestMs: number
  /** Epoch ms: between these it wants to be left alone. */
  readonly from: number
  readonly until: number
  /** Requests that started in between: there must be none. */
  readonly early: number
}

/** Starts are compared in whole ms. */
const ROUNDING_MS = 0.5

/** `waits` after an answer at `now` (epoch ms) with these fields. */
export function heardWait(waits: Waits | undefined, headers: ResponseHeaders, now: number): Waits | undefined {
  const at = retryAfterAt(headers, now)
  if (at === undefined) return waits
  const waitMs = at - now
  const { asked, longestMs, from, until, early } = waits ?? { asked: 0, longestMs: 0, from: 0, until: 0, early: 0 }
  return {
    asked: asked + 1,
    longestMs: Math.max(longestMs, waitMs),
    // What is asked anew while it still holds makes it longer.
    from: now < until ? from : Math.round(now),
    until: Math.max(until, Math.round(now + waitMs)),
    early,
  }
}

/** `waits` after a request that started at `at` (epoch ms). */
export function startedBeside(waits: Waits, at: number): Waits {
  const isEarly = at > waits.from + ROUNDING_MS && at < waits.until - ROUNDING_MS
  return isEarly ? { ...waits, early: waits.early + 1 } : waits
}

// How requests to one host ended: by status, and by failure where there was no answer; of those that went wrong the last URL.
//
// It is memory of the host, which is read and written with every lease: few kinds have a row of their own, the others share one, and URLs are cut.

/** `[how, count, epoch ms of the last, its URL if it went wrong]`; `how` is a status (`404`) or a failure (`dns-not-found`). */
export type EndRow = [how: string, count: number, lastAt: number, url?: string]

/** How one exchange ended. */
interface NamedEnd {
  readonly how: string
  /** Epoch ms. */
  readonly at: number
  /** Of what went wrong. */
  readonly url?: string | undefined
}

/** Kinds with a row of their own. A server can answer with any of 900 statuses. */
const MAX_KINDS = 16
const OTHERS = 'others'

/** Longer ones are cut: they show where to look. */
const MAX_URL = 200

/** Counts one more in `rows`, in place: it happens with every exchange. */
export function countEnd(rows: EndRow[], { how, at, url }: NamedEnd): void {
  const row = rowOf(rows, how) ?? addedRow(rows, rows.length < MAX_KINDS ? how : OTHERS)
  row[1]++
  row[2] = Math.round(at)
  if (url !== undefined) row[3] = url.length > MAX_URL ? `${url.slice(0, MAX_URL)}…` : url
}

function rowOf(rows: EndRow[], how: string): EndRow | undefined {
  for (const row of rows) if (row[0] === how) return row
  return undefined
}

function addedRow(rows: EndRow[], how: string): EndRow {
  const others = how === OTHERS ? rowOf(rows, how) : undefined
  if (others !== undefined) return others
  const row: EndRow = [how, 0, 0]
  rows.push(row)
  return row
}
