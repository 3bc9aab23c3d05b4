// What commands of operators do to given-up pages of a store beside a run, as the run counts it.

/** By how many the settled requests of a store became more at a moment, beside the run; negative: they wait again. */
export interface SettledBeside {
  /** Epoch ms. */
  readonly at: number
  /** How many more are settled; negative: how many wait again. */
  readonly settled: number
}

/** What commands of operators did to given-up pages beside a run. */
export interface BesideRun {
  /** The sum of all changes; negative: so many wait again. */
  readonly count: number
  /** The newest changes, 200 at most. */
  readonly newest: readonly SettledBeside[]
}
