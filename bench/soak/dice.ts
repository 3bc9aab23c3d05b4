// Chance for the weather: words in, numbers out, the same for the same seed whatever else is drawn.
import { seeded } from '@avocet/simulator'
import type { Span } from './trouble.ts'

/** A source of chance. */
export interface Dice {
  /** In [0, 1). */
  next(): number
  /** A whole number from `from` to `to`. */
  whole(from: number, to: number): number
  /** Between two positive numbers, each order of magnitude as likely as the other. */
  log(from: number, to: number): number
  pick<T>(list: readonly T[]): T
  /** A time of `lengthMs` within `within`; half of them begin around a full hour, when most pages are due. */
  span(lengthMs: number, within: Span): Span
}

const HOUR_MS = 3_600_000
/** In the first seconds of an hour most of its visits are made: what begins five seconds before or after it meets them. */
const RUSH_MS = 5_000

/** Dice of this name. */
export function diceOf(...words: readonly (string | number)[]): Dice {
  const chance = seeded('soak', ...words)
  let n = 0
  const next = (): number => chance(n++)
  return {
    next,
    whole: (from, to) => from + Math.floor(next() * (to - from + 1)),
    log: (from, to) => from * (to / from) ** next(),
    pick(list) {
      const picked = list[Math.floor(next() * list.length)]
      if (picked === undefined) throw new RangeError('expected something to pick from, got an empty list')
      return picked
    },
    span(lengthMs, { fromMs, untilMs }) {
      const at = Math.round(fromMs + next() * Math.max(0, untilMs - fromMs - lengthMs))
      const from =
        next() < 0.5 ? Math.max(fromMs, Math.round(at / HOUR_MS) * HOUR_MS + Math.round((2 * next() - 1) * RUSH_MS)) : at
      return { fromMs: from, untilMs: Math.round(from + lengthMs) }
    },
  }
}
