// Which requests of a frontier are to be crawled again, sooner, or never, at the wish of a person or of a plugin.
import type { Cut } from './request.ts'

/** Which settled requests to open again: at most `limit`, the oldest first. What is absent does not narrow; what is there must all hold. */
export type ReopenQuery = {
  readonly hostKey?: string
  readonly ids?: readonly number[]
  readonly limit: number
} &
  /** Failed requests, with any of `reasons`. */
  (
    | { readonly reasons?: readonly string[]; readonly cut?: undefined }
    /**
     * Pages whose links were cut: all of them (`true`), or those whose links wait for any of these budgets. One that failed or moved since waits for a visit.
     */
    | { readonly cut: true | readonly Cut['budget'][]; readonly reasons?: undefined }
  )

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
