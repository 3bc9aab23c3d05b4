// The plugin `aimd`: asks each host as often as it can take, and not more. A rate law, a window law, and the rules around them.
import { definePlugin, type Json, type Plugin } from '@avocet/core'
import { type Admission, type HostView, reportedOptions } from '@avocet/core/plugin'
import { answered, failed } from './answers.ts'
import { adviceAt, forgottenRateMemory, freshRateMemory, rateOf, rpsOf, windowOf } from './host-memory.ts'
import type { PacedExchange, PacedView, PauseReason, RateMemory } from './host-memory.ts'
import { heldUntil, paceAt, withBooking, withoutBooking } from './pace.ts'
import { type AimdOptions, limitsFor, rateSettings, type RateSettings } from './settings.ts'
import { limitOf } from './window-law.ts'

/**
 * Paces every host by what it answers: 429 and 503 slow it down, once per burst; what it asks for in Retry-After is kept to the second.
 *
 * @throws AVO_CONFIG_INVALID for options that are unknown, of the wrong type or out of range.
 * @example
 * ```ts
 * import { defineCrawl } from 'avocet'
 * export default defineCrawl({ spider, policies: polite({ rate: { maxRps: 5 } }), hosts: { 'api.shop.example': { maxRps: 1 } } })
 * ```
 */
export function aimd(options: AimdOptions = {}): Plugin {
  const settings = rateSettings(options)
  return definePlugin<RateMemory>({
    name: 'aimd',
    policy: 'rate',
    options: reportedOptions(options),
    hostMemory: freshRateMemory,
    forgetHost: forgottenRateMemory,
    admit: (question, memory) => ask(question, memory, settings),
    onAdmit: (exchange, memory) => book(exchange, memory, settings),
    onUnsent: (exchange, memory) => unbook(exchange, memory, settings),
    onResponse: (answer, memory) => answered(answer, memory, settings),
    onError: (failure, memory) => failed(failure, memory, settings),
    explain: ({ host, now }, memory) => explainRate({ host, now }, memory, settings),
  })
}

/** At most ten values; what does not apply is left out. */
function explainRate(
  { host, now }: { readonly host: HostView; readonly now: number },
  memory: RateMemory,
  settings: RateSettings,
): Readonly<Record<string, Json>> {
  const limits = limitsFor(settings, host.options)
  const window = windowOf(memory, settings, limits)
  const foundRps = rateOf(memory, settings, limits).rps
  const rps = rpsOf(memory, settings, limits, { now, seq: host.seq })
  const { pace, refusals, refusedAt, refusedInEpoch, ban, ignoredFields } = memory
  const advice = adviceAt(memory, now)
  return {
    law: settings.law.name,
    foundRps: digits(foundRps),
    ...(rps !== foundRps && { usedRps: digits(rps) }),
    inFlightLimit: Math.min(window === undefined ? limits.maxInFlight : limitOf(window, limits), advice?.maxInFlight ?? Infinity),
    ...(pace.pausedUntil > now && { pausedUntil: pace.pausedUntil, pausedFor: memory.pausedFor ?? 'rest' }),
    ...(refusedAt !== undefined && { refusedAt, refusals, refusedInEpoch: refusedInEpoch ?? 0 }),
    // The eleventh value would be one too many.
    ...(ban !== undefined ? { bans: ban.times } : ignoredFields !== undefined && { ignoredFields }),
  }
}

/** Four significant digits. */
function digits(value: number): number {
  return Number(value.toPrecision(4))
}

const WHY: Readonly<Record<PauseReason, string>> = {
  'retry-after': 'the host said until when to wait',
  rest: 'rests after a refusal',
  quota: 'its quota is used up',
  blocked: 'it blocks us',
}

/** Bookings are never later than this before the moment that the pace counts from (pace.ts, `SLACK_MS`). */
const LATE_MS = 50

/** A gap of so many intervals is idle. With 2 a slow host is found more slowly, with 4 nothing is gained (simulated: 1.5 s a page, 5 a second). */
const IDLE_INTERVALS = 3

