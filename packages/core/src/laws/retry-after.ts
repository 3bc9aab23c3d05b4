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

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/
const RFC_850 = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d):(\d\d):(\d\d) GMT$/
const ASCTIME = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) ([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) (\d{4})$/

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
  const date = httpDate(headerOf(headers, 'date') ?? '', now)
  if (date === undefined) return now
  const age = headerOf(headers, 'age')?.trim() ?? ''
  return date + (/^\d{1,9}$/.test(age) ? Number(age) * 1_000 : 0)
}

function waitOf(text: string, headers: ResponseHeaders, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1_000
  const at = httpDate(text, now)
  if (at === undefined) return undefined
  const [theirsMs, oursMs] = [at - serverNow(headers, now), at - now]
  return Math.max(0, theirsMs > NONSENSE_MS && oursMs >= 0 && oursMs < theirsMs ? oursMs : theirsMs)
}

/**
 * Epoch ms of an HTTP date in any of its three forms; undefined for anything else, such as a date that does not exist.
 *
 * `now` decides the century of the RFC 850 form: a date more than 50 years ahead is taken to be in the past. Source: RFC 9110 §5.6.7.
 */
export function httpDate(text: string, now: number): number | undefined {
  const fixed = IMF_FIXDATE.exec(text)
  if (fixed) return utc([fixed[3], fixed[2], fixed[1], fixed[4], fixed[5], fixed[6]])
  const old = RFC_850.exec(text)
  if (old) {
    const year = Math.floor(new Date(now).getUTCFullYear() / 100) * 100 + Number(old[3])
    const at = utc([String(year), old[2], old[1], old[4], old[5], old[6]])
    const fiftyYears = new Date(now).setUTCFullYear(new Date(now).getUTCFullYear() + 50)
    return at !== undefined && at > fiftyYears ? utc([String(year - 100), old[2], old[1], old[4], old[5], old[6]]) : at
  }
  const unix = ASCTIME.exec(text)
  return unix ? utc([unix[6], unix[1], unix[2], unix[3], unix[4], unix[5]]) : undefined
}

/** Epoch ms of [year, month name, day, hour, minute, second]. A leap second (60) counts as 59. */
function utc(parts: readonly (string | undefined)[]): number | undefined {
  const month = MONTHS.indexOf(parts[1] ?? '')
  const [year, , day, hour, minute, second] = parts.map(Number)
  if (month < 0 || year === undefined || day === undefined || hour === undefined || minute === undefined || second === undefined)
    return undefined
  if (hour > 23 || minute > 59 || second > 60) return undefined
  const at = Date.UTC(year, month, day, hour, minute, Math.min(second, 59))
  return new Date(at).getUTCDate() === day && new Date(at).getUTCMonth() === month ? at : undefined
}
