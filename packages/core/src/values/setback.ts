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

/** Numbers of 13 digits are moments: epoch ms of 2001 to 2286. */
const FIRST_MOMENT = 1e12
const PAST_MOMENTS = 1e13

/**
 * Memory of a clock that was ahead by `byMs`: its moments, at any depth, are moved back by as much. Nothing else in a memory is so large but a count of bytes
 * beyond a terabyte, to which hours as ms are nothing; hashes, the year 9999 and 0 (never) are outside.
 *
 * @example
 * ```ts
 * movedBack({ until: 1_767_232_800_000, pages: 12 }, 7_200_000) // { until: 1_767_225_600_000, pages: 12 }
 * ```
 */
export function movedBack<Memory>(memory: Memory, byMs: number): Memory {
  const isMoment = (value: unknown): value is number => typeof value === 'number' && value >= FIRST_MOMENT && value < PAST_MOMENTS
  const text = JSON.stringify(memory, (_, value: unknown) => (isMoment(value) ? value - byMs : value))
  return JSON.parse(text) as Memory
}
