// What is done when a host blocks us: half the rate, learned anew, after ten minutes, half an hour, an hour and a half, six hours.
//
// Whether it does, core decides by statuses (`HostView.blocking`); captchas, which look well, are recognised by the user alone, and ten in a row are as
// much. Behind such a wall every request makes it higher, so after the pause one request at a time asks whether it still stands: a single forbidden
// answer then is the next repeat.
import type { Answered } from '@avocet/core/plugin'
import { rateOf, type RateMemory } from './host-memory.ts'
import { isNews } from './pace.ts'
import { endsInRow, withEnd } from './recent-ends.ts'
import { held, later, pause } from './refusal.ts'
import { limitsFor, type RateSettings } from './settings.ts'

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
