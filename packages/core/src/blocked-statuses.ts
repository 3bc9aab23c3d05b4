// The statuses that a ban comes with: the one list, for the law of bans (blocking.ts) and for reports that name them.
import { AvocetError } from './errors.ts'

/**
 * Statuses by which a site keeps a crawler out: unauthorized, forbidden, proxy authentication, legal reasons (often the country), and 999, which is
 * LinkedIn's. One such answer is a private page; a row of them at a host that served pages is a ban.
 *
 * @example
 * ```ts
 * BLOCKED_STATUSES.includes(403) // true
 * ```
 */
export const BLOCKED_STATUSES: readonly number[] = [401, 403, 407, 451, 999]

/** Those that the user set, or the list. Throws AVO_CONFIG_INVALID. */
export function blockedStatusesOf(statuses: readonly number[] = BLOCKED_STATUSES): ReadonlySet<number> {
  if (Array.isArray(statuses) && statuses.every(isPossible)) return new Set(statuses)
  const got = JSON.stringify(statuses) ?? String(statuses)
  const message = `expected blockedStatuses to be a list of statuses from 400 to 999 without 429 and 503, which ask for a slower pace, got ${got}`
  throw new AvocetError('AVO_CONFIG_INVALID', message)
}

function isPossible(status: unknown): boolean {
  return Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 999 && status !== 429 && status !== 503
}
