// Finds the quotas in the fields of an answer, in whichever of their forms. Most answers have none: that is found out first, and quickly. Pure.
import { headerOf, serverNow, type ResponseHeaders } from '@avocet/core/plugin'
import { amount, rateLimitQuotas, type Quota, type Quotas } from './rate-limit.ts'

const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
/** The form that servers send (RFC 9110 §5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/
const FAMILIES = ['ratelimit', 'x-ratelimit', 'x-rate-limit'] as const
const WINDOWS = [
  ['second', 1_000],
  ['minute', 60_000],
  ['hour', 3_600_000],
  ['day', 86_400_000],
] as const

/** At least one of these is there when anything is. */
const SIGNS = [
  'ratelimit',
  'ratelimit-policy',
  ...FAMILIES.flatMap((family) => [`${family}-remaining`, `${family}-limit`]),
  ...WINDOWS.map(([name]) => `x-ratelimit-remaining-${name}`),
]

/** The quotas of an answer; undefined when it has no such field, or came from a cache: then they are another's, or old. */
export function quotasOf(headers: ResponseHeaders, now: number): Quotas | undefined {
  if (!hasSign(headers)) return undefined
  const age = headerOf(headers, 'age')
  if (age !== undefined && age.trim() !== '0') return undefined
  const theirNow = serverNow(headers, now)
  const found: Quotas[] = []
  const field = joined(headers, 'ratelimit')
  const policy = joined(headers, 'ratelimit-policy')
  if (field !== undefined || policy !== undefined) found.push(rateLimitQuotas(field, policy))
  for (const family of FAMILIES) {
    const fields = familyOf(headers, family, '')
    if (fields !== undefined) found.push(xQuotas(fields, theirNow))
  }
  for (const [name, windowMs] of WINDOWS) {
    const fields = familyOf(headers, 'x-ratelimit', `-${name}`)
    if (fields !== undefined) found.push(xQuotas({ ...fields, windowMs }, theirNow))
  }
  return {
    quotas: found.flatMap(({ quotas }) => quotas),
    ignored: found.reduce((sum, { ignored }) => sum + ignored, 0),
  }
}

function hasSign(headers: ResponseHeaders): boolean {
  for (const name of SIGNS) if (headers[name] !== undefined) return true
  return false
}

function familyOf(headers: ResponseHeaders, family: string, suffix: string): XFields | undefined {
  const limit = headerOf(headers, `${family}-limit${suffix}`)
  const remaining = headerOf(headers, `${family}-remaining${suffix}`)
  if (limit === undefined && remaining === undefined) return undefined
  return { limit, remaining, reset: headerOf(headers, `${family}-reset${suffix}`) }
}

/** Several fields of one name are one list (RFC 9110 §5.3). */
function joined(headers: ResponseHeaders, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.join(', ')
}

// The fields that were there before any standard: X-RateLimit-Limit, -Remaining, -Reset and their kin. Pure.
//
// Nobody ever said what -Reset counts in: seconds to go, a moment in seconds or milliseconds since 1970, or a date. The size tells them apart;
// what could be several things is ignored.

/** The three fields of a family, as text. */
interface XFields {
  readonly limit?: string | undefined
  readonly remaining?: string | undefined
  readonly reset?: string | undefined
  /** When the names of the fields say it (`-Minute`). */
  readonly windowMs?: number | undefined
}

/** Of longer fields the rest is not read: no honest limit or moment needs more. */
const MAX_CHARACTERS = 256
const DAY_SECONDS = 86_400
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/

/** `100`, or `100, 100;w=60` as in early drafts. */
const LIMIT = /^(\d{1,12})(?:\s*(?:,\s*)?(?:\d{1,12}\s*)?;\s*(?:w|window)=(\d{1,9}))?/

/** Reads one family; `theirNow` is the host's own idea of the time (its Date field). */
function xQuotas(fields: XFields, theirNow: number): Quotas {
  const limited = fields.limit === undefined ? undefined : LIMIT.exec(readable(fields.limit))
  const limit = limited?.[1] === undefined ? undefined : amount(Number(limited[1]))
  const windowMs = limited?.[2] === undefined ? fields.windowMs : Number(limited[2]) * 1_000
  const remaining = remainingOf(fields.remaining)
  const resetMs = fields.reset === undefined ? undefined : resetDelayMs(fields.reset, { theirNow, windowMs })
  const quota: Quota = {
    unit: 'requests',
    ...(limit !== undefined && { limit }),
    ...(windowMs !== undefined && { windowMs }),
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && { resetMs }),
  }
  const unread = (text: string | undefined, value: unknown): number => Number(text !== undefined && value === undefined)
  return {
    quotas: [quota],
    ignored: unread(fields.limit, limit) + unread(fields.remaining, remaining) + unread(fields.reset, resetMs),
  }
}

/** Ms until a -Reset; undefined when it is not clear what it means. Never below 0. */
export function resetDelayMs(
  text: string,
  { theirNow, windowMs }: { readonly theirNow: number; readonly windowMs?: number | undefined },
): number | undefined {
  const trimmed = readable(text)
  const at = NUMBER.test(trimmed) ? undefined : dateOf(trimmed)
  if (at !== undefined) return Math.max(0, at - theirNow)
  if (!NUMBER.test(trimmed)) return undefined
  const value = Number(trimmed)
  if (value > 1e12) return Math.max(0, value - theirNow)
  if (value > 1e9) return Math.max(0, value * 1_000 - theirNow)
  if (value <= DAY_SECONDS) return value * 1_000
  // Milliseconds to go, but only if a window is known that it fits into.
  return windowMs !== undefined && value <= windowMs ? value : undefined
}

/** Below 0 means overdrawn, which is none. */
function remainingOf(text: string | undefined): number | undefined {
  const trimmed = readable(text ?? '')
  if (/^-\d{1,15}$/.test(trimmed)) return 0
  return NUMBER.test(trimmed) ? Number(trimmed) : undefined
}

/** Epoch ms. */
function dateOf(text: string): number | undefined {
  const at = ISO_DATE.test(text) || HTTP_DATE.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(at) ? undefined : at
}

function readable(text: string): string {
  return text.slice(0, MAX_CHARACTERS).trim()
}
