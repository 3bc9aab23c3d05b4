// What an end of an exchange does to the rate, the pace and the window: the table of signals, row by row.
//
// 429 and 503 are refusals, and an epoch of them is one event. An answer below 500 speaks for the rate; 500 and the other failures say nothing
// about it, but 502, 504, 52x, resets and silence shrink the window. Three resets among twenty are a refusal too. Nothing here votes on retries.
import type { Answered, Exchange, Failed, FailureCode } from '@avocet/core'
import { rateOf, rpsOf, windowOf, type HostMemory, type PauseReason } from './host-memory.ts'
import { drainedAt, isNews, pausedTo, refusedAt } from './pace.ts'
import { endsLike, withEnd } from './recent-ends.ts'
import { limitsFor, type Settings } from './settings.ts'
import { askedToWait } from './signals/retry-after.ts'
import type { WindowTrouble } from './window-law.ts'

/** Resets among the last twenty exchanges that are taken for a refusal. */
const RESETS = 3

const TROUBLE: Partial<Readonly<Record<FailureCode, WindowTrouble>>> = {
  AVO_FIRST_BYTE_TIMEOUT: 'timeout',
  AVO_TOTAL_TIMEOUT: 'timeout',
  AVO_RESET: 'reset',
  AVO_CLOSED_EARLY: 'reset',
  AVO_CONNECT_TIMEOUT: 'connect',
  AVO_CONNECT_REFUSED: 'connect',
  AVO_CONNECT_FAILED: 'connect',
}

/** The host answered. */
export function answered({ exchange, response, now }: Answered, memory: HostMemory, settings: Settings): void {
  const { status, timings } = response
  const wait = status >= 400 ? askedToWait(response.headers, { now, chance: () => exchange.random('aimd-wait') }) : undefined
  if (status === 429 || status === 503) {
    refused({ exchange, now, told: wait !== undefined, firstByteMs: timings.firstByteMs }, memory, settings)
    if (status === 503) troubled(exchange, now, 'refused', memory, settings)
  } else if (status >= 500 && status !== 999) {
    if (isGateway(status)) troubled(exchange, now, 'server-error', memory, settings)
  } else {
    accepted({ exchange, response, now }, memory, settings)
  }
  if (wait !== undefined) pause(wait, 'retry-after', exchange, memory, settings)
}

/** The host did not answer. */
export function failed({ exchange, failure, now }: Failed, memory: HostMemory, settings: Settings): void {
  const trouble = TROUBLE[failure.code]
  if (trouble !== undefined) troubled(exchange, now, trouble, memory, settings)
  if (trouble !== 'reset') return
  memory.recent = withEnd(memory.recent, 'r')
  if (endsLike(memory.recent, 'r') < RESETS) return
  memory.recent = ''
  refused({ exchange, now, told: false, firstByteMs: 0 }, memory, settings)
}

function accepted(
  { exchange, response, now }: Pick<Answered, 'exchange' | 'response' | 'now'>,
  memory: HostMemory,
  settings: Settings,
): void {
  const { host, seq } = exchange
  const limits = limitsFor(settings, host.options)
  const { firstByteMs } = response.timings
  const durationMs = now - (exchange.sentAt ?? exchange.admittedAt)
  const counts = isNews(memory.pace, seq)
  memory.recent = withEnd(memory.recent, '.')
  memory.rate = settings.law.accepted(
    rateOf(memory, settings, limits),
    { now, counts, firstByteMs, durationMs, inFlight: host.inFlight },
    limits,
  )
  memory.law = settings.law.name
  const window = windowOf(memory, settings, limits)
  if (window === undefined || settings.window === undefined) return
  const event = { now, seq, lastSeq: host.seq, inFlight: host.inFlight, firstByteMs }
  memory.window = settings.window.answered(window, event, limits)
  memory.windowLaw = settings.window.name
}

interface Refusal {
  readonly exchange: Exchange
  readonly now: number
  /** The host said until when to wait. */
  readonly told: boolean
  readonly firstByteMs: number
}

function refused({ exchange, now, told, firstByteMs }: Refusal, memory: HostMemory, settings: Settings): void {
  const { host, seq } = exchange
  if (!isNews(memory.pace, seq)) {
    memory.refusedInEpoch = (memory.refusedInEpoch ?? 0) + 1
    return
  }
  const limits = limitsFor(settings, host.options)
  const event = { now, told, firstByteMs, inFlight: host.inFlight, chance: exchange.random('aimd') }
  const rate = settings.law.refused(rateOf(memory, settings, limits), event, limits)
  memory.rate = rate
  memory.law = settings.law.name
  memory.refusals++
  memory.refusedAt = Math.round(now)
  memory.refusedInEpoch = 1
  memory.pace = refusedAt(memory.pace, {
    now,
    lastSeq: host.seq,
    rps: rpsOf(memory, settings, limits, now),
    burst: settings.law.burst,
  })
  memory.bookedSeq = 0
  if (rate.restMs !== undefined && rate.restMs > 0) pause(now + rate.restMs, 'rest', exchange, memory, settings)
}

/** Not before `until`; then without the credit of a burst. */
function pause(until: number, why: PauseReason, { host }: Exchange, memory: HostMemory, settings: Settings): void {
  if (until <= memory.pace.pausedUntil) return
  const rps = rpsOf(memory, settings, limitsFor(settings, host.options), until)
  memory.pace = drainedAt(pausedTo(memory.pace, Math.ceil(until)), until, { rps, burst: settings.law.burst })
  memory.pausedFor = why
}

function troubled({ host, seq }: Exchange, now: number, trouble: WindowTrouble, memory: HostMemory, settings: Settings): void {
  const limits = limitsFor(settings, host.options)
  const window = windowOf(memory, settings, limits)
  if (window === undefined || settings.window === undefined) return
  memory.window = settings.window.failed(window, { now, seq, lastSeq: host.seq, inFlight: host.inFlight, trouble }, limits)
  memory.windowLaw = settings.window.name
}

/** Statuses of gateways and of those who stand before the site: it is the site that does not keep up. */
function isGateway(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 529)
}
