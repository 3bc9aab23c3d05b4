// Whether a host was left alone for as long as it asked in Retry-After: a pure law over answers that ask and requests that start.
//
// What was sent before the answer arrived could not know of it. A date counts relative to the answer's own Date field, so that a clock that is
// wrong there or here accuses nobody. Source: RFC 9110 §10.2.3.
import { headerOf, httpDate, retryAfterAt, type ResponseHeaders } from '@avocet/core'

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
  const waitMs = askedMs(headers, now)
  if (waitMs === undefined) return waits
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

/** The longest of its values; undefined when there is none that can be read. */
function askedMs(headers: ResponseHeaders, now: number): number | undefined {
  const field = headers['retry-after']
  if (field === undefined) return undefined
  const theirNow = httpDate(headerOf(headers, 'date') ?? '', now) ?? now
  const waits = (typeof field === 'string' ? [field] : field)
    .map((value) => retryAfterAt(value, theirNow))
    .filter((at) => at !== undefined)
    .map((at) => at - theirNow)
  return waits.length === 0 ? undefined : Math.max(...waits)
}
