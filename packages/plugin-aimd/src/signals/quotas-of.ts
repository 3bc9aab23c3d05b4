// Finds the quotas in the fields of an answer, in whichever of their forms. Most answers have none: that is found out first, and quickly. Pure.
import { headerOf, serverNow, type ResponseHeaders } from '@avocet/core/plugin'
import type { Quotas } from './quota.ts'
import { rateLimitQuotas } from './rate-limit.ts'
import { xQuotas, type XFields } from './x-rate-limit.ts'

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
