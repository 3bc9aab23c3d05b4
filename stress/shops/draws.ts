// Chance for the world of shops: words in, draws out, the same for the same words whatever else is drawn.
import { seeded } from '@avocet/simulator'

/** Draws of one name, one after the other. */
export interface Draws {
  /** In [0, 1). */
  next(): number
  between(from: number, to: number): number
  /** From `from` to `to`, both included. */
  whole(from: number, to: number): number
  isHit(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** As lengths of time and rates are spread: as often above the median as below it. */
  logNormal(median: number, sigma: number): number
  /** Until the next of events that come `perMs` often. */
  gap(perMs: number): number
}

/** Draws of this name. */
export function drawsOf(...words: readonly (string | number)[]): Draws {
  const chance = seeded('shops', ...words)
  let n = 0
  const next = (): number => chance(n++)
  return {
    next,
    between: (from, to) => from + next() * (to - from),
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    isHit: (share) => next() < share,
    pick: <T>(list: readonly T[]): T => {
      if (list.length === 0) throw new RangeError('expected something to pick from, got an empty list')
      return list[Math.floor(next() * list.length)] as T
    },
    logNormal(median, sigma) {
      const normal = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
      return median * Math.exp(sigma * normal)
    },
    gap: (perMs) => -Math.log(1 - next()) / perMs,
  }
}
