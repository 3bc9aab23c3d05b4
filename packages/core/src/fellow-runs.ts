// What a run learns of the other runs that one command started on the same store: how many of the pages of `maxPages` it may handle, and when none of them
// commits any more. The answers come from another process, so a run never waits for one while it decides: it reads a number.

/** The pages of a run. */
export interface PagesOfRun {
  /** Pages that are handled, in a handler, or in flight: these cannot be taken back. */
  inUse(): number
  /** Those of them that a handler has finished, also where it failed, and of which the store has answered: they count for good. */
  handled(): number
  /** The grant has changed: its `pages`, or `isSpent`. */
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
  /** The run could begin another page, but has none left. Called often; returns at once. */
  runShort(): void
}

/** The other runs. */
export interface FellowRuns {
  /** Absent: nothing but `maxPages` limits this run. */
  readonly pages?: PageGrant
  /** This run has finished. Resolves once all others have: until then they may commit items, which one of them delivers to each sink. */
  allOver(): Promise<void>
}
