// Until when a host asks to be left alone: Retry-After in full, never a millisecond earlier, and a little later by chance.
//
// How the field is read is core's (a date counts from the answer's own Date field). The chance spreads what would otherwise come back in the same
// instant: 0 to 5 %, at most 2 s.
import { retryAfterAt, type ResponseHeaders } from '@avocet/core/plugin'

const MOST_JITTER_MS = 2_000
const JITTER_RATIO = 0.05

/**
 * Epoch ms before which the host does not want to be asked; undefined when it does not say, or not so that it can be read.
 * `chance` gives a number in [0, 1); it is asked only when there is something to spread.
 */
export function askedToWait(
  headers: ResponseHeaders,
  { now, chance }: { readonly now: number; readonly chance: () => number },
): number | undefined {
  const at = retryAfterAt(headers, now)
  return at === undefined ? undefined : later(now, at - now, chance)
}

/** `waitMs` after `now`, and a little later. */
export function later(now: number, waitMs: number, chance: () => number): number {
  if (waitMs <= 0) return now
  return now + waitMs + Math.min(MOST_JITTER_MS, waitMs * JITTER_RATIO) * chance()
}
