// What is kept of the logins of a crawl: so that a restart neither knocks again too soon, nor logs in without need.
/** What is kept of the logins of a session. */
export interface LoginAtRest {
  /** It was logged in when it was last heard of: it is tried before it logs in again. */
  readonly isIn: boolean
  /** Some login of it led to pages that were not logged out. Absent: none so far. */
  readonly hasBeenIn?: boolean
  /** Logins that failed, in a row. */
  readonly failures: number
  /** Epoch ms before which it must not log in. */
  readonly restUntil: number
  /** Of the last login that failed: epoch ms, and why. Absent since one did not. */
  readonly failed?: { readonly at: number; readonly why: string }
}

/** Fields of it that are moments. */
export const LOGIN_MOMENTS: readonly string[] = ['restUntil', 'at']

/** Why a request waits in the store whose session could not log in. It was not sent. */
export const LOGIN_AWAITED = 'login-awaited'

/** Characters as JSON: core's memory of a crawl has 64 KiB for all. */
const MAX_CHARACTERS = 40 * 1_024

/** `logins`, oldest first, as many as there is room for: a session that is forgotten logs in again, so those that must wait are forgotten last. */
export function boundedLogins(logins: readonly (readonly [string, LoginAtRest])[]): Record<string, LoginAtRest> {
  const sized = logins.map((entry) => ({ entry, size: JSON.stringify(entry).length }))
  let left = MAX_CHARACTERS
  const kept = new Set<unknown>()
  for (const isWaiting of [true, false])
    for (const { entry, size } of sized.toReversed()) {
      if (entry[1].failures > 0 !== isWaiting || size > left) continue
      left -= size
      kept.add(entry)
    }
  return Object.fromEntries(logins.filter((entry) => kept.has(entry)))
}
