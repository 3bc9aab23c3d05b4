// What statuses mean to a crawler, in one table: those that ask for a slower pace, and those that a ban comes with.
import { AvocetError } from '../values/errors.ts'

/**
 * Whether a status refuses the request for now: too many requests, unavailable. Its body is worth nothing, the answer is there with its headers.
 *
 * @example
 * ```ts
 * isRefusal(503) // true
 * ```
 */
export function isRefusal(status: number): boolean {
  return status === 429 || status === 503
}

/**
 * Statuses by which a site keeps a crawler out: unauthorized, forbidden, proxy authentication, legal reasons (often the country), and 999, which is
 * LinkedIn's. One such answer is a private page; a row of them at a host that served pages is a ban.
 */
const BLOCKED_STATUSES: readonly number[] = [401, 403, 407, 451, 999]

/**
 * Payment Required: the page is for sale. That is no ban and no trouble, and no other attempt makes it free: such a page is settled at once, whatever
 * plugins vote.
 * Source: RFC 9110 §15.5.3.
 */
export const PAYMENT_REQUIRED = 402

/** Those that the user set, or the list. Throws AVO_CONFIG_INVALID. */
export function blockedStatusesOf(statuses: readonly number[] = BLOCKED_STATUSES): ReadonlySet<number> {
  if (Array.isArray(statuses) && statuses.every(isPossible)) return new Set(statuses)
  const got = JSON.stringify(statuses) ?? String(statuses)
  const message = `expected blockedStatuses to be a list of statuses from 400 to 999 without 402, 429 and 503, which are no bans, got ${got}`
  throw new AvocetError('AVO_CONFIG_INVALID', message)
}

function isPossible(status: unknown): boolean {
  return (
    typeof status === 'number' &&
    Number.isInteger(status) &&
    status >= 400 &&
    status <= 999 &&
    status !== PAYMENT_REQUIRED &&
    !isRefusal(status)
  )
}
