// What a refusal does: the first of an epoch slows the host down, drains its pace and holds it; the others of the epoch are old news.
//
// Chance is in each wait: hosts behind one limiter are refused in the same instant, have the same history, and would come back in the same instant.
import type { Answered, Exchange } from '@avocet/core/plugin'
import { type PauseReason, type RateMemory, rateOf, rpsOf } from './host-memory.ts'
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
function held(exchange: Exchange, now: number, memory: RateMemory, settings: RateSettings): void {
  const { host } = exchange
  const rps = rpsOf(memory, settings, limitsFor(settings, host.options), { now, seq: host.seq })
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
  const rps = rpsOf(memory, settings, limitsFor(settings, host.options), { now: until, seq: host.seq })
  memory.pace = drainedAt(pausedTo(memory.pace, Math.floor(until) + 1), until, { rps, burst: settings.law.burst })
  memory.pausedFor = why
}

// How the last twenty exchanges of a host ended, one character each: enough to tell a burst of one kind from a single case. Pure.
//
// While all is well nothing is kept: an empty text stands for twenty good ends.

/** `.` an answer, `c` a captcha, `r` reset. */
type RecentEnd = '.' | 'c' | 'r'

const KEPT = 20
const ALL_WELL = /^\.*$/

/** `recent` and one more end. */
export function withEnd(recent: string, end: RecentEnd): string {
  if (end === '.' && recent === '') return ''
  const longer = (recent + end).slice(-KEPT)
  return end === '.' && ALL_WELL.test(longer) ? '' : longer
}

/** How many ended so without another end in between, up to now. */
function endsInRow(recent: string, end: RecentEnd): number {
  let found = 0
  while (found < recent.length && recent[recent.length - 1 - found] === end) found++
  return found
}

/** In how many rows they came: three in a row are one event, three with answers between them are three. */
export function rowsLike(recent: string, end: RecentEnd): number {
  let rows = 0
  for (let n = 0; n < recent.length; n++) if (recent[n] === end && recent[n - 1] !== end) rows++
  return rows
}

// What is done when a host blocks us: half the rate, learned anew, after ten minutes, half an hour, an hour and a half, six hours.
//
// Whether it does, core decides by statuses (`HostView.blocking`); captchas, which look well, are recognised by the user alone, and ten in a row are as
// much. Behind such a wall every request makes it higher, so after the pause one request at a time asks whether it still stands: a single forbidden
// answer then is the next repeat.

/** Captchas in a row. */
const WALL = 10
const FIRST_PAUSE_MS = 600_000
const LONGEST_PAUSE_MS = 6 * 3_600_000

/** Pages served in peace after which former blocks are forgotten. */
const PEACE = 100

/** Notes an answer below 500 that is no refusal; whether it speaks for a higher rate. */
export function noteAnswer(answer: Answered, memory: RateMemory, settings: RateSettings): boolean {
  const { exchange, response, forbidden } = answer
  // A robots.txt that is forbidden says nothing about pages, and one that is there neither.
  if (exchange.required) return true
  const captcha = !forbidden && isCaptcha(answer, settings)
  // A forbidden page among captchas ends no row of theirs.
  const goesOn = captcha || (forbidden && endsInRow(memory.recent, 'c') > 0)
  memory.recent = withEnd(memory.recent, goesOn ? 'c' : '.')
  if (!forbidden && !captcha) {
    if (response.status < 400) served(memory, isNews(memory.pace, exchange.seq), settings)
    return true
  }
  const blocks = forbidden ? exchange.host.blocking.isCertain : endsInRow(memory.recent, 'c') >= WALL && memory.served === true
  if (isNews(memory.pace, exchange.seq) && (blocks || memory.blocked?.probing === true)) block(answer, memory, settings)
  return false
}

function isCaptcha({ response }: Answered, { blocked }: RateSettings): boolean {
  const { status, headers, body } = response
  if (blocked === undefined || status < 200 || status >= 300) return false
  return blocked({ status, headers, text: () => new TextDecoder().decode(body) })
}

function served(memory: RateMemory, isNew: boolean, settings: RateSettings): void {
  if (settings.blocked !== undefined) memory.served ??= true
  const { blocked } = memory
  if (blocked === undefined || !isNew) return
  if (blocked.peace + 1 >= PEACE) memory.blocked = undefined
  else memory.blocked = { times: blocked.times, probing: false, peace: blocked.peace + 1 }
}

function block({ exchange, now }: Answered, memory: RateMemory, settings: RateSettings): void {
  const limits = limitsFor(settings, exchange.host.options)
  const half = Math.min(limits.maxRps, Math.max(limits.minRps, rateOf(memory, settings, limits).rps / 2))
  const times = (memory.blocked?.times ?? 0) + 1
  memory.blocked = { times, probing: true, peace: 0 }
  memory.recent = ''
  memory.rate = settings.law.fresh({ ...limits, startRps: half })
  memory.law = settings.law.name
  held(exchange, now, memory, settings)
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(times - 1, 10))
  pause(exchange, { until: later(now, pauseMs, exchange.random('aimd-blocked')), why: 'blocked' }, memory, settings)
}
