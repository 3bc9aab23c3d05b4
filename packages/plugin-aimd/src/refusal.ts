// What a refusal does: the first of an epoch slows the host down, drains its pace and holds it; the others of the epoch are old news.
//
// Chance is in each wait: hosts behind one limiter are refused in the same instant, have the same history, and would come back in the same instant.
import type { Exchange } from '@avocet/core/plugin'
import { rateOf, rpsOf, type RateMemory, type PauseReason } from './host-memory.ts'
import { drainedAt, isNews, pausedTo, refusedAt } from './pace.ts'
import { limitsFor, type RateSettings } from './settings.ts'

/** A pause is longer by up to a tenth, and the first interval of the pace by up to a quarter. */
const SPREAD = 0.1
const PACE_SPREAD = 0.25

/** A refusal, or what is as good as one. */
export interface Refusal {
  readonly exchange: Exchange
  readonly now: number
  /** The host said until when to wait. */
  readonly saysWhen: boolean
  readonly firstByteMs: number
}

/** The host refused. */
export function refused({ exchange, now, saysWhen, firstByteMs }: Refusal, memory: RateMemory, settings: RateSettings): void {
  const { host, seq } = exchange
  if (!isNews(memory.pace, seq)) {
    memory.refusedInEpoch = (memory.refusedInEpoch ?? 0) + 1
    return
  }
  const limits = limitsFor(settings, host.options)
  const event = { now, saysWhen, firstByteMs, inFlight: host.inFlight, chance: exchange.random('aimd') }
  const rate = settings.law.refused(rateOf(memory, settings, limits), event, limits)
  memory.rate = rate
  memory.law = settings.law.name
  memory.refusals++
  memory.refusedAt = Math.round(now)
  memory.refusedInEpoch = 1
  held(exchange, now, memory, settings)
  if (rate.restMs !== undefined && rate.restMs > 0) pause(exchange, { until: now + rate.restMs, why: 'rest' }, memory, settings)
}

/** A new epoch: the host is held until what is in flight has come back, and goes on at its present rate without any credit. */
export function held(exchange: Exchange, now: number, memory: RateMemory, settings: RateSettings): void {
  const { host } = exchange
  const rps = rpsOf(memory, settings, limitsFor(settings, host.options), now)
  const laterMs = PACE_SPREAD * exchange.random('aimd-pace') * (1_000 / rps)
  const pace = refusedAt(memory.pace, { now, lastSeq: host.seq, rps, burst: settings.law.burst })
  memory.pace = { ...pace, bookedAt: pace.bookedAt + laterMs }
  memory.bookedSeq = 0
}

/** `waitMs` after `now` (epoch ms), and a little later; `chance` in [0, 1). */
export function later(now: number, waitMs: number, chance: number): number {
  return waitMs <= 0 ? now : now + Math.round(waitMs * (1 + SPREAD * chance))
}

/** Not before `until` (epoch ms), and then without the credit of a burst. The latest of several counts. */
export function pause(
  { host }: Exchange,
  { until, why }: { readonly until: number; readonly why: PauseReason },
  memory: RateMemory,
  settings: RateSettings,
): void {
  if (until <= memory.pace.pausedUntil) return
  const rps = rpsOf(memory, settings, limitsFor(settings, host.options), until)
  memory.pace = drainedAt(pausedTo(memory.pace, Math.floor(until) + 1), until, { rps, burst: settings.law.burst })
  memory.pausedFor = why
}
