// How densely requests to one host started: the most in any second and any minute, and the smallest gap. A pure law over a sorted list.
//
// A start becomes known at the end of its exchange, so starts arrive out of order: a quick one overtakes a slow one. Each is put in its
// place, and only windows that hold it are looked at. Two starts are in one window of a second when they are less than 1,000 ms apart. The list
// lives in RAM: it reaches back as far as a slow exchange and the minute before it may need.

/** Epoch ms, ascending. */
export type Starts = number[]

/** What one more start showed. */
export interface Density {
  /** Most starts in any window that holds this one. */
  readonly inSecond: number
  readonly inMinute: number
  /** To the nearest start before or after it, ms; undefined when it is the only one. */
  readonly gapMs: number | undefined
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
/** A minute, and two for the exchange that takes longest. */
const KEPT_MS = 180_000
/** Dropping is dear and rare. */
const DROP_MS = 240_000
/** A server of one's own asked without any delay: more is not counted exactly. */
const MAX_KEPT = 100_000

/** Puts a start at `at` in its place. */
export function addStart(starts: Starts, at: number): Density {
  forget(starts, at)
  const place = firstAfter(starts, at)
  if (place === starts.length) starts.push(at)
  else starts.splice(place, 0, at)
  const [before, after] = [starts[place - 1], starts[place + 1]]
  const sinceBeforeMs = before === undefined ? undefined : at - before
  const untilAfterMs = after === undefined ? undefined : after - at
  return {
    inSecond: mostAround(starts, place, SECOND_MS),
    inMinute: mostAround(starts, place, MINUTE_MS),
    gapMs: untilAfterMs === undefined ? sinceBeforeMs : Math.min(untilAfterMs, sinceBeforeMs ?? Infinity),
  }
}

/** Most starts in any window of `lengthMs` that holds the one at `place`. */
function mostAround(starts: Starts, place: number, lengthMs: number): number {
  const at = starts[place] ?? 0
  let first = firstAfter(starts, at - lengthMs)
  let most = 0
  for (let end = place + 1; first <= place; first++) {
    const until = (starts[first] ?? 0) + lengthMs
    while (end < starts.length && (starts[end] ?? 0) < until) end++
    most = Math.max(most, end - first)
    // The longest list ends here: a later window only loses.
    if (end === starts.length) return most
  }
  return most
}

function forget(starts: Starts, at: number): void {
  const oldest = starts[0]
  if (oldest !== undefined && oldest < at - DROP_MS) starts.splice(0, firstAfter(starts, at - KEPT_MS))
  if (starts.length >= MAX_KEPT) starts.splice(0, MAX_KEPT / 2)
}

/** Number of starts at or before `at`. */
function firstAfter(starts: Starts, at: number): number {
  if ((starts.at(-1) ?? -Infinity) <= at) return starts.length
  let [low, high] = [0, starts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((starts[middle] ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}
