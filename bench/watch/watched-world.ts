// The world of one bench, drawn from numbers that fit on a command line: the processes that crawl it and the judge draw the same.
import { BREAK_KINDS, DAY_MS, drawsOf, HOUR_MS, shopsOf, type BreakSpec, type Shops } from '@avocet/stress/shops'

/** Numbers of a world. */
export interface WorldNumbers {
  readonly seed: string
  readonly shops: number
  readonly products: number
  readonly days: number
  /** The first so many shops break, one kind after the other. */
  readonly broken: number
  /** Whether shops are away for a day, or say 404 for hours. */
  readonly hasWeather: boolean
}

/** 2026-01-01T00:00:00Z, where virtual time begins. */
export const START_AT = 1_767_225_600_000
/** A break begins after a day at the earliest: what was never healthy cannot fall out of its past. */
const HEALTHY_MS = 30 * HOUR_MS
/** It ends before the end of the world, or not. */
const LASTS_MS: readonly [number, number] = [4 * HOUR_MS, 48 * HOUR_MS]

/** When it ends. */
export function endOf({ days }: WorldNumbers): number {
  return START_AT + days * DAY_MS
}

/** Draws it. */
export function watchedWorld(numbers: WorldNumbers): Shops {
  const { seed, shops, products, broken, hasWeather } = numbers
  const span = { fromMs: START_AT, untilMs: endOf(numbers) }
  return shopsOf({
    seed,
    shops,
    products,
    ...span,
    hasWeather,
    breakOf: (n) => (n < broken ? breakOf(n, seed, span.untilMs) : undefined),
  })
}

function breakOf(n: number, seed: string, endsAt: number): BreakSpec | undefined {
  const kind = BREAK_KINDS[n % BREAK_KINDS.length]
  const draws = drawsOf(seed, 'when', n)
  // Three rounds at the least to notice it in.
  const fromMs = Math.round(draws.between(START_AT + HEALTHY_MS, endsAt - 3 * HOUR_MS))
  return kind && { kind, fromMs, untilMs: Math.round(fromMs + draws.between(...LASTS_MS)) }
}
