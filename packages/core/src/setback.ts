// A clock that was ahead and is right again: how far it went back, and what that does to moments that were written down.
//
// A moment is kept as epoch ms, so what a wrong clock wrote is wrong by as much as the clock was: a pause of five seconds, written by a clock that
// was a year ahead, holds its host for a year. What was left of each wait is what counts, so all moments are moved back by the difference.
// Small steps (NTP) are left alone: they cost at most their own length in waiting, and laws take no time for negative time.

/** A clock that is behind by no more than this is taken to be right. */
export const SETBACK_TOLERANCE_MS = 5_000

/** How far the clock is behind the last moment that was written; 0 when it does not, or not by enough to matter. */
export function setBackMs(lastAt: number, now: number): number {
  return lastAt - now > SETBACK_TOLERANCE_MS ? lastAt - now : 0
}

/**
 * A moment that a clock wrote which was ahead by `byMs`, for `Plugin.rewindHost`. 0 stands for never and stays 0.
 *
 * @example
 * ```ts
 * rewound(1_767_232_800_000, 7_200_000) // 1_767_225_600_000
 * ```
 */
export function rewound(at: number, byMs: number): number {
  return at === 0 ? 0 : Math.max(1, at - byMs)
}

/** Part of a host's memory at rest in which a store says that the clock was set back since the memory was written. */
export const SET_BACK_PART = '(set-back)'

/** How far it was set back, all in all, and what it showed after that (epoch ms); kept as `[byMs,at]`, or as an empty text once the memory was written anew. */
export interface SetBackNote {
  readonly byMs: number
  readonly at: number
}

/** What a note says. */
export function readSetBackNote(text: string | undefined): SetBackNote | undefined {
  if (text === undefined || text === '') return undefined
  const [byMs = 0, at = 0] = JSON.parse(text) as number[]
  return { byMs, at }
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A setback in words: `2 h`. */
export function setBackText(ms: number): string {
  const [unit, length] = UNITS.find(([, each]) => ms >= each) ?? ['s', 1_000]
  return `${Number((ms / length).toPrecision(3))} ${unit}`
}
