// How long a response may be used without asking its server. Pure. Source: RFC 9111 §4.2.
//
// It is fresh for max-age, or from Date to Expires; without either it is stale at once: nothing is guessed (§4.2.2). s-maxage is for shared caches. Expires and
// Date are both of the server's clock; how long ago the response was requested is of ours. So a clock that is wrong, here or there, makes a response neither
// fresh nor stale. What lies ahead of our clock, which went back, has an unknown age, and is stale.
import { headerOf, httpDate, serverNow, type ResponseHeaders } from '@avocet/core/plugin'
import { directivesOf, msOf } from './cache-control.ts'

/** Longer by the server's clock than this, and shorter by ours: that clock was never set. */
const NONSENSE_MS = 31 * 86_400_000

/** Of a response with `headers`, asked for at `at` (epoch ms of ours): until when it is fresh, epoch ms of ours; undefined where nothing says so. */
export function freshUntil(headers: ResponseHeaders, at: number): number | undefined {
  const directives = directivesOf(headers)
  const lifetimeMs = msOf(directives, 'max-age') ?? untilExpires(headers, at)
  return lifetimeMs === undefined ? undefined : at + lifetimeMs - ageOf(headers)
}

/** What caches on the way had it for, ms. One that is no number is unknown: then it is as old as can be. */
function ageOf(headers: ResponseHeaders): number {
  const age = headerOf(headers, 'age')?.trim()
  if (age === undefined) return 0
  return /^\d+$/.test(age) ? Number(age) * 1_000 : Infinity
}

/** 0 for one that is no date, such as `0` (RFC 9111 §5.3). */
function untilExpires(headers: ResponseHeaders, at: number): number | undefined {
  const expires = headerOf(headers, 'expires')
  if (expires === undefined) return undefined
  const until = httpDate(expires.trim(), at)
  if (until === undefined) return 0
  const { age: _age, ...others } = headers
  const [theirsMs, oursMs] = [until - serverNow(others, at), until - at]
  return Math.max(0, theirsMs > NONSENSE_MS && oursMs >= 0 && oursMs < theirsMs ? oursMs : theirsMs)
}
