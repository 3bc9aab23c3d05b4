// What an end of an exchange does to the rate, the pace and the window: the table of signals, row by row.
//
// 429 and 503 are refusals, and an epoch of them is one event. An answer below 500 speaks for the rate; 500 and the other failures say nothing
// about it, but 502, 504, 52x, resets and silence shrink the window. Resets three times among twenty, with answers between them, are a refusal too;
// resets in a row are an outage, and an outage says nothing about the rate. Nothing here votes on retries, and no failure speeds anything up.
import { type Failed, type FailureCode, isRefusal, retryAfterAt } from '@avocet/core/plugin'
import {
  adviceAt,
  allowedRps,
  type PacedAnswer,
  type PacedExchange,
  type RateMemory,
  rateOf,
  rpsOf,
  windowOf,
} from './host-memory.ts'
import { isNews } from './pace.ts'
import { advised, saysWelcome } from './rate-advice.ts'
import { later, noteAnswer, pause, refused, rowsLike, withEnd } from './refusal.ts'
import { limitsFor, type RateSettings } from './settings.ts'
import type { Quotas } from './signals/rate-limit.ts'
import { quotasOf } from './signals/quotas-of.ts'
import type { WindowTrouble } from './window-law.ts'

/** Rows of resets among the last twenty exchanges that are taken for a refusal. */
const RESETS = 3
/** Fields that promised more than was given are not believed for so long. */
const DISTRUST_MS = 600_000
const MAX_IGNORED = 999

const TROUBLE: Partial<Readonly<Record<FailureCode, WindowTrouble>>> = {
  AVO_FIRST_BYTE_TIMEOUT: 'timeout',
  AVO_TOTAL_TIMEOUT: 'timeout',
  AVO_RESET: 'reset',
  AVO_CLOSED_EARLY: 'reset',
  AVO_CONNECT_TIMEOUT: 'connect',
  AVO_CONNECT_REFUSED: 'connect',
  AVO_UNREACHABLE: 'connect',
  AVO_CONNECT_FAILED: 'connect',
}

/** The host answered. */
export function answered(answer: PacedAnswer, memory: RateMemory, settings: RateSettings): void {
  const { exchange, response, now } = answer
  const { status, headers } = response
  const quotas = quotasOf(headers, now)
  if (quotas !== undefined && quotas.ignored > 0)
    memory.ignoredFields = Math.min(MAX_IGNORED, (memory.ignoredFields ?? 0) + quotas.ignored)
  if (isRefusal(status)) return turnedAway(answer, quotas, memory, settings)
  if (response.loads !== undefined) spend(answer, response.loads, memory, settings)
  // Before the law learns of the answer: it must not rise above what the host, in that same answer, says that it allows.
  if (quotas !== undefined && (memory.distrustUntil ?? 0) <= now) heed(answer, quotas, memory, settings)
  if (status < 500 || status === 999 || answer.forbidden) accepted(answer, memory, settings)
  else if (isGateway(status)) troubled(exchange, { now, trouble: 'server-error' }, memory, settings)
  const wait = status >= 400 ? waitOf(answer) : undefined
  if (wait !== undefined) pause(exchange, { until: wait, why: 'retry-after' }, memory, settings)
}

/** What a rendered page loaded was sent at once, so the next request waits as long as if each had had its turn. */
function spend({ exchange: { host }, now }: PacedAnswer, loads: number, memory: RateMemory, settings: RateSettings): void {
  const rps = rpsOf(memory, settings, limitsFor(settings, host.options), { now, seq: host.seq })
  const intervalMs = 1_000 / rps
  const first = Math.max(memory.pace.bookedAt + intervalMs, now)
  memory.pace = { ...memory.pace, bookedAt: Math.round(first + (loads - 1) * intervalMs) }
}

/** The host did not answer. */
export function failed({ exchange, failure, now }: Failed, memory: RateMemory, settings: RateSettings): void {
  const trouble = TROUBLE[failure.code]
  if (trouble === undefined) return
  troubled(exchange, { now, trouble }, memory, settings)
  if (trouble !== 'reset') return
  memory.recent = withEnd(memory.recent, 'r')
  if (rowsLike(memory.recent, 'r') < RESETS) return
  memory.recent = ''
  refused({ exchange, now, saysWhen: false, firstByteMs: 0 }, memory, settings)
}

