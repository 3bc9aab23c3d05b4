// How long an open circuit stays open. Pure.
//
// Doubling bounds what a dead host costs to one request an hour; jitter keeps hosts that fell together from being probed together. Hosts that ban
// are left alone for longer, and three times as long each time; a name that does not exist is asked for once an hour.
import type { TripKind } from './trip-law.ts'

/** What the user may set. Ms. */
export interface CoolDownLimits {
  readonly openMs: number
  readonly maxOpenMs: number
  readonly blockedOpenMs: number
}

/** A ban is never waited out for longer: core retires hosts that must wait a day. */
const MAX_BLOCKED_MS = 6 * 3_600_000

/**
 * Ms until the next probe. `level`: probes that failed in vain before; `chance` in [0, 1) spreads it by a fifth, at the longest only upwards: what
 * is promised to a dead host (one request an hour) is not a mean.
 */
export function coolDownMs(kind: TripKind, level: number, chance: number, limits: CoolDownLimits): number {
  const nominal = nominalMs(kind, level, limits)
  const isLongest = kind !== 'blocked' && nominal >= limits.maxOpenMs
  return Math.round(nominal * (isLongest ? 1 + 0.2 * chance : 0.8 + 0.4 * chance))
}

function nominalMs(kind: TripKind, level: number, { openMs, maxOpenMs, blockedOpenMs }: CoolDownLimits): number {
  if (kind === 'dns' || kind === 'certificate') return maxOpenMs
  if (kind === 'blocked') return Math.min(MAX_BLOCKED_MS, blockedOpenMs * 3 ** level)
  return Math.min(maxOpenMs, openMs * 2 ** level)
}
