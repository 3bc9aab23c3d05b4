// The default law: the rate that a host bears, found and held at the price of very few refusals.
//
// One look at the limit costs one refusal, so the only freedom is how often to look: the *loss interval*, in requests, is a harm budget.
// A refusal that was due costs 5 %; one that came too early costs 30 %; when nothing is refused for longer than expected the climb accelerates.
import type { Accepted, RateLaw, RateLimits, RateState, Refused } from '../rate-law.ts'
import { deliveredRps, FRESH_METER, metered, type DeliveryMeter } from './delivery-meter.ts'

/** Memory of one host. */
export interface HarmBudgetState extends RateState {
  readonly mode: 'start' | 'normal' | 'recover'
  /** Accepted since the last refusal. */
  readonly accepted: number
  /** Expected losses in a row: each doubles the loss interval, up to the budget. */
  readonly confidence: number
  /** Requests between two refusals that are aimed for; frozen at each refusal. */
  readonly interval: number
  /** Rate when the climb began to accelerate; 0 = it did not. */
  readonly calmRps: number
  /** Rate that the recovery aims at. */
  readonly plateauRps: number
  /** Refusals since anything was accepted. */
  readonly blackouts: number
  readonly latencyMs: number
  readonly meter: DeliveryMeter
}

const EXPECTED_CUT = 0.05
const SURPRISE_CUT = 0.7

/** The law `harm-budget`. */
export function harmBudget(): RateLaw<HarmBudgetState> {
  return { name: 'harm-budget', burst: 1, fresh, accepted, refused }
}

function fresh({ startRps }: RateLimits): HarmBudgetState {
  return {
    rps: startRps,
    mode: 'start',
    accepted: 0,
    confidence: 0,
    interval: 20,
    calmRps: 0,
    plateauRps: 0,
    blackouts: 0,
    latencyMs: 0,
    meter: FRESH_METER,
  }
}

function accepted(state: HarmBudgetState, event: Accepted, limits: RateLimits): HarmBudgetState {
  const latencyMs = Math.round(state.latencyMs === 0 ? event.firstByteMs : 0.9 * state.latencyMs + 0.1 * event.firstByteMs)
  const seen = { ...state, latencyMs, meter: metered(state.meter, event.now, meterMs(state.rps)) }
  if (!event.counts) return seen
  const next = { ...seen, accepted: state.accepted + 1, blackouts: 0 }
  const { rps, calmRps } = climbed(next, event.inFlight)
  return { ...next, ...modeAfter(next, rps), rps: clamp(rps, limits), calmRps }
}

function climbed(state: HarmBudgetState, inFlight: number): { readonly rps: number; readonly calmRps: number } {
  const { rps, calmRps } = state
  const most = 0.1 / (inFlight + 1)
  if (state.mode === 'start') return { rps: state.accepted % 8 === 0 ? rps * 2 : rps, calmRps: 0 }
  if (state.mode === 'recover') {
    const step = (state.plateauRps - rps) / Math.max(8, 3 * rps)
    return { rps: rps + Math.min(rps * most, Math.max(step, 0.002 * rps)), calmRps: 0 }
  }
  const due = state.accepted / state.interval
  const even = EXPECTED_CUT / state.interval
  if (due <= 1.25) return { rps: rps * (1 + Math.min(even, most)), calmRps }
  const gain = Math.min(0.08, even * 2 ** ((due - 1.25) / 0.15), most)
  return { rps: rps * (1 + gain), calmRps: calmRps === 0 ? rps : calmRps }
}

function modeAfter(state: HarmBudgetState, rps: number): Partial<HarmBudgetState> {
  return state.mode === 'recover' && rps >= 0.99 * state.plateauRps ? { mode: 'normal', accepted: 0 } : {}
}

function refused(state: HarmBudgetState, event: Refused, limits: RateLimits): HarmBudgetState {
  if (state.accepted === 0 && state.mode !== 'start') return blackedOut(state, event, limits)
  const change = state.mode === 'start' ? startEnded(state, event) : cut(state, event)
  const rps = clamp(change.rps, limits)
  const next = { ...state, mode: 'normal' as const, ...change, rps, restMs: 0, accepted: 0, calmRps: 0 }
  return { ...next, interval: lossInterval(next) }
}

function startEnded(state: HarmBudgetState, { now }: Refused): { readonly rps: number } {
  return { rps: 0.85 * Math.min(state.rps, Math.max(deliveredRps(state.meter, now, meterMs(state.rps)), state.rps / 2)) }
}

function cut(state: HarmBudgetState, { now }: Refused): Partial<HarmBudgetState> & { readonly rps: number } {
  const { rps, calmRps, confidence } = state
  if (calmRps > 0 && rps > calmRps * (1 + 2 * EXPECTED_CUT)) {
    const found = 0.93 * Math.min(rps, deliveredRps(state.meter, now, meterMs(rps)))
    const lower = found > 1.15 * calmRps ? 2 : 0
    return { rps: Math.max(calmRps * (1 - EXPECTED_CUT), found), confidence: Math.max(0, confidence - lower) }
  }
  if (state.accepted >= 0.4 * state.interval) return { rps: rps * (1 - EXPECTED_CUT), confidence: confidence + 1 }
  const plateauRps = (rps * (1 + SURPRISE_CUT)) / 2
  return { rps: rps * SURPRISE_CUT, plateauRps, confidence: Math.max(0, confidence - 2), mode: 'recover' }
}

/** Nothing was accepted since the last refusal: an exhausted window, not a rate. Cut once, then wait: 1 s doubling to 60 s. */
function blackedOut(state: HarmBudgetState, { chance, told }: Refused, limits: RateLimits): HarmBudgetState {
  const blackouts = state.blackouts + 1
  const rps = blackouts === 1 ? clamp(state.rps * SURPRISE_CUT, limits) : state.rps
  const restMs = Math.round(Math.min(60_000, 1_000 * 2 ** Math.min(blackouts - 1, 6)) * (0.75 + chance / 2))
  return { ...state, rps, blackouts, restMs: told ? 0 : restMs }
}

function lossInterval({ rps, latencyMs, confidence }: HarmBudgetState): number {
  const budget = 200 * rps ** 0.5
  const search = (20 + 5 * rps) * 2 ** Math.min(confidence, 20)
  return Math.round(Math.max((2 * rps * latencyMs) / 1_000, Math.min(budget, search)))
}

/** The meter looks back over 1 to 2 windows. */
function meterMs(rps: number): number {
  return Math.max(2_000, 8_000 / rps)
}

function clamp(rps: number, { minRps, maxRps }: RateLimits): number {
  return Number(Math.min(maxRps, Math.max(minRps, rps)).toPrecision(6))
}
