// When requests to a host may begin, where its clock has a window for them: a pure law over a moment.
//
// A day has one window, from the last moment at which the clock of the zone shows its beginning to the first at which it shows its end. So in an hour that
// the clock shows twice it is the shorter one, and where the clock skips a time, the jump is its moment; a window that is all within such an hour has no such
// day. Rejected: comparing what the clock shows at the moment, which opens a window that ends in an hour shown twice a second time.
// Hosts begin by chance within the first ten minutes, or else eight hundred of them would in one second. For the last half minute nothing begins: a request
// may wait for its connection.
import { crc32 } from 'node:zlib'

/** A window of the day: minutes after midnight, as the clock of `timeZone` shows them. It may go over midnight. */
export interface Hours {
  readonly from: number
  readonly to: number
  /** Name of the IANA database. */
  readonly timeZone: string
}

/** Epoch ms. */
interface Opening {
  readonly opensAt: number
  readonly closesAt: number
}

const MINUTE_MS = 60_000
const DAY_MINUTES = 1_440
const DAY_MS = DAY_MINUTES * MINUTE_MS
/** The beginnings are spread over so much, or over a tenth of a window that is short. */
const SPREAD_MS = 10 * MINUTE_MS
/** Longer than a connection takes. */
const CLOSING_MS = 30_000

/** A time of the day as minutes after midnight: `20:00`, `2000`, and `24:00` for the end of a day; undefined where it is none. */
export function minutesOf(time: string): number | undefined {
  const [, hour, minute] = /^(\d\d):?([0-5]\d)$/.exec(time) ?? []
  const minutes = Number(hour) * 60 + Number(minute)
  return minutes <= DAY_MINUTES ? minutes : undefined
}

/** Whether it says nothing: a window of a whole day. */
export function isAllDay({ from, to }: Pick<Hours, 'from' | 'to'>): boolean {
  return from === 0 && to === DAY_MINUTES
}

/** The earliest moment from `now` on at which a request to the host `key` may begin; epoch ms, at most `now`: at once. */
export function visitAt(hours: Hours, now: number, key: string): number {
  const { opensAt, closesAt } = openingAt(hours, now + CLOSING_MS)
  const spreadMs = Math.min(SPREAD_MS, (closesAt - opensAt) / 10)
  return opensAt + Math.floor(chanceOf(`${key} ${opensAt}`) * spreadMs)
}

/** What was last found of a window, from which moment on: the clock of a zone takes 80 µs to read, and is asked for each host at each answer. */
const found = new WeakMap<Hours, Opening & { readonly since: number }>()

/** The window that is open at `at`, or else the next one; epoch ms. */
export function openingAt(hours: Hours, at: number): Opening {
  const last = found.get(hours)
  if (last !== undefined && at >= last.since && at < last.closesAt) return last
  const opening = { ...nextOpening(hours, at), since: at }
  found.set(hours, opening)
  return opening
}

function nextOpening({ from, to, timeZone }: Hours, at: number): Opening {
  const today = Math.floor((at + offsetMs(timeZone, at)) / DAY_MS)
  for (let day = today - 1; ; day++) {
    const midnight = day * DAY_MS
    const end = to > from ? to : to + DAY_MINUTES
    const opensAt = momentsOf(midnight + from * MINUTE_MS, timeZone).last
    const closesAt = momentsOf(midnight + end * MINUTE_MS, timeZone).first
    if (closesAt > opensAt && closesAt > at) return { opensAt, closesAt }
  }
}

/** The moments at which the clock of a zone shows `local` (epoch ms as if it showed UTC), or jumps over it. */
function momentsOf(local: number, timeZone: string): { readonly first: number; readonly last: number } {
  const [before, after] = [offsetMs(timeZone, local - DAY_MS), offsetMs(timeZone, local + DAY_MS)]
  const shows = (at: number): boolean => at + offsetMs(timeZone, at) === local
  const moments = [local - before, local - after].filter(shows)
  const [first = jumpAfter(local - after, timeZone)] = moments
  return { first, last: moments.at(-1) ?? first }
}

function jumpAfter(at: number, timeZone: string): number {
  const before = offsetMs(timeZone, at)
  while (offsetMs(timeZone, at) === before) at += MINUTE_MS
  return at
}

/** Making one takes as long as asking it a hundred times. */
const clocks = new Map<string, Intl.DateTimeFormat>()

/** What the clock of a zone is ahead of UTC at `at`. */
function offsetMs(timeZone: string, at: number): number {
  if (timeZone === 'UTC') return 0
  let clock = clocks.get(timeZone)
  if (clock === undefined) clocks.set(timeZone, (clock = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })))
  const name = clock.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hour = 0, minute = 0] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hour) * 60 + Number(minute)) * MINUTE_MS
}

/** In [0, 1): the same in every process. */
function chanceOf(text: string): number {
  return crc32(text) / 2 ** 32
}
