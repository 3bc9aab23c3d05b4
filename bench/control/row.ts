// A line of the tables that `npm run bench:control` prints: one figure, its median and its worst over the seeds, and what it is held against.

/** A figure, and whether it holds. */
export interface Row {
  readonly name: string
  readonly unit: string
  /** How many seeds it is about. */
  readonly seeds: number
  readonly median: number
  readonly worst: number
  /** Which of the two is judged, and by what: `worst ≤ 6`, `median ≥ 96`. `–` = neither, the figure is there to be known. */
  readonly bar: string
  readonly holds: boolean
  /** What one would like, and need not have: a miss is printed, and no run fails for it. */
  readonly isAim: boolean
}

/** How figures are read. Without `atMost` and `atLeast` nothing is judged. */
export interface Reading {
  readonly unit?: string
  readonly atMost?: number | undefined
  readonly atLeast?: number | undefined
  /** Promises are judged by the worst seed, which is the default; shares of what there is to have, by the median. */
  readonly judged?: 'median' | 'worst'
  readonly isAim?: boolean
  /** Which end is the worst one. Default: low when `atLeast` is given, else high. */
  readonly worst?: 'high' | 'low'
}

/** A row of the figures of several seeds. Judged as they are, shown rounded. */
export function rowOf(name: string, figures: readonly number[], reading: Reading = {}): Row {
  const { unit = '', atMost, atLeast, judged = 'worst', isAim = false } = reading
  const sorted = figures.toSorted((a, b) => a - b)
  const isLowWorst = (reading.worst ?? (atLeast === undefined ? 'high' : 'low')) === 'low'
  const [median = Number.NaN, last = Number.NaN] = [sorted[Math.floor(sorted.length / 2)], isLowWorst ? sorted[0] : sorted.at(-1)]
  // A seed without a figure is no better than the worst, and nothing holds that has one.
  const ends = figures.some(Number.isNaN) ? { median: Number.NaN, worst: Number.NaN } : { median, worst: last }
  const value = ends[judged]
  const isJudged = atMost !== undefined || atLeast !== undefined
  return {
    name,
    unit,
    seeds: figures.length,
    median: rounded(ends.median),
    worst: rounded(ends.worst),
    bar: isJudged ? `${judged} ${atMost === undefined ? `≥ ${String(atLeast)}` : `≤ ${String(atMost)}`}` : '–',
    // NaN is neither above nor below.
    holds: !isJudged || (value <= (atMost ?? Infinity) && value >= (atLeast ?? -Infinity)),
    isAim,
  }
}

/** For rows about the same runs: a function from the figure of each run to a row. */
export function rowsOn<Run>(runs: readonly Run[]): (name: string, figure: (run: Run) => number, reading?: Reading) => Row {
  return (name, figure, reading) => {
    const figures = runs.map((run) => figure(run))
    return rowOf(name, figures, reading)
  }
}

/** To four digits: what is beyond them is chance. */
function rounded(value: number): number {
  return Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4))
}
