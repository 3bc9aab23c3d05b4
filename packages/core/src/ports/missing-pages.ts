// What a report says of pages that are missing, and not yet believed to be gone.

/** A page that was missing (404, 410), or had moved for good (301, 308), when it was last requested. Times are epoch ms. */
export interface PageOnProbation {
  /** Its URL. */
  readonly url: string
  /** `http-404`, or `moved to` where. */
  readonly why: string
  /** Of the last answer; 0 when there was none. */
  readonly status: number
  /** When it was missing first. */
  readonly since: number
  /** In how many visits in a row; 410 counts for two. */
  readonly visits: number
  /** When it is requested again. */
  readonly nextAt: number
}

/** Pages on probation: how many, and some of them. */
export interface Probation {
  /** All of them. */
  readonly pages: number
  /** Those that are missing longest, at most 100. */
  readonly requests: readonly PageOnProbation[]
}
