// The statuses that a ban comes with: the one list, for policies that react to a ban and for reports that name it.

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
