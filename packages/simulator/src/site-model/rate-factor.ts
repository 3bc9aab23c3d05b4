// How a rate moves over time: the factor at a moment, its integral, and when the integral will have grown by so much. Pure.
import type { Change, Variation } from './capacity-law.ts'

/** Longest wait that a law looks ahead for; above, it says this. Ms. */
const HORIZON_MS = 86_400_000

/** A rate's factor over time; 1 when nothing moves it. Ms since the web was started. */
export interface RateFactor {
  at(sinceMs: number): number
  /** Ms at factor 1 that [0, `sinceMs`] is worth. */
  integral(sinceMs: number): number
  /** Ms from `sinceMs` until the integral has grown by `worthMs`; a day when it takes longer. */
  until(sinceMs: number, worthMs: number): number
}

const STEADY: RateFactor = { at: () => 1, integral: (sinceMs) => sinceMs, until: (_sinceMs, worthMs) => worthMs }

/** Reads a variation. */
export function rateFactor({ changes = [], wave }: Variation): RateFactor {
  if (changes.length === 0 && wave === undefined) return STEADY
  const ratio = wave?.ratio ?? 0
  const turnsPerMs = wave === undefined ? 0 : (2 * Math.PI) / wave.periodMs
  // ∫ 1 + ratio · sin = t + ratio · (1 − cos) / ω.
  const swing = (ms: number): number => (turnsPerMs === 0 ? ms : ms + (ratio * (1 - Math.cos(turnsPerMs * ms))) / turnsPerMs)
  const pieces = [{ atMs: 0, factor: 1 }, ...changes]
  const integral = (sinceMs: number): number => {
    let sum = 0
    for (let n = 0; n < pieces.length; n++) {
      const { atMs, factor } = pieces[n] as Change
      if (atMs >= sinceMs) break
      sum += factor * (swing(Math.min(sinceMs, pieces[n + 1]?.atMs ?? Infinity)) - swing(atMs))
    }
    return sum
  }
  return {
    at: (sinceMs) => changeAt(pieces, sinceMs) * (1 + ratio * Math.sin(turnsPerMs * sinceMs)),
    integral,
    until: (sinceMs, worthMs) => grown(integral, sinceMs, worthMs),
  }
}

/** Factor of the last change at or before `sinceMs`; 1 before the first. */
export function changeAt(changes: readonly Change[], sinceMs: number): number {
  let factor = 1
  for (const change of changes) if (change.atMs <= sinceMs) factor = change.factor
  return factor
}

/** By halving: the integral never falls, and a thousandth of a ms is near enough. */
function grown(integral: (ms: number) => number, sinceMs: number, worthMs: number): number {
  const goal = integral(sinceMs) + worthMs
  let high = 1
  while (integral(sinceMs + high) < goal) {
    if (high >= HORIZON_MS) return HORIZON_MS
    high = Math.min(HORIZON_MS, high * 2)
  }
  let low = 0
  while (high - low > 1e-3) {
    const middle = (low + high) / 2
    if (integral(sinceMs + middle) < goal) low = middle
    else high = middle
  }
  return high
}
