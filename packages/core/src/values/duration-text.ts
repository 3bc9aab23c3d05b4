// Durations as people read them, in every message and every table: in the largest fitting unit, and in the next one what is left.

/** In place of a duration that there is not. */
const NONE = '–'

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * `850 ms`, `4.2 s`, `1 min 30 s`, `3 h 20 min`, `2 d 4 h`; `for ever` when it is not finite, a dash where there is none.
 *
 * @example
 * ```ts
 * formatDuration(3_912_000) // '1 h 5 min'
 * ```
 */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE
  if (!Number.isFinite(ms)) return 'for ever'
  if (Math.round(ms) < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9.95 * SECOND_MS) return `${(ms / SECOND_MS).toFixed(1)} s`
  const seconds = Math.round(ms / SECOND_MS)
  if (seconds < 60) return `${seconds} s`
  if (ms < HOUR_MS) return pair(Math.max(ms, MINUTE_MS), [MINUTE_MS, 'min'], [SECOND_MS, 's'])
  if (ms < DAY_MS) return pair(ms, [HOUR_MS, 'h'], [MINUTE_MS, 'min'])
  return pair(ms, [DAY_MS, 'd'], [HOUR_MS, 'h'])
}

function pair(ms: number, [bigMs, bigName]: readonly [number, string], [smallMs, smallName]: readonly [number, string]): string {
  const big = Math.floor(ms / bigMs)
  const small = Math.floor((ms - big * bigMs) / smallMs)
  return small === 0 ? `${big} ${bigName}` : `${big} ${bigName} ${small} ${smallName}`
}
