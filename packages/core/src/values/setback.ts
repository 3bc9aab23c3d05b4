// A clock that was ahead and is right again: how far it went back, and what that does to moments that were written down.
//
// A moment is kept as epoch ms, so what a wrong clock wrote is wrong by as much as the clock was: a pause of five seconds, written by a clock that
// was a year ahead, holds its host for a year. What was left of each wait is what counts, so all moments are moved back by the difference.
// Small steps (NTP) are left alone: they cost at most their own length in waiting, and laws take no time for negative time.

/** A clock that is behind by no more than this is taken to be right. */
const SETBACK_TOLERANCE_MS = 5_000

/** How far the clock is behind the last moment that was written; 0 when it does not, or not by enough to matter. */
export function setBackMs(lastAt: number, now: number): number {
  return lastAt - now > SETBACK_TOLERANCE_MS ? lastAt - now : 0
}

/**
 * Memory of a clock that was ahead by `byMs`: numbers in fields of these names, at any depth, are moments that are moved back by as much. 0 stands for never
 * and stays 0.
 *
 * @example
 * ```ts
 * movedBack({ until: 1_767_232_800_000 }, ['until'], 7_200_000) // { until: 1_767_225_600_000 }
 * ```
 */
export function movedBack(memory: unknown, moments: readonly string[], byMs: number): unknown {
  if (Array.isArray(memory)) return memory.map((each) => movedBack(each, moments, byMs))
  if (typeof memory !== 'object' || memory === null) return memory
  const fields = Object.entries(memory).map(([name, value]: [string, unknown]) => {
    const isMoment = typeof value === 'number' && value !== 0 && moments.includes(name)
    return [name, isMoment ? Math.max(1, value - byMs) : movedBack(value, moments, byMs)] as const
  })
  return Object.fromEntries(fields)
}
