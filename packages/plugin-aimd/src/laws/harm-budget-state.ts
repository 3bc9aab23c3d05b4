// What the law `harm-budget` remembers of a host, and the two sums that both of its halves need. Pure.
import { type RateLimits, type RateState, within } from '../rate-law.ts'

/** Memory of one host; epoch ms, plain JSON. */
export interface HarmBudgetState extends RateState {
  /** The rate that is held between two looks at the limit; 0 = the start, no refusal yet. */
  readonly baseRps: number
  /** What the host took between the last two refusals: its capacity, as well as we know it; 0 = not measured. */
  readonly knownRps: number
  /** After a discovery: the rate that was good before, to fall back to; 0 = none. */
  readonly safeRps: number
  /** Rate at the last refusal that was due; 0 = the last one was not. */
  readonly peakRps: number
  /** Whether the host makes up for a pause (a bucket with burst), or forgets what was not used. */
  readonly stores: boolean
  /** Requests after which the next refusal is due; 0 = the start. */
  readonly interval: number
  /** Accepted since the last refusal, of those sent after it; in the start since the last doubling. */
  readonly accepted: number
  /** All that was accepted since `sinceAt`. */
  readonly taken: number
  /** The last refusal, or the first request; 0 = nothing was accepted yet. */
  readonly sinceAt: number
  /** The first and the last of `accepted`. */
  readonly firstAt: number
  readonly lastAt: number
  /** Refusals since anything was accepted. */
  readonly dry: number
  /** Time to the first byte, smoothed. */
  readonly latencyMs: number
  /** In the start: answers in flight to requests at the rate before. */
  readonly stale: number
  /** Refusals since it was found that others are on the same limit; absent = alone. */
  readonly crowd?: number | undefined
  /** So many of the others, and this one, share what they find: each looks for more as often as one of them alone would. */
  readonly known?: number | undefined
  /** Refusals in a row that say the contrary. */
  readonly contrary?: number | undefined
}

/** Moments are kept as whole ms. */
const ROUNDING_MS = 1

/** Of a host that was never met. */
export function freshHarmBudget({ startRps }: RateLimits): HarmBudgetState {
  const never = { baseRps: 0, knownRps: 0, safeRps: 0, peakRps: 0, stores: true, interval: 0 }
  const counts = { accepted: 0, taken: 0, sinceAt: 0, firstAt: 0, lastAt: 0, dry: 0, latencyMs: 0, stale: 0 }
  return { rps: startRps, ...never, ...counts }
}

/** What was counted from a moment that is still to come was counted by another clock: so many in no time would be any rate. */
export function measuredAnew(state: HarmBudgetState, now: number): HarmBudgetState {
  if (state.sinceAt <= now + ROUNDING_MS && state.lastAt <= now + ROUNDING_MS) return state
  return { ...state, accepted: 0, taken: 0, sinceAt: Math.round(now), firstAt: 0, lastAt: 0 }
}

/** At its end the probe is so far above the base. Less is lost in the jitter of the answers; more costs utilisation on a server without burst. */
export const PROBE = 0.015
/** e-foldings of the probe in one interval: it is invisible for three quarters of it, and doubles the rate within a quarter after its end. */
const FOLDS = 18
/** One e-folding takes at least so many latencies, or the probe would have run far ahead of the answers. */
const FOLD_LATENCIES = 4
/** A climb never adds more than this in one round trip. */
export const ROUND_TRIP = 0.06

/** e-foldings of the probe in one interval at this host. */
export function foldsOf({ rps, interval, latencyMs }: HarmBudgetState): number {
  return latencyMs === 0 ? FOLDS : Math.min(FOLDS, (interval * 1_000) / (FOLD_LATENCIES * rps * latencyMs))
}

/**
 * Requests until the next refusal is due: as many as the evidence supports (`earned`), at most what the harm budget requires, and never less than
 * eight windows in flight. The budget at its default is 80 + 62 per rps: 0.9 % of the requests at 0.5 rps, 0.27 % at 5, and at most one look a minute.
 */
export function intervalOf({ rps, latencyMs }: HarmBudgetState, earned: number, budget: number): number {
  const search = Math.max(20 + 2 * rps, earned)
  return Math.round(Math.max((8 * rps * latencyMs) / 1_000, Math.min(budget * (80 + 62 * rps), search)))
}

/** The state with its rates within the limits, and with no more digits than say something. */
export function withinLimits(state: HarmBudgetState, limits: RateLimits): HarmBudgetState {
  const { rps, baseRps, knownRps, safeRps, peakRps } = state
  const rates = { baseRps: short(baseRps), knownRps: short(knownRps), safeRps: short(safeRps), peakRps: short(peakRps) }
  return within({ ...state, ...rates }, rps, limits)
}

function short(rps: number): number {
  return Math.round(rps * 1e5) / 1e5
}
