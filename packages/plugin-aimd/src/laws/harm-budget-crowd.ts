// The law `harm-budget` among crawls that it does not know of, on one limit: the quota of an account, or of an address. Pure.
//
// 1. *How it is noticed*: alone, a refusal comes where we look for the limit, or where capacity fell, and then less was taken than we asked. Three in a row
//    well before we looked, although the host took what we asked: others are on the limit.
// 2. *How it is shared*: the rate rises by a step in each interval, and each refusal takes a step back. All see the same share of their requests refused,
//    and the interval grows with the rate: who has much is refused more often than it rises, who has little more seldom, until all have the same (AIMD; Chiu
//    & Jain 1989). A measurement of what the host took, as alone, would leave every share as it is. The first steps are large, as the start spreads the
//    shares; later ones are a tenth: a share swings around its fair part, and the logarithm of it has about half a step of variance (Jain 0.95).
// 3. *How it ends*: alone, refusals come at the same rate, so after the same time: four of them in a row. Or twelve intervals pass without any.
// 4. *Those that are known*, processes of one crawl, tell their rates every few seconds and hold one (`withOthers`): each looks as often as all of them may.
//    A limiter without burst is used at a quarter by two, as their requests meet.
//
// Measured (bench/strangers; 32 crawls, a bucket of 10 a second): Jain 0.97 instead of 0.36, 3.2 % refused instead of 2.4. Prices: one that refuses at random
// looks like a crowd, and is asked more slowly still (1 % at random: 5 % used instead of 24 %); so may one that swings (± 30 % in ten minutes, burst 5: 92 %
// used instead of 96, 0.4 % refused instead of 1.2). Where all are refused in the same instant, whatever they ask,
// as by a window that is used up, nothing tells a large share from a small one, and they stay what the start made them.
import { type RateLimits, type Refused, within } from '../rate-law.ts'
import { type HarmBudgetState, intervalOf, PROBE, withinLimits } from './harm-budget-state.ts'

/** Of the interval: until then the probe is next to nothing (`FOLDS`). */
const UNPROVOKED = 0.9
const OTHERS_AFTER = 3
/** A rate that was held for less than so many seconds proves nothing: a bucket that is being emptied refuses every other request. */
const HELD_S = 4
/** Of what was asked: a single request between two refusals is half of it, and the first one after a refusal comes a little later. */
const TAKEN = 0.4

/** Intervals after which the next refusal comes, alone: 1.1, and up to 1.4 while the steps become smaller. Among others it is one in eight. */
const [EARLIEST_ALONE, LATEST_ALONE] = [1, 1.4]
const ALONE_AFTER = 4
const QUIET_INTERVALS = 12

/** Intervals after which a rate that is not refused rises faster: capacity has grown, or others have left. Among others it is one in seven. */
const HASTE_AFTER = 2

const LEAST_STEP = 0.1
/** The first step is a quarter, the second a fifth, and so on. */
const STEPS_BEFORE = 3

/** The state after a refusal, as `learned` from it alone, and what it says about others. */
export function lookedAround(
  before: HarmBudgetState,
  learned: HarmBudgetState,
  { now, budget }: { readonly now: number; readonly budget: number },
): HarmBudgetState {
  const { accepted, rps, taken, sinceAt } = before
  if (before.baseRps === 0) return learned
  if (accepted >= UNPROVOKED * before.interval) return { ...learned, contrary: undefined }
  const tookRps = (taken * 1_000) / Math.max(1, now - sinceAt)
  if (accepted < HELD_S * rps || rps > 1.01 * before.baseRps || tookRps < TAKEN * rps) return learned
  const contrary = (learned.contrary ?? 0) + 1
  if (contrary < OTHERS_AFTER) return { ...learned, contrary }
  return { ...learned, crowd: 1, contrary: undefined, interval: crowdInterval(learned, budget) }
}

/** One of those that are known to share a limit. */
export interface Sharer {
  readonly hosts: number
  readonly state: HarmBudgetState
}

/** Each host of all that are known has the same: nobody has to notice the others, or to find a fair share by large steps. */
export function withOthers({ state, hosts }: Sharer, all: readonly Sharer[]): HarmBudgetState {
  const known = all.filter(({ state: { baseRps } }) => baseRps > 0)
  if (state.baseRps === 0 || known.length === 0) return state
  const sum = (of: (each: Sharer) => number): number => known.reduce((total, each) => total + of(each), 0)
  const rps = (hosts * sum((each) => each.state.rps)) / sum((each) => each.hosts)
  const crowd = state.crowd ?? (state.knownRps > 0 ? 1 / LEAST_STEP : undefined)
  return { ...state, crowd, known: known.length, rps, baseRps: (state.baseRps * rps) / state.rps }
}

/** A refusal among others. */
export function refusedInCrowd(
  state: HarmBudgetState,
  { now, chance, saysWhen }: Refused,
  { limits, budget }: { readonly limits: RateLimits; readonly budget: number },
): HarmBudgetState {
  const dry = state.accepted === 0 ? state.dry + 1 : 0
  const restMs = dry === 0 || saysWhen ? 0 : Math.round(Math.min(60_000, 1_000 * 2 ** Math.min(dry - 1, 6)) * (0.75 + chance / 2))
  const anew = { accepted: 0, taken: 0, sinceAt: Math.round(now), firstAt: 0, lastAt: 0, stale: 0, dry, restMs }
  if (dry > 0) return { ...state, ...anew }
  const intervals = state.accepted / state.interval
  const contrary = intervals > EARLIEST_ALONE && intervals < LATEST_ALONE ? (state.contrary ?? 0) + 1 : 0
  const next = { ...state, ...anew, contrary }
  if (contrary >= ALONE_AFTER) {
    const base = (1 - PROBE) * state.rps
    return withinLimits({ ...alone(next, base), interval: intervalOf(state, Infinity, budget) }, limits)
  }
  const rps = state.rps * (1 - stepOf(state))
  const cut = { ...next, crowd: (state.crowd ?? 0) + 1, rps, baseRps: rps }
  return withinLimits({ ...cut, interval: crowdInterval(cut, budget) }, limits)
}

/** An answer among others. */
export function climbedInCrowd(state: HarmBudgetState, limits: RateLimits): HarmBudgetState {
  const { rps, baseRps, accepted, interval } = state
  if (accepted > QUIET_INTERVALS * interval)
    return { ...alone(state, rps), accepted: 0, knownRps: 0, interval: intervalOf(state, 0, 1) }
  const haste = Math.max(1, accepted / (HASTE_AFTER * interval)) ** 2
  return within(state, rps + (haste * stepOf(state) * baseRps) / interval, limits)
}

function alone(state: HarmBudgetState, rps: number): HarmBudgetState {
  const among = { crowd: undefined, known: undefined, contrary: undefined }
  return { ...state, ...among, rps, baseRps: rps, knownRps: rps, safeRps: 0, peakRps: 0 }
}

function stepOf({ crowd = 0 }: HarmBudgetState): number {
  return Math.max(LEAST_STEP, 1 / (crowd + STEPS_BEFORE))
}

/** As alone; below 1.7 rps it shrinks with the rate, and the share that is refused grows: else small shares would take hours to become equal. */
function crowdInterval(state: HarmBudgetState, budget: number): number {
  const { rps, known = 1 } = state
  return Math.max(1, intervalOf(state, Infinity, known * budget * Math.min(1, (110 * rps) / (80 + 62 * rps))))
}