/** 429 or 503: Retry-After before the reset of a quota, and that before what the law thinks. */
function turnedAway(answer: PacedAnswer, quotas: Quotas | undefined, memory: RateMemory, settings: RateSettings): void {
  const { exchange, response, now } = answer
  const { host } = exchange
  const wait = waitOf(answer)
  const { pauseMs } = wait === undefined && quotas ? advised(quotas.quotas, { now, inFlight: 0 }) : {}
  const saysWhen = wait !== undefined || pauseMs !== undefined
  const kept = quotas === undefined && adviceAt(memory, now)?.rps !== undefined
  if (isNews(memory.pace, exchange.seq) && (kept || (quotas && saysWelcome(quotas.quotas, host.inFlight)))) {
    memory.distrustUntil = Math.round(now) + DISTRUST_MS
    memory.advice = undefined
  }
  refused({ exchange, now, saysWhen, firstByteMs: response.timings.firstByteMs }, memory, settings)
  if (response.status === 503) troubled(exchange, { now, trouble: 'refused' }, memory, settings)
  if (wait !== undefined) pause(exchange, { until: wait, why: 'retry-after' }, memory, settings)
  if (pauseMs !== undefined) pauseForQuota(exchange, now, pauseMs, memory, settings)
}

function accepted(answer: PacedAnswer, memory: RateMemory, settings: RateSettings): void {
  const { exchange, response, now } = answer
  const { host, seq } = exchange
  const limits = limitsFor(settings, host.options)
  const { firstByteMs, bodyMs, waitedMs = 0 } = response.timings
  const speaks = noteAnswer(answer, memory, settings)
  const rate = rateOf(memory, settings, limits)
  // While the opening or the host's own advice keeps us below what the law found, answers prove nothing about the law's rate.
  const capped = allowedRps(memory, limits, { now, seq }) < 0.9 * rate.rps
  const counts = speaks && !capped && memory.idle !== true && isNews(memory.pace, seq)
  // What our own memory made it wait says nothing about the host, and how long a file takes nothing about how much it has to do.
  const durationMs = now - (exchange.sentAt ?? exchange.admittedAt) - waitedMs - (response.saved === undefined ? 0 : bodyMs)
  memory.rate = settings.law.accepted(rate, { now, counts, firstByteMs, durationMs, inFlight: host.inFlight }, limits)
  memory.law = settings.law.name
  const window = windowOf(memory, settings, limits)
  if (window === undefined || settings.window === undefined) return
  const event = { now, seq, lastSeq: host.seq, inFlight: host.inFlight, firstByteMs }
  memory.window = settings.window.answered(window, event, limits)
  memory.windowLaw = settings.window.name
}

function troubled(
  { host, seq }: PacedExchange,
  { now, trouble }: { readonly now: number; readonly trouble: WindowTrouble },
  memory: RateMemory,
  settings: RateSettings,
): void {
  const limits = limitsFor(settings, host.options)
  const window = windowOf(memory, settings, limits)
  if (window === undefined || settings.window === undefined) return
  memory.window = settings.window.failed(window, { now, seq, lastSeq: host.seq, inFlight: host.inFlight, trouble }, limits)
  memory.windowLaw = settings.window.name
}

/** Keeps the advice of an answer, instead of the one before. */
function heed({ exchange, now }: PacedAnswer, { quotas }: Quotas, memory: RateMemory, settings: RateSettings): void {
  const { advice, pauseMs } = advised(quotas, { now, inFlight: exchange.host.inFlight })
  if (advice !== undefined) memory.advice = advice
  if (pauseMs !== undefined) pauseForQuota(exchange, now, pauseMs, memory, settings)
}

function pauseForQuota(exchange: PacedExchange, now: number, pauseMs: number, memory: RateMemory, settings: RateSettings): void {
  pause(exchange, { until: later(now, pauseMs, exchange.random('aimd-quota')), why: 'quota' }, memory, settings)
}

/** The moment that core keeps, to the millisecond: the pace is drained there, and no credit gathers until then. */
function waitOf({ exchange, response, now }: PacedAnswer): number | undefined {
  return retryAfterAt(response.headers, now, exchange.random('retry-after'))
}

/** Statuses of gateways and of those who stand before the site: it is the site that does not keep up. */
function isGateway(status: number): boolean {
  return status === 502 || status === 504 || (status >= 520 && status <= 529)
}
