// When shops change their prices: a process whose rate follows the hour of the week, by thinning (Lewis and Shedler, 1979).
import type { Draws } from './draws.ts'

export const MINUTE_MS = 60_000
export const HOUR_MS: number = 60 * MINUTE_MS
export const DAY_MS: number = 24 * HOUR_MS

/** From when to when, epoch ms. */
export interface Span {
  readonly fromMs: number
  readonly untilMs: number
}

/** The first hour of epoch time was one of a Thursday; weeks begin on Monday. */
const FIRST_HOUR = 72

/** How busy each hour of the week is: people change prices on the mornings of working days, and on Friday for the weekend. On average 1. */
const BUSY: readonly number[] = normal(Array.from({ length: 168 }, (_, hour) => busyIn(Math.floor(hour / 24), hour % 24)))
const BUSIEST = Math.max(...BUSY)

/** Moments of a process of `perDay` events a day on average. */
export function momentsIn({ fromMs, untilMs }: Span, perDay: number, draws: Draws): number[] {
  const moments: number[] = []
  const perMs = (perDay * BUSIEST) / DAY_MS
  for (let at = fromMs + draws.gap(perMs); at < untilMs; at += draws.gap(perMs))
    if (draws.isHit((BUSY[hourOfWeek(at)] ?? 1) / BUSIEST)) moments.push(Math.round(at))
  return moments
}

function hourOfWeek(at: number): number {
  return Math.floor(at / HOUR_MS + FIRST_HOUR) % 168
}

function busyIn(day: number, hour: number): number {
  if (hour < 6 || hour >= 22) return 0.2
  if (day >= 5) return 0.5
  if (day === 4 && hour >= 14 && hour < 18) return 3
  return hour < 11 ? 3 : 1.2
}

function normal(weights: readonly number[]): number[] {
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / weights.length
  return weights.map((weight) => weight / mean)
}