/** Of the collector of `admit`, what the rate says. */
export interface RateQuestion extends Pick<Admission, 'now' | 'paces' | 'notBefore' | 'atMost'> {
  readonly host: PacedView
}

/** Answers `admit`. */
export function ask(ask: RateQuestion, memory: RateMemory, settings: RateSettings): void {
  const { host, now } = ask
  const limits = limitsFor(settings, host.options)
  const { afterEndMs } = rateOf(memory, settings, limits)
  const rps = rpsOf(memory, settings, limits, { now, seq: host.seq })
  ask.paces(rps)
  ask.notBefore(nextAt({ memory, host, rps }, settings.law.burst), 'its pace')
  if (afterEndMs !== undefined) {
    ask.atMost(1, 'one at a time')
    if (host.lastEndAt > 0) ask.notBefore(host.lastEndAt + afterEndMs, 'pauses as long as it took to answer')
  }
  const { pausedUntil } = memory.pace
  if (pausedUntil > 0) ask.notBefore(pausedUntil, WHY[memory.pausedFor ?? 'rest'])
  const held = heldUntil(memory.pace, host.inFlight, now)
  if (held > 0) ask.notBefore(held, 'refused: waits for what is in flight')
  // What is booked and not yet written goes back.
  if (pausedUntil > now || held > 0) ask.atMost(0, pausedUntil > now ? 'paused' : 'refused')
  if (memory.probes !== undefined) ask.atMost(1, 'blocked: one at a time until a page is served')
  const advised = adviceAt(memory, now)?.maxInFlight
  if (advised !== undefined) ask.atMost(advised, 'the host says how many at once')
  const window = windowOf(memory, settings, limits)
  ask.atMost(window === undefined ? limits.maxInFlight : limitOf(window, limits), 'in flight')
}

/** Books an exchange that was admitted. */
export function book({ host, seq, admittedAt: now }: PacedExchange, memory: RateMemory, settings: RateSettings): void {
  const limits = limitsFor(settings, host.options)
  memory.rate = rateOf(memory, settings, limits)
  memory.law = settings.law.name
  const rps = rpsOf(memory, settings, limits, { now, seq: host.seq })
  memory.idle = isIdle(memory, now, rps) ? true : undefined
  memory.pace = withBooking(memory.pace, { now, rps, burst: settings.law.burst })
  memory.bookedSeq = seq
}

/** Gives the booking of an exchange back that will never be sent. */
export function unbook({ host, seq, admittedAt, sentAt }: PacedExchange, memory: RateMemory, settings: RateSettings): void {
  // What was written and taken back all the same has cost the host a request.
  if (seq !== memory.bookedSeq || sentAt !== undefined) return
  memory.pace = withoutBooking(memory.pace, rpsOf(memory, settings, limitsFor(settings, host.options), { now: admittedAt, seq }))
  memory.bookedSeq--
}

/**
 * Whether something else than the rate holds this host back: the window, its pages, our slots. Then answers prove nothing about the rate, and it
 * must not rise unseen to where the first page too many is a burst (RFC 7661). After a pause nothing is late.
 */
function isIdle({ pace, rate }: RateMemory, now: number, rps: number): boolean {
  if (pace.bookedAt === 0 || pace.holdUntil > 0 || rate?.afterEndMs !== undefined) return false
  return now > Math.max(pace.bookedAt, pace.pausedUntil) + IDLE_INTERVALS * (1_000 / rps)
}

interface Paced {
  readonly memory: RateMemory
  readonly host: PacedView
  readonly rps: number
}

/** Earliest moment for the next request by pace alone. */
function nextAt({ memory, host, rps }: Paced, burst: number): number {
  const { pace, bookedSeq } = memory
  // A start that is not in the memory: the process before this one died, and what it sent last is unknown. The next start waits.
  if (bookedSeq === host.seq && host.lastStartAt > pace.bookedAt + LATE_MS) return host.lastStartAt + 1_000 / rps
  return paceAt(pace, rps, burst)
}
