// What a run is told of the others that one command has started with it on one store: how many pages it may handle of those that all may, and when the last of
// them commits nothing any more. What tells it lives in another process, so a run never waits for an answer where it decides: it looks at a number.

/** The pages of a run. */
export interface PagesOfRun {
  /** Handled, in a handler, or in flight: none of them is to be taken back. */
  inUse(): number
  /** Of them, those that a handler has got and is done with. */
  handled(): number
  /** `pages` or `isSpent` of the grant is another. */
  changed(): void
}

/** The part of a run in the `maxPages` of all. */
export interface PageGrant {
  /** Pages that this run may handle in all, by now: more are granted, or unused ones taken back, at any time. */
  readonly pages: number
  /** All runs together have handled `maxPages`: this one ends. */
  readonly isSpent: boolean
  /** The run begins. Called once. */
  begin(run: PagesOfRun): void
  /** The run has room for more and may not. Called often, and returns at once. */
  runShort(): void
}

/** The other runs. */
export interface FellowRuns {
  /** Absent: nothing but `maxPages` limits this run. */
  readonly pages?: PageGrant
  /** This run is over. Resolves once all others are: until then they may commit items, which one of them delivers to each sink. */
  allOver(): Promise<void>
}
