// A line of the table that `npm run bench:control` prints.

/** A figure with its bar. */
export interface Row {
  readonly name: string
  /** What it is held against; empty = a figure without a bar. */
  readonly bar: string
  readonly median: number
  readonly worst: number
  readonly unit: string
  readonly holds: boolean
}

/** A row from the figures of several seeds. `most`: the bar is an upper one; `least`: a lower one; neither: there is no bar. */
export function rowOf(
  name: string,
  unit: string,
  figures: readonly number[],
  { most, least }: { readonly most?: number; readonly least?: number } = {},
): Row {
  const sorted = figures.toSorted((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const worst = (least === undefined ? sorted.at(-1) : sorted[0]) ?? Number.NaN
  const bar = most !== undefined ? `≤ ${most}` : least !== undefined ? `≥ ${least}` : ''
  const holds = (most === undefined || worst <= most) && (least === undefined || worst >= least)
  return { name, bar, median, worst, unit, holds }
}
