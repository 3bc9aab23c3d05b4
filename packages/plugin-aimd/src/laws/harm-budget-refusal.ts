// The law `harm-budget` at a refusal: what the host took since the last one is its capacity. Pure.
import type { RateLimits, Refused } from '../rate-law.ts'
import { lookedAround, refusedInCrowd } from './harm-budget-crowd.ts'
import { foldsOf, intervalOf, PROBE, ROUND_TRIP, withinLimits, type HarmBudgetState } from './harm-budget-state.ts'

/** A refusal after so much of the interval was due; before, it is a surprise. */
const DUE = 0.4
/** Up to so far above what was measured the rate of a refusal may be, and what was measured is believed in full. */
const NEAR = 0.2
/** Two measurements agree within this (and within one request). */
const AGREE = 0.05
/** So many requests make a measurement that one may rely on. */
const RELIABLE = 6
/** A surprise leaves at least this share of the rate. */
const LEAST_LEFT = 0.4
/** A refusal that was due leaves at least this share of it. */
const LEAST_DUE = 0.7
/** From here on a probe has left the base behind, and found something, or burnt a burst. */
const FAR = 1.1
/** Evidence of n requests supports an interval of so many times n: after a surprise that nothing confirms, few. */
const EARNED = 12
const EARNED_BY_SURPRISE = 5

/** What stands at a refusal; rates in requests per second. */
interface Finding {
  /** The rate at which the refused request was sent: the climb went on while it was in flight. */
  readonly rps: number
  readonly due: boolean
  /** Accepted between the last two refusals, over the time from the one to the other. */
  readonly tookRps: number
  /** The same over the time from the first answer after the hold. */
  readonly netRps: number
  readonly agrees: boolean
}

/** The state after the first refusal of an epoch; `budget` scales the loss interval. */
export function refusedOnce(
  state: HarmBudgetState,
  event: Refused,
  { limits, budget }: { readonly limits: RateLimits; readonly budget: number },
): HarmBudgetState {
  if (state.crowd !== undefined) return refusedInCrowd(state, event, { limits, budget })
  if (state.accepted === 0 && (state.baseRps > 0 || state.sinceAt === 0)) return ranDry(state, event, limits)
  const found = state.baseRps === 0 ? firstMet(state, event) : measured(state, event, budget)
  const learned = lookedAround(state, found, { now: event.now, budget })
  const anew = { accepted: 0, taken: 0, sinceAt: Math.round(event.now), firstAt: 0, lastAt: 0, stale: 0, dry: 0, restMs: 0 }
  return withinLimits({ ...learned, ...anew }, limits)
}

/** Nothing was accepted since the last refusal: an empty bucket, or a window that is used up. Halve twice, then wait: 1 s doubling to 60 s. */
function ranDry(state: HarmBudgetState, { chance, saysWhen }: Refused, limits: RateLimits): HarmBudgetState {
  const dry = state.dry + 1
  const rps = dry <= 2 ? state.rps / 2 : state.rps
  const restMs = dry <= 2 || saysWhen ? 0 : Math.round(Math.min(60_000, 1_000 * 2 ** Math.min(dry - 3, 6)) * (0.75 + chance / 2))
  const next = { ...state, rps, dry, restMs, baseRps: state.baseRps === 0 ? state.rps : state.baseRps }
  return withinLimits({ ...next, interval: state.interval === 0 ? intervalOf(next, 0, 1) : state.interval }, limits)
}

/** The end of the start. What was taken so far counts the burst; after two or three answers it says next to nothing. */
function firstMet(state: HarmBudgetState, { now }: Refused): HarmBudgetState {
  const { rps, taken, sinceAt } = state
  const tookRps = perSecond(taken, sinceAt, now)
  const left = taken <= 3 ? Math.max(0.06, (taken - 1) / 8) : Math.max(0.2, Math.min(0.4, tookRps / rps))
  const base = taken <= 3 ? 0.35 : Math.min(0.5, tookRps / rps)
  const next = { ...state, rps: rps * left, baseRps: rps * Math.max(left, base) }
  return { ...next, interval: intervalOf(next, 0, 1) }
}

