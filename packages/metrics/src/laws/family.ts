// A family of samples: one name, one help, one type.

/** Labels of a sample by name. Values may be any text: it is escaped where it is written. */
export type Labels = Readonly<Record<string, string>>

/** One number. */
export interface Sample {
  readonly labels?: Labels
  readonly value: number
}

/** How often something took how long. */
export interface Distribution {
  /** How many were at most as long as each bound and longer than the one before it. */
  readonly counts: readonly number[]
  /** Of all, in the unit of the bounds. */
  readonly sum: number
}

/** What a scrape gets under one name. */
export type MetricFamily = {
  /** A counter ends in `_total`. */
  readonly name: string
  readonly help: string
} & (
  | { readonly type: 'counter' | 'gauge' | 'info'; readonly samples: readonly Sample[] }
  /** `bounds`: upper ones, ascending, without the infinite one: `counts` of the distribution has one more. */
  | { readonly type: 'histogram'; readonly bounds: readonly number[]; readonly of: Distribution }
)
