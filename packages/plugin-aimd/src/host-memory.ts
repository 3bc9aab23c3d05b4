// What is remembered of one host: the law's state, the pace, and the pauses that the host requested. Plain JSON; what is absent costs nothing. What is over
// is set to undefined, which JSON leaves out: V8 turns an object from which a property was deleted into a slow one, and these live for weeks.
import type { Answered, Exchange, HostView } from '@avocet/core/plugin'
import { FRESH_PACE, type HostPace, openingRps } from './pace.ts'
import type { RateAdvice } from './rate-advice.ts'
import type { RateState } from './rate-law.ts'
import type { HostLimits, RateSettings } from './settings.ts'
import type { WindowState } from './window-law.ts'

/** What is paced: a host, or all hosts that share a limit. */
export type PacedView = Pick<HostView, 'seq' | 'inFlight' | 'lastStartAt' | 'lastEndAt' | 'blocking' | 'options'>

/** An exchange, as a number of what is paced. */
export interface PacedExchange extends Pick<Exchange, 'seq' | 'admittedAt' | 'sentAt' | 'required' | 'request' | 'random'> {
  readonly host: PacedView
}

/** Its answer. */
export interface PacedAnswer extends Pick<Answered, 'response' | 'now' | 'forbidden'> {
  readonly exchange: PacedExchange
}

/** Why a host is paused. */
export type PauseReason = 'retry-after' | 'rest' | 'quota' | 'blocked'

/** Memory of one host. */
export interface RateMemory {
  /** Name of the law that `rate` belongs to; the same for the window. */
  law?: string
  rate?: RateState
  windowLaw?: string
  window?: WindowState
  pace: HostPace
  /** Number of the last booking that stands; 0 = the pace was changed since, and nothing can be given back. */
  bookedSeq: number
  /** The last booking came so much later than the rate allows that its answer proves nothing about the rate. */
  idle?: true | undefined
  /** Why the pace is paused, while it is. */
  pausedFor?: PauseReason
  /** Epochs of refusal so far, when the last began (epoch ms), and the refusals in it. */
  refusals: number
  refusedAt?: number
  refusedInEpoch?: number
  /** The last ends of exchanges, when something was odd among them (`withEnd` in refusal.ts). */
  recent: string
  /** A page that is no captcha was answered, ever; kept only where the user recognises captchas. */
  served?: boolean
  /** How often it was found to block us since it last served a page; absent = not once. */
  probes?: number | undefined
  ban?: Ban | undefined
  advice?: RateAdvice | undefined
  /** Epoch ms until which RateLimit fields are not believed. */
  distrustUntil?: number
  /** RateLimit fields that could not be read, up to a cap. */
  ignoredFields?: number
}

/** What the bans of a host have taught: a ceiling of its rate, which rises with time. */
interface Ban {
  /** Half the rate at which it banned us. */
  readonly rps: number
  /** The last forbidden page of it, epoch ms. */
  readonly at: number
  /** How many; each has the ceiling rise three times as slowly. */
  readonly times: number
  /** Whether it was one is not known yet: no forbidden page was requested again. */
  readonly isOpen: boolean
}

/** Memory of a host that was never met. */
export function freshRateMemory(): RateMemory {
  return { pace: FRESH_PACE, bookedSeq: 0, refusals: 0, recent: '' }
}

/** What stays where the rest is forgotten: what the host announced, as a quota (RateLimit fields, Retry-After) and as advice. */
export function forgottenRateMemory({ pace, pausedFor, advice }: RateMemory): RateMemory {
  const isAnnounced = pausedFor === 'quota' || pausedFor === 'retry-after'
  return {
    ...freshRateMemory(),
    ...(isAnnounced && { pausedFor, pace: { ...FRESH_PACE, pausedUntil: pace.pausedUntil } }),
    ...(advice && { advice }),
  }
}

/** State of the rate law: as remembered, or fresh; when another law was at work, fresh at the rate that one had found. */
export function rateOf(memory: RateMemory, { law }: RateSettings, limits: HostLimits): RateState {
  const { rate } = memory
  if (law.constant === true || rate === undefined) return law.fresh(limits)
  if (memory.law === law.name) return rate
  return law.fresh({ ...limits, startRps: clamped(rate.rps, limits) })
}

/** State of the window law, likewise; undefined without one. */
export function windowOf(memory: RateMemory, { window }: RateSettings, limits: HostLimits): WindowState | undefined {
  if (window === undefined) return undefined
  return memory.windowLaw === window.name && memory.window !== undefined ? memory.window : window.fresh(limits)
}

/** Requests per second at `now`: what the law found, within what the user allows now, and no more than a stranger takes or the host advises. */
export function rpsOf(memory: RateMemory, settings: RateSettings, limits: HostLimits, { now, seq }: AskedMoment): number {
  const { rps } = rateOf(memory, settings, limits)
  if (settings.law.constant === true) return Math.min(rps, adviceAt(memory, now)?.rps ?? rps)
  return Math.min(clamped(rps, limits), allowedRps(memory, limits, { now, seq }))
}

/** Requests per second that something else than the law allows at most: the opening, what the host advises, and what it has banned us for. */
export function allowedRps(memory: RateMemory, limits: HostLimits, { now, seq }: AskedMoment): number {
  return Math.min(openingRps(limits, seq), adviceAt(memory, now)?.rps ?? Infinity, ceilingRps(memory, now))
}

const DOUBLES_IN_MS = 86_400_000
/** As slowly as after so many bans, and not slower. */
const MOST_BANS = 5

/** Requests per second that the host stood without a ban, as far as is known: doubled a day after its first ban, nine days after its third. */
export function ceilingRps({ ban }: RateMemory, now: number): number {
  if (ban === undefined) return Infinity
  const { rps, at, times } = ban
  return rps * 2 ** (Math.max(0, now - at) / (DOUBLES_IN_MS * 3 ** (Math.min(times, MOST_BANS) - 1)))
}

/** Epoch ms, and how many exchanges were booked at the host by then. */
export interface AskedMoment {
  readonly now: number
  readonly seq: number
}

/** What the host advises, while it is fresh and believed. */
export function adviceAt({ advice, distrustUntil = 0 }: RateMemory, now: number): RateAdvice | undefined {
  return advice !== undefined && advice.until > now && distrustUntil <= now ? advice : undefined
}

function clamped(rps: number, { minRps, maxRps }: HostLimits): number {
  return Math.min(maxRps, Math.max(minRps, rps))
}
