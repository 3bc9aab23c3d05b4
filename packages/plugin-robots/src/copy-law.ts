// What is known of an origin's robots.txt, and when it is requested again: a pure law over one copy.
//
//               answered 2xx          answered 4xx, or redirects that lead nowhere     5xx, 429, timeout, reset, no such host
//   anything ─▶ rules                 open (everything is allowed)                     what it was, retried with growing pauses
//
// Source: RFC 9309 §2.3.1. A copy is good for 24 h (§2.4); while it cannot be renewed, the last good one is used, however old. Without any
// (`unknown`) everything is disallowed (RFC 9309 §2.3.1.4), which here means: its URLs wait. They are never failed for it. After twelve attempts, which
// take a day, the host is given up with that reason; its URLs stay, and core probes it once a day, then less often.
// Chance is in each pause: hosts behind one limiter are refused together, and are not to come back together. A 429 is about our pace, which the rate policy
// lowers and the breaker ends: its pauses do not grow beyond five minutes here, and a limiter before many hosts gets through all of them.
import type { TimedWish } from './timed-wishes.ts'

/** What a robots.txt asks of us; absent = nothing. */
interface Wishes {
  /** Start-to-start spacing. */
  readonly crawlDelayMs?: number | undefined
  /** As it is written, where the spacing is that of a Request-rate. */
  readonly requestRate?: string | undefined
  /** By the time of the day. */
  readonly timed?: readonly TimedWish[]
  /** What it says about the use of the content, as it is written. */
  readonly preferences?: readonly string[]
}

/** What is kept of one origin, in plain JSON. */
export interface Copy extends Wishes {
  /** `rules`: they are beside the memory, as a blob. `open`: there is no file. `unknown`: it was never reached. */
  readonly kind: 'rules' | 'open' | 'unknown'
  /** Epoch ms of the last answer that settled `kind`; 0 while unknown. */
  readonly fetchedAt: number
  /** Epoch ms at which it is requested again. */
  readonly refreshAt: number
  /** Attempts in a row that did not reach it. */
  readonly failures: number
  /** Epoch ms of the first of them; absent = none. */
  readonly failingSince?: number
  /** Last status, or the code of the failure. */
  readonly last: number | string
  /** Of our rules; absent when there are none. */
  readonly rules?: number
  /** Lines that mean nothing. */
  readonly ignoredLines?: number
}

/** What an attempt to fetch it came to. */
export type FetchedRobots =
  | ({ readonly kind: 'rules'; readonly status: number; readonly rules: number; readonly ignoredLines: number } & Wishes)
  | { readonly kind: 'open'; readonly last: number | string }
  /** `retryAfterAt`: epoch ms before which the server does not want to be asked. */
  | { readonly kind: 'unreachable'; readonly last: number | string; readonly retryAfterAt?: number }

const FRESH_MS = 24 * 3_600_000
/** The first two are short: a host that never answered is given up after three probes, and should not take hours for that. */
const PAUSES_MS = [5_000, 30_000, 300_000]
const LONGEST_PAUSE_MS = 6 * 3_600_000
const MAX_FAILURES = 12
/** How long as many attempts take at least, where none of them was refused: less chance than there may be in them. */
const HOPELESS_MS = 16 * 3_600_000
/** Too many requests: about our pace, not about the file. */
export const TOO_MANY = 429

/** The copy after an attempt that ended at `now` (epoch ms); `chance` in [0, 1). */
export function copyAfter(
  before: Copy | undefined,
  fetched: FetchedRobots,
  { now, chance }: { readonly now: number; readonly chance: number },
): Copy {
  if (fetched.kind === 'unreachable') {
    const failures = (before?.failures ?? 0) + 1
    const kind = before?.kind ?? 'unknown'
    const nth = fetched.last === TOO_MANY ? Math.min(failures, PAUSES_MS.length) : failures
    const refreshAt = Math.max(now + Math.round(pauseMs(nth) * (0.75 + chance / 2)), fetched.retryAfterAt ?? 0)
    return { fetchedAt: 0, failingSince: now, ...before, kind, refreshAt, failures, last: fetched.last }
  }
  const fresh = { fetchedAt: now, refreshAt: now + FRESH_MS, failures: 0 }
  if (fetched.kind === 'open') return { kind: 'open', ...fresh, last: fetched.last }
  const { status, rules, crawlDelayMs, requestRate, timed = [], ignoredLines, preferences = [] } = fetched
  return {
    kind: 'rules',
    ...fresh,
    last: status,
    ...(rules > 0 && { rules }),
    ...(crawlDelayMs !== undefined && crawlDelayMs > 0 && { crawlDelayMs }),
    ...(requestRate !== undefined && { requestRate }),
    ...(timed.length > 0 && { timed }),
    ...(ignoredLines > 0 && { ignoredLines }),
    ...(preferences.length > 0 && { preferences }),
  }
}

/** Whether it was requested in vain for so long that its host is to be given up. */
export function isHopeless({ kind, failures, failingSince = 0 }: Copy, now: number): boolean {
  return kind === 'unknown' && failures >= MAX_FAILURES && now - failingSince >= HOPELESS_MS
}

/** 5 s, 30 s, 5 min, then doubling to 6 h; each a quarter more or less by chance. */
function pauseMs(failures: number): number {
  return PAUSES_MS[failures - 1] ?? Math.min(LONGEST_PAUSE_MS, 300_000 * 2 ** (failures - 3))
}
