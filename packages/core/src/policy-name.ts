// The names of the policies.

/** The policies that decide how a host is treated: what may be requested (robots.txt), how fast, whether at all, how long to wait, what to retry. */
export const POLICY_NAMES = ['robots', 'rate', 'breaker', 'timeouts', 'retry'] as const

/** One of them. */
export type PolicyName = (typeof POLICY_NAMES)[number]
