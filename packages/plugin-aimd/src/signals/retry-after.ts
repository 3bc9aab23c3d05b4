// Until when a host asks to be left alone: Retry-After in full, never a millisecond earlier, and a little later by chance.
//
// A date is taken relative to the answer's own Date field, so that a clock that is wrong there or here changes nothing. Of several fields the
// latest counts. The chance spreads what would otherwise come back in the same instant: 0 to 5 %, at most 2 s.
import { headerOf, httpDate, retryAfterAt, type ResponseHeaders } from '@avocet/core'

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
  const field = headers['retry-after']
  if (field === undefined) return undefined
  const theirNow = httpDate(headerOf(headers, 'date') ?? '', now) ?? now
  let latest: number | undefined
  for (const value of typeof field === 'string' ? [field] : field) {
    const at = retryAfterAt(value, theirNow)
    if (at !== undefined && at > (latest ?? -1)) latest = at
  }
  return latest === undefined ? undefined : later(now, latest - theirNow, chance)
}

/** `waitMs` after `now`, and a little later. */
export function later(now: number, waitMs: number, chance: () => number): number {
  if (waitMs <= 0) return now
  return now + waitMs + Math.min(MOST_JITTER_MS, waitMs * JITTER_RATIO) * chance()
}
