// What happened over time, as charts draw it.

/** One stretch of time of the crawl, or of a host. */
export interface SeriesPoint {
  /** When it begins. */
  readonly at: number
  readonly requests: number
  /** Null: not known, as `failures`. */
  readonly refusals: number | null
  readonly failures: number | null
  readonly halfMs: number | null
  readonly nineInTenMs: number | null
  /** Requests a second that the rate policy of a host had found by then. Absent: not known. */
  readonly foundRps?: number | null
}

/** Stretches of one width, oldest first; those in which nothing happened may be missing. */
export interface Series {
  readonly widthMs: number
  readonly points: readonly SeriesPoint[]
}

/** Spans of time that end now. */
export const HISTORY_SPANS = ['hour', 'day', 'week', 'whole'] as const

/** One of them. */
export type HistorySpan = (typeof HISTORY_SPANS)[number]

/** What happened over each span. */
export type History = Readonly<Record<HistorySpan, Series>>
