// What a host says of its own limits in header fields, truly or not. Forms: draft-ietf-httpapi-ratelimit-headers (2025), its ancestors, and X-.
import type { RemainingQuota } from './capacity.ts'

/**
 * Form of the fields. `draft`: RateLimit-Policy and RateLimit; `legacy`: RateLimit-Limit, -Remaining, -Reset (seconds); `x`: X-RateLimit-* with
 * the reset as epoch seconds; `lying`: as `draft`, with ten times the quota and always all of it left.
 */
export type RateLimitFields = 'draft' | 'legacy' | 'x' | 'lying'

/** Adds the fields for `allowance` to `fields`. `now`: epoch ms. */
export function addRateLimitFields(
  fields: Record<string, string>,
  form: RateLimitFields,
  said: RemainingQuota & { now: number },
): void {
  const { quota, windowMs, remaining, resetMs, now } = said
  const windowSeconds = Math.max(1, Math.ceil(windowMs / 1_000))
  const resetSeconds = Math.ceil(resetMs / 1_000)
  if (form === 'legacy') {
    fields['ratelimit-limit'] = String(quota)
    fields['ratelimit-remaining'] = String(remaining)
    fields['ratelimit-reset'] = String(resetSeconds)
  } else if (form === 'x') {
    fields['x-ratelimit-limit'] = String(quota)
    fields['x-ratelimit-remaining'] = String(remaining)
    fields['x-ratelimit-reset'] = String(Math.ceil((now + resetMs) / 1_000))
  } else {
    const factor = form === 'lying' ? 10 : 1
    fields['ratelimit-policy'] = `"default";q=${String(quota * factor)};w=${String(windowSeconds)}`
    fields['ratelimit'] = `"default";r=${String(form === 'lying' ? quota * factor : remaining)};t=${String(resetSeconds)}`
  }
}
