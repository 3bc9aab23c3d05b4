// What a robots.txt wishes by the time of the day, in UTC: when visits are welcome (Visit-time), and how far apart requests must be at some hours
// (Request-rate). Both are older than RFC 9309 and not in it. Source: conman.org/people/spc/robots2.html.
import { formatDuration } from '@avocet/core/plugin'
import { minutesOf, type Hours } from './hours-law.ts'

/** Visits are welcome within these hours only; with `delayMs`: within them, requests must be so far apart from start to start. */
export interface TimedWish extends Hours {
  readonly delayMs?: number
}

/** Of a group, and of a host. */
export const MAX_TIMED = 8

const DAY_MINUTES = 1_440
const UNIT_MS: Readonly<Record<string, number>> = { '': 1_000, s: 1_000, m: 60_000, h: 3_600_000 }

/** `0600-0845`; undefined where it is none. */
export function hoursOf(text: string): Hours | undefined {
  const [, begin = '', end = ''] = /^(\d\d:?\d\d) *- *(\d\d:?\d\d)(?: *(?:UTC|GMT|Z))?$/i.exec(text) ?? []
  const [from, to] = [minutesOf(begin), minutesOf(end)]
  if (from === undefined || to === undefined || from === to || from === DAY_MINUTES) return undefined
  return { from, to, timeZone: 'UTC' }
}

/** `1/5`, `1/10s`, `1/1m 0600-0845`: pages, seconds and hours, without which it is for the whole day; undefined where it is none. */
export function requestRateOf(text: string): (TimedWish & { readonly delayMs: number }) | undefined {
  const [, pages, time, unit = '', hours = '0000-2400'] = /^(\d+) *\/ *(\d+) *([smh]?)(?:\s+(.+))?$/i.exec(text) ?? []
  const span = hoursOf(hours)
  const delayMs = (Number(time) * (UNIT_MS[unit.toLowerCase()] ?? Number.NaN)) / Number(pages)
  return span !== undefined && delayMs > 0 && Number.isFinite(delayMs) ? { ...span, delayMs } : undefined
}

/** How far apart requests must be at `now`: 0 where that is not in its hours. */
export function delayAt({ from, to, delayMs = 0 }: TimedWish, now: number): number {
  const minute = Math.floor(now / 60_000) % DAY_MINUTES
  const isIn = from < to ? minute >= from && minute < to : minute >= from || minute < to
  return isIn ? delayMs : 0
}

/** The strictest of several: all rates, and of hours for visits the shortest. */
export function strictest(wishes: readonly TimedWish[]): readonly TimedWish[] {
  const length = ({ from, to }: Hours): number => (to > from ? to - from : to + DAY_MINUTES - from)
  const [visit] = wishes.filter(({ delayMs }) => delayMs === undefined).toSorted((a, b) => length(a) - length(b))
  const rates = wishes.filter(({ delayMs }) => delayMs !== undefined).toSorted((a, b) => (b.delayMs ?? 0) - (a.delayMs ?? 0))
  return [...(visit === undefined ? [] : [visit]), ...rates].slice(0, MAX_TIMED)
}

/** `Visit-time 0600-0845 UTC`. */
export function wishText({ from, to, delayMs }: TimedWish): string {
  const time = (minutes: number): string =>
    [Math.floor(minutes / 60), minutes % 60].map((n) => String(n).padStart(2, '0')).join('')
  const hours = `${time(from)}-${time(to)} UTC`
  return delayMs === undefined ? `Visit-time ${hours}` : `Request-rate one in ${formatDuration(delayMs)}, ${hours}`
}
