// The median of what the rounds of a benchmark measured.

/** Of an even number of values the upper one; NaN of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
