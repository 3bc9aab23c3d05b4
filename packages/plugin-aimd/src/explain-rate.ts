// What `avocet why` says of a host's pace: a few named values, from memory alone.
import type { Json } from '@avocet/core'
import type { HostView } from '@avocet/core/plugin'
import { adviceAt, rateOf, rpsOf, windowOf, type RateMemory } from './host-memory.ts'
import { limitsFor, type RateSettings } from './settings.ts'
import { limitOf } from './window-law.ts'

/** At most ten values; what does not apply is left out. */
export function explainRate(
  { host, now }: { readonly host: HostView; readonly now: number },
  memory: RateMemory,
  settings: RateSettings,
): Readonly<Record<string, Json>> {
  const limits = limitsFor(settings, host.options)
  const window = windowOf(memory, settings, limits)
  const foundRps = rateOf(memory, settings, limits).rps
  const rps = rpsOf(memory, settings, limits, now)
  const { pace, refusals, refusedAt, refusedInEpoch, blocked, ignoredFields } = memory
  const advice = adviceAt(memory, now)
  return {
    law: settings.law.name,
    foundRps: digits(foundRps),
    ...(rps !== foundRps && { usedRps: digits(rps) }),
    inFlightLimit: Math.min(window === undefined ? limits.maxInFlight : limitOf(window, limits), advice?.maxInFlight ?? Infinity),
    ...(pace.pausedUntil > now && { pausedUntil: pace.pausedUntil, pausedFor: memory.pausedFor ?? 'rest' }),
    ...(refusedAt !== undefined && { refusedAt, refusals, refusedInEpoch: refusedInEpoch ?? 0 }),
    // The eleventh value would be one too many.
    ...(blocked !== undefined ? { blockedTimes: blocked.times } : ignoredFields !== undefined && { ignoredFields }),
  }
}

/** Four significant digits. */
function digits(value: number): number {
  return Number(value.toPrecision(4))
}
