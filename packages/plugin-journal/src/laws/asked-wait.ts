// Whether a host was left alone for as long as it asked in Retry-After: a pure law over answers that ask and requests that start.
//
// What was sent before the answer arrived could not know of it. Source: RFC 9110 §10.2.3.
import { retryAfterAt, type ResponseHeaders } from '@avocet/core/plugin'

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
