// Durations as they are typed on a command line: `90s`, `5m`, `1h30m`, `250ms`; a plain number is seconds.
import { AvocetError } from '@avocet/core'

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const PART = /(\d+(?:\.\d+)?)(ms|[smhd])/gy
const PLAIN_SECONDS = /^\d+(?:\.\d+)?$/

/** Ten years: whatever is longer was not meant, and timers and clocks stay exact below it. */
const MAX_DURATION_MS = 10 * 365 * 86_400_000

/**
 * A duration in ms.
 *
 * @param name what is being read, for the message: `--max-time`.
 * @throws AVO_USAGE when it is not a duration.
 * @example
 * ```ts
 * parseDuration('1h30m', '--max-time') // 5_400_000
 * ```
 */
export function parseDuration(text: string, name: string): number {
  const trimmed = text.trim()
  const ms = PLAIN_SECONDS.test(trimmed) ? Number(trimmed) * 1_000 : sumOfParts(trimmed)
  if (ms === undefined || ms > MAX_DURATION_MS) {
    throw new AvocetError(
      'AVO_USAGE',
      `${name}: expected a duration such as 250ms, 90s, 5m or 1h30m (a plain number is seconds), got '${text}'`,
    )
  }
  return ms
}

/** Undefined unless the parts cover the whole text. */
function sumOfParts(text: string): number | undefined {
  let ms = 0
  let readTo = 0
  for (const [part, amount, unit] of text.matchAll(PART)) {
    ms += Number(amount) * (UNIT_MS[unit ?? ''] ?? Number.NaN)
    readTo += part.length
  }
  return readTo === text.length && readTo > 0 ? ms : undefined
}
