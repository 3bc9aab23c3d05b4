// What the quotas of an answer advise: a cap of the rate, a cap of what is in flight, a pause. Pure.
//
// What is left is spread evenly over the time until there is more, with a twentieth in reserve: then nothing is ever refused, and no refusal is
// needed to find the limit. It only ever slows down: that a host allows a hundred at once does not mean that they are welcome.
import type { Quota } from './signals/rate-limit.ts'

/** Advice of a host; kept while it is fresh. */
export interface RateAdvice {
  /** Requests per second, at most. */
  readonly rps?: number
  /** Exchanges in flight, at most. */
  readonly maxInFlight?: number
  /** Epoch ms at which it is stale. */
  readonly until: number
}

/** What follows from an answer. */
export interface Advised {
  /** Absent when there is nothing to keep. */
  readonly advice?: RateAdvice
  /** Nothing is left: wait so long; at most an hour, after which one request asks again. */
  readonly pauseMs?: number
}

const RESERVE = 0.95
/** Of a quota of requests at once. */
const CONCURRENT_SHARE = 0.9
/** Resets are given in whole seconds: below this they say "any moment". */
const SHORTEST_MS = 500
const LONGEST_PAUSE_MS = 3_600_000
const LONGEST_FRESH_MS = 86_400_000
const LEAST_RPS = 1 / 3_600

/** Joins all quotas: the smallest cap, the longest pause. */
export function advised(
  quotas: readonly Quota[],
  { now, inFlight }: { readonly now: number; readonly inFlight: number },
): Advised {
  let rps = Infinity
  let maxInFlight = Infinity
  let pauseMs = 0
  let freshMs = 0
  for (const quota of quotas) {
    const one = adviceOf(quota, inFlight)
    rps = Math.min(rps, one.rps ?? Infinity)
    maxInFlight = Math.min(maxInFlight, one.maxInFlight ?? Infinity)
    pauseMs = Math.max(pauseMs, one.pauseMs ?? 0)
    if (one.rps !== undefined || one.maxInFlight !== undefined) freshMs = Math.max(freshMs, one.freshMs ?? 0)
  }
  const until = Math.round(now + Math.min(LONGEST_FRESH_MS, freshMs))
  return {
    ...(freshMs > 0 && {
      advice: { ...(rps < Infinity && { rps: rounded(rps) }), ...(maxInFlight < Infinity && { maxInFlight }), until },
    }),
    ...(pauseMs > 0 && { pauseMs: Math.min(LONGEST_PAUSE_MS, pauseMs) }),
  }
}

/** Whether the fields say that more requests are welcome now: a refusal beside it makes them liars. */
export function saysWelcome(quotas: readonly Quota[], inFlight: number): boolean {
  const left = quotas.flatMap(({ remaining }) => (remaining === undefined ? [] : [remaining]))
  return left.length > 0 && left.every((remaining) => remaining > inFlight)
}

interface OneAdvice {
  readonly rps?: number
  readonly maxInFlight?: number
  readonly pauseMs?: number
  readonly freshMs?: number
}

function adviceOf({ unit, limit, windowMs, remaining, resetMs }: Quota, inFlight: number): OneAdvice {
  if (unit === 'concurrent') {
    if (limit === undefined) return {}
    return { maxInFlight: Math.max(1, Math.floor(limit * CONCURRENT_SHARE)), freshMs: LONGEST_FRESH_MS }
  }
  if (remaining !== undefined && resetMs !== undefined) {
    const left = unit === 'requests' ? remaining - inFlight : remaining
    if (left <= 0) return { pauseMs: Math.max(SHORTEST_MS, resetMs) }
    const ms = Math.max(SHORTEST_MS, resetMs)
    return unit === 'requests' ? { rps: (RESERVE * left * 1_000) / ms, freshMs: 2 * ms } : {}
  }
  if (unit !== 'requests' || limit === undefined || windowMs === undefined || windowMs === 0 || limit === 0) return {}
  return { rps: (RESERVE * limit * 1_000) / windowMs, freshMs: 2 * windowMs }
}

function rounded(rps: number): number {
  return Number(Math.max(LEAST_RPS, rps).toPrecision(4))
}
