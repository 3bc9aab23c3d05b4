// How long to wait before another attempt. Pure.
//
// Full jitter (a uniform share of the doubled delay) spreads attempts best; for refusals half of it is certain, for full jitter sometimes gives
// almost nothing, and a throttled client that comes back at once burns its attempts. Source: AWS's simulator of both; aws-sdk-net #4341.
// A ban lasts as long as it does, however often it is tried: the same delay each time. An outage lasts as long as it does, whichever page is tried:
// pages wait about as long as it has lasted so far, and are there when the host is back, be it after 20 s or after a day.
import type { RetryClass } from './classify.ts'

const OUTAGE_MS = 5_000
const LONGEST_OUTAGE_MS = 3_600_000
/** Beyond this doubling changes nothing, and numbers stay small. */
const MOST_DOUBLINGS = 30

/** Ms to wait after `tries` attempts of any kind; `chance` in [0, 1). */
export function delayMs({ name, baseMs, capMs }: RetryClass, tries: number, chance: number): number {
  if (name === 'blocked') return Math.round(baseMs + (capMs - baseMs) * chance)
  const longestMs = Math.min(capMs, baseMs * 2 ** Math.min(tries, MOST_DOUBLINGS))
  return Math.round(longestMs * (name === 'throttle' || name === 'certificate' ? 0.5 + chance / 2 : chance))
}

/** Ms to wait while the host is down, for `downMs` so far; `chance` in [0, 1). */
export function outageDelayMs({ outageMs = OUTAGE_MS }: RetryClass, downMs: number, chance: number): number {
  return Math.round(Math.min(LONGEST_OUTAGE_MS, Math.max(outageMs, downMs)) * (0.5 + chance / 2))
}
