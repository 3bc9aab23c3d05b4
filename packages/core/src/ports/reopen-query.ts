// Which requests of a frontier are to be crawled again, sooner, or never, at the wish of a person or of a plugin.

/** Which failed requests to open again: at most `limit`, the oldest first. What is absent does not narrow; what is there must all hold. */
export interface ReopenQuery {
  readonly hostKey?: string
  readonly ids?: readonly number[]
  /** Failed for any of these. */
  readonly reasons?: readonly string[]
  readonly limit: number
}

/** Which requests need not wait any more: those put back for `reason` until a moment after `now`. */
export interface HastenQuery {
  readonly reason: string
  /** Epoch ms. */
  readonly now: number
  /** At most so many, the oldest first. */
  readonly limit: number
}

/** Which given-up requests to drop: at most `limit`, the oldest first. What is absent does not narrow; what is there must all hold. */
export type DropQuery = {
  readonly hostKey?: string
  readonly ids?: readonly number[]
  readonly limit: number
} &
  /** Failed requests that are not due again, with any of `reasons`. */
  (
    | { readonly reasons?: readonly string[]; readonly underRetired?: undefined }
    /** Those that wait under hosts that were given up, and that nobody holds. */
    | { readonly underRetired: true; readonly reasons?: undefined }
  )

// What a request that an operator dropped is failed for: its reason of before, behind a prefix.

/** Before the reason that a request had when an operator dropped it. */
export const DROPPED_PREFIX = 'dropped-'

/** With what reason a request is failed once it is dropped; undefined where it was dropped already. */
export function droppedReason(reason: string): string | undefined {
  return reason.startsWith(DROPPED_PREFIX) ? undefined : `${DROPPED_PREFIX}${reason}`
}

/** Of what waits under a host that was given up. */
export const DROPPED_WITH_HOST: string = `${DROPPED_PREFIX}host-dead`
