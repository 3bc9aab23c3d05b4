// Reads the Retry-After field: delay seconds, or one of the three date forms of RFC 9110. Never a guess: what is neither is ignored.
//
// A date is a moment of the server's clock, and servers' clocks are wrong by hours: it counts from the answer's own Date field, so that a clock that is
// wrong there or here changes nothing. Everybody reads the field here: one plugin that read it by our clock would come two hours too early.
import { headerOf, type ResponseHeaders } from '../ports/response.ts'

/** So much later by chance: a platform tells all its hosts the same moment, and they are not to come back in the same instant. */
const SPREAD = 0.1
const MOST_SPREAD_MS = 600_000

/** Longest delay that is believed: what is above it is a mistake, such as ms in place of seconds, or a date of next year. */
const LONGEST_MS = 30 * 24 * 3_600_000

/** IMF-fixdate and the form of RFC 850; that of asctime, which names no zone. */
const WITH_ZONE =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4}|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d\d-[A-Z][a-z]{2}-\d\d) \d\d:\d\d:\d\d GMT$/
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/

/** A wait that is longer by the server's clock than this, and shorter by ours: that clock was never set. */
const NONSENSE_MS = 31 * 86_400_000

/**
 * When the Retry-After of an answer allows the next request; of several values the latest counts.
 *
 * @param chance - A number in [0, 1): the wait is longer by up to a tenth, at most 10 min, so that hosts refused together do not come back together. Default 0.
 * @returns Epoch ms by our clock, never before `now` and at most 30 days after it, chance aside; undefined when the field is absent or malformed.
 * @example
 * ```ts
 * retryAfterAt({ 'retry-after': '120' }, 1_000_000) // 1_120_000
 * ```
 * Source: RFC 9110 §10.2.3.
 */
export function retryAfterAt(headers: ResponseHeaders, now: number, chance: number = 0): number | undefined {
  const longestMs = longestWaitOf(headers, now)
  if (longestMs === undefined) return undefined
  const waitMs = Math.min(longestMs, LONGEST_MS)
  return now + waitMs + Math.round(chance * Math.min(SPREAD * waitMs, MOST_SPREAD_MS))
}

/** Whether the Retry-After of an answer asks for more than is believed. */
export function exceedsRetryAfter(headers: ResponseHeaders, now: number): boolean {
  return (longestWaitOf(headers, now) ?? 0) > LONGEST_MS
}

function longestWaitOf(headers: ResponseHeaders, now: number): number | undefined {
  const field = headers['retry-after']
  if (field === undefined) return undefined
  let longestMs: number | undefined
  for (const value of typeof field === 'string' ? [field] : field) {
    const waitMs = waitOf(value.trim(), headers, now)
    if (waitMs !== undefined && waitMs > (longestMs ?? -1)) longestMs = waitMs
  }
  return longestMs
}

/**
 * What the server's clock shows as an answer arrives at `now` (epoch ms of ours): its Date field, and what a cache added to it. Ours when it does not say.
 *
 * Source: RFC 9110 §6.6.1, RFC 9111 §4.2.3.
 */
export function serverNow(headers: ResponseHeaders, now: number): number {
  const date = httpDate(headerOf(headers, 'date') ?? '')
  if (date === undefined) return now
  const age = headerOf(headers, 'age')?.trim() ?? ''
  return date + (/^\d{1,9}$/.test(age) ? Number(age) * 1_000 : 0)
}

function waitOf(text: string, headers: ResponseHeaders, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const at = httpDate(text)
  if (at === undefined) return undefined
  const [theirsMs, oursMs] = [at - serverNow(headers, now), at - now]
  return Math.max(0, theirsMs > NONSENSE_MS && oursMs >= 0 && oursMs < theirsMs ? oursMs : theirsMs)
}

/** Epoch ms of an HTTP date in any of its three forms, as the platform reads it; undefined for anything else. Source: RFC 9110 §5.6.7. */
export function httpDate(text: string): number | undefined {
  const at = WITH_ZONE.test(text) ? Date.parse(text) : ASCTIME.test(text) ? Date.parse(`${text} GMT`) : NaN
  return Number.isNaN(at) ? undefined : at
}
