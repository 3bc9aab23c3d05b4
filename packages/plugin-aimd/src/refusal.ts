// What a refusal does: the first of an epoch slows the host down, drains its pace and holds it; the others of the epoch are old news.
//
// Chance is in each wait: hosts behind one limiter are refused in the same instant, have the same history, and would come back in the same instant.
import {
  ceilingRps,
  type PacedAnswer,
  type PacedExchange,
  type PauseReason,
  type RateMemory,
  rateOf,
  rpsOf,
} from './host-memory.ts'
import { drainedAt, isNews, pausedTo, refusedAt } from './pace.ts'
import { limitsFor, type RateSettings } from './settings.ts'

/** A pause is longer by up to a tenth, and the first interval of the pace by up to a quarter. */
const SPREAD = 0.1
const PACE_SPREAD = 0.25

/** A refusal, or what is as good as one. */
export interface Refusal {
  readonly exchange: PacedExchange
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
function held(exchange: PacedExchange, now: number, memory: RateMemory, settings: RateSettings): void {
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
  { host }: PacedExchange,
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

// What is done when a host bans us: half the rate from then on, after ten minutes, half an hour, an hour and a half, six hours.
//
// Whether it does, core decides by statuses (`HostView.blocking`); captchas, which look well, are recognised by the user alone, and ten in a row are as
// much. Behind such a wall every request makes it higher, so after the pause one request at a time asks whether it still stands: a single forbidden
// answer then is the next repeat.
// A host bans by count, and says nothing before it does: a rate that climbs back would be banned again, every hour of the year. So half the rate of the ban
// is remembered as a ceiling. It rises to where it was within a day, within three after a second ban, and so on. Private pages look like a ban, until one of
// them is requested again: if it is served, it was a ban; if others are and it is not, the ceiling is taken back.
// Measured (bench/control/strangers.ts; 60 prices an hour, bans above 2 to 6 a second): 16 to 147 bans in three days without it, 2 or 3 with it.

/** Captchas in a row. */
const WALL = 10
const FIRST_PAUSE_MS = 600_000
const LONGEST_PAUSE_MS = 6 * 3_600_000

/** The ceiling falls no deeper than to this share of what a stranger is asked at first: a host that bans at any rate would never be done. */
const LEAST_SHARE = 1 / 4
/** A ceiling that has risen so far above what the user allows is forgotten, and with it the bans. */
const FORGOTTEN_FROM = 8

/** Notes an answer below 500 that is no refusal; whether it speaks for a higher rate. */
export function noteAnswer(answer: PacedAnswer, memory: RateMemory, settings: RateSettings): boolean {
  const { exchange, response, forbidden } = answer
  // A robots.txt that is forbidden says nothing about pages, and one that is there neither.
  if (exchange.required) return true
  const captcha = !forbidden && isCaptcha(answer, settings)
  // A forbidden page among captchas ends no row of theirs.
  const goesOn = captcha || (forbidden && endsInRow(memory.recent, 'c') > 0)
  memory.recent = withEnd(memory.recent, goesOn ? 'c' : '.')
  if (!forbidden && !captcha) {
    if (response.status < 400) served(answer, memory, settings)
    return true
  }
  if (forbidden) forbade(answer, memory, settings)
  const blocks = forbidden ? exchange.host.blocking.isCertain : endsInRow(memory.recent, 'c') >= WALL && memory.served === true
  if (isNews(memory.pace, exchange.seq) && (blocks || memory.probes !== undefined)) block(answer, memory, settings)
  return false
}

function isCaptcha({ response }: PacedAnswer, { blocked }: RateSettings): boolean {
  const { status, headers, body } = response
  if (blocked === undefined || status < 200 || status >= 300) return false
  return blocked({ status, headers, text: () => new TextDecoder().decode(body) })
}

function served({ exchange, now }: PacedAnswer, memory: RateMemory, settings: RateSettings): void {
  if (settings.blocked !== undefined) memory.served ??= true
  const { probes, ban } = memory
  if ((probes === undefined && ban === undefined) || !isNews(memory.pace, exchange.seq)) return
  memory.probes = undefined
  if (ban === undefined) return
  const { maxRps } = limitsFor(settings, exchange.host.options)
  if (ceilingRps(memory, now) > FORGOTTEN_FROM * maxRps) memory.ban = undefined
  else if (ban.isOpen && exchange.request.attempts > 0) memory.ban = { ...ban, isOpen: false }
}

/** A page is forbidden: it is private, or we are banned. */
function forbade({ exchange, now }: PacedAnswer, memory: RateMemory, settings: RateSettings): void {
  const { inRow, isSuspected } = exchange.host.blocking
  const { ban } = memory
  // Others were served, and it is still not: it is private, and so were those with which it was suspected.
  if (ban?.isOpen === true && inRow === 1 && exchange.request.attempts > 0 && isNews(memory.pace, exchange.seq))
    memory.ban = ban.times === 1 ? undefined : { ...ban, rps: 2 * ban.rps, times: ban.times - 1, isOpen: false }
  if (isSuspected) banned({ exchange, now, isOpen: true }, memory, settings)
}

interface Banned extends Pick<PacedAnswer, 'exchange' | 'now'> {
  readonly isOpen: boolean
}

/** One ban is one event, however many pages it forbids. Halves the rate, and what it may rise to. */
function banned({ exchange, now, isOpen }: Banned, memory: RateMemory, settings: RateSettings): void {
  const { host, seq } = exchange
  const { ban } = memory
  const at = Math.round(now)
  if (ban?.isOpen === true) {
    memory.ban = { ...ban, at }
    return
  }
  const limits = limitsFor(settings, host.options)
  const half = rpsOf(memory, settings, limits, { now, seq }) / 2
  const rps = Math.min(limits.maxRps, Math.max(limits.minRps, LEAST_SHARE * limits.startRps, half))
  memory.ban = { rps, at, times: (ban?.times ?? 0) + 1, isOpen }
  memory.rate = settings.law.fresh({ ...limits, startRps: rps })
  memory.law = settings.law.name
  held(exchange, now, memory, settings)
}

function block({ exchange, now, forbidden }: PacedAnswer, memory: RateMemory, settings: RateSettings): void {
  const { probes = 0 } = memory
  memory.probes = probes + 1
  memory.recent = ''
  // Captchas are sure, and their pages are not requested again.
  if (probes === 0) banned({ exchange, now, isOpen: forbidden }, memory, settings)
  held(exchange, now, memory, settings)
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(probes, 10))
  pause(exchange, { until: later(now, pauseMs, exchange.random('aimd-blocked')), why: 'blocked' }, memory, settings)
}