function measured(state: HarmBudgetState, event: Refused, budget: number): HarmBudgetState {
  const found = findingOf(state, event)
  const { due, agrees, tookRps } = found
  const stores = storesAfter(state, found)
  const { baseRps, safeRps } = found.due ? baseAfterDue({ ...state, stores }, event, found) : baseAfterSurprise(state, found)
  const reliable = state.accepted >= RELIABLE + 2 || state.knownRps === 0
  const knownRps = reliable ? (due ? Math.min(found.netRps, found.rps) : tookRps) : Math.min(state.knownRps, baseRps)
  // Where the rate at which it was refused is far from what was measured, the truth is between the two: look again soon.
  const near = due && !agrees ? Math.min(1, (NEAR / Math.max(0.001, found.rps / baseRps - 1)) ** 2) : 1
  const earned = Math.max(
    (due || agrees ? EARNED : EARNED_BY_SURPRISE) * state.accepted * near,
    agrees && !due ? state.interval : 0,
  )
  const next = { ...state, rps: baseRps, baseRps, safeRps, knownRps, stores, peakRps: due ? found.rps : 0 }
  return { ...next, interval: intervalOf(next, earned, budget) }
}

function findingOf(state: HarmBudgetState, { now, inFlight }: Refused): Finding {
  const { accepted, interval, baseRps, knownRps, taken } = state
  const sent = baseRps + (state.rps - baseRps) * Math.exp((-foldsOf(state) * Math.min(accepted, inFlight)) / interval)
  const rps = state.rps > baseRps ? Math.max(state.rps / (1 + (ROUND_TRIP * inFlight) / (inFlight + 1)), sent) : state.rps
  const tookRps = perSecond(taken, state.sinceAt, now)
  // After a wait on an exhausted window the wait is part of what the host takes.
  const netRps = state.dry > 0 ? tookRps : perSecond(accepted, state.firstAt, now)
  const due = accepted >= DUE * interval
  const measure = due ? Math.min(netRps, rps) : tookRps
  return { rps, due, tookRps, netRps, agrees: knownRps > 0 && Math.abs(measure / knownRps - 1) <= AGREE + 1 / accepted }
}

/**
 * Refused although we asked no faster than it took before: the credit of a pause was used up, so it keeps such credit.
 * Refused twice at the same rate, well above what it took: it does not, and what it took is less than what it would take.
 */
function storesAfter({ stores, baseRps, knownRps, peakRps, accepted }: HarmBudgetState, { rps, due, agrees }: Finding): boolean {
  if (due && rps > 1.04 * baseRps && Math.abs(rps / peakRps - 1) < PROBE) return false
  return stores || (agrees && !due && rps > 1.01 * knownRps && accepted >= RELIABLE)
}

type Base = Pick<HarmBudgetState, 'baseRps' | 'safeRps'>

function baseAfterDue(state: HarmBudgetState, { now }: Refused, { rps, netRps }: Finding): Base {
  const { baseRps, knownRps, taken, sinceAt, stores } = state
  // More was taken than the known capacity has to give in that time: it has grown. Else only a burst was burnt.
  const grown = knownRps > 0 && taken > 2 + (1.02 * knownRps * (now - sinceAt)) / 1_000
  if (grown && rps > FAR * baseRps) {
    const safeRps = Math.max(baseRps, Math.min(netRps, rps))
    return { baseRps: Math.max(safeRps, 0.9 * rps), safeRps }
  }
  const below = (1 - PROBE) * rps
  const least = state.dry > 2 ? 0 : LEAST_DUE * rps
  if (stores) return { baseRps: Math.min(below, Math.max(netRps, least)), safeRps: 0 }
  return { baseRps: Math.min(below, Math.max(1.3 * baseRps, netRps)), safeRps: 0 }
}

function baseAfterSurprise({ accepted, knownRps, safeRps, dry }: HarmBudgetState, { rps, tookRps, agrees }: Finding): Base {
  const took = agrees && accepted >= RELIABLE ? Math.max(tookRps, knownRps) : tookRps
  const least = dry > 2 ? 0 : LEAST_LEFT * rps
  return { baseRps: Math.max(safeRps, Math.min((1 - PROBE) * rps, Math.max(least, took))), safeRps: 0 }
}

function perSecond(count: number, from: number, to: number): number {
  return (count * 1_000) / Math.max(1, to - from)
}
