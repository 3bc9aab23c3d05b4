// The moment that stands for "until it is resumed": what an operator has paused without an end.

/** Epoch ms that never comes in practice, and that every store can keep: the end of the year 9999. */
export const UNTIL_RESUMED = 253_402_300_799_000

/** Who holds a paused host, beside the names of plugins and `core`. */
export const OPERATOR = 'operator'

/** Whether a moment (epoch ms) is that one, also where a clock that was ahead has moved it. */
export function isUntilResumed(at: number): boolean {
  return at > UNTIL_RESUMED / 2 && at < 2 * UNTIL_RESUMED
}
