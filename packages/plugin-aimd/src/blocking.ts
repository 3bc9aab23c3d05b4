// Tells whether a host blocks us, and what to do then: half the rate, learned anew, after ten minutes, half an hour, an hour and a half, six hours.
//
// One forbidden page is a page; ten in a row, at a host that served pages before, are a wall. Behind it every request makes it higher,
// so after the pause one request at a time asks whether it still stands: a single forbidden answer then is the next repeat. Rejected: ten among
// twenty. A site of which every third page is private looks so at one moment in twenty, and would be left alone for hours.
import { BLOCKED_STATUSES, type Answered } from '@avocet/core'
import { rateOf, type HostMemory } from './host-memory.ts'
import { isNews } from './pace.ts'
import { endsInRow, endsLike, withEnd } from './recent-ends.ts'
import { held, pause } from './refusal.ts'
import { limitsFor, type Settings } from './settings.ts'
import { later } from './signals/retry-after.ts'

const FORBIDDEN: ReadonlySet<number> = new Set(BLOCKED_STATUSES)
/** In a row. */
const WALL = 10
const FIRST_PAUSE_MS = 600_000
const LONGEST_PAUSE_MS = 6 * 3_600_000
/** Pages served in peace after which former blocks are forgotten. */
const PEACE = 100

/** Notes an answer below 500 that is no refusal; whether it speaks for a higher rate. */
export function noteAnswer(answer: Answered, memory: HostMemory, settings: Settings): boolean {
  const { exchange } = answer
  // A robots.txt that is forbidden says nothing about pages, and one that is there neither.
  if (exchange.required) return true
  const forbidden = isForbidden(answer, settings)
  memory.recent = withEnd(memory.recent, forbidden ? 'b' : '.')
  if (!forbidden) {
    if (answer.response.status < 400) served(memory, isNews(memory.pace, exchange.seq))
    return true
  }
  const inRow = endsInRow(memory.recent, 'b')
  const again = memory.blocked?.probing === true
  if (isNews(memory.pace, exchange.seq) && (again || (inRow >= WALL && memory.served === true))) block(answer, memory, settings)
  return endsLike(memory.recent, 'b') <= 1
}

function isForbidden({ response }: Answered, { blocked }: Settings): boolean {
  const { status, headers, body } = response
  if (FORBIDDEN.has(status)) return true
  if (blocked === undefined || status < 200 || status >= 300) return false
  return blocked({ status, headers, text: () => new TextDecoder().decode(body) })
}

function served(memory: HostMemory, isNew: boolean): void {
  memory.served ??= true
  const { blocked } = memory
  if (blocked === undefined || !isNew) return
  if (blocked.peace + 1 >= PEACE) memory.blocked = undefined
  else memory.blocked = { times: blocked.times, probing: false, peace: blocked.peace + 1 }
}

function block({ exchange, now }: Answered, memory: HostMemory, settings: Settings): void {
  const limits = limitsFor(settings, exchange.host.options)
  const half = Math.min(limits.maxRps, Math.max(limits.minRps, rateOf(memory, settings, limits).rps / 2))
  const times = (memory.blocked?.times ?? 0) + 1
  memory.blocked = { times, probing: true, peace: 0 }
  memory.recent = ''
  memory.rate = settings.law.fresh({ ...limits, startRps: half })
  memory.law = settings.law.name
  held(exchange, now, memory, settings)
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 3 ** Math.min(times - 1, 10))
  pause(exchange, { until: later(now, pauseMs, () => exchange.random('aimd-blocked')), why: 'blocked' }, memory, settings)
}
