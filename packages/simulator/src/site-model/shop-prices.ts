// Prices that change: what a product costs in each round, as a pure function of seed, product and round.
import type { Chance } from '../seeded.ts'
import type { PriceChanges } from './host-spec.ts'

/** A price, and the round in which it became that. */
export interface RoundPrice {
  readonly price: number
  readonly round: number
}

/** The price in `round`: the one of the last round in which it changed, between 80 % and 120 % of the first. */
export function priceIn(round: number, first: number, { ratio, chance }: { ratio: number; chance: Chance }): RoundPrice {
  for (let last = round; last > 0; last--) {
    if (chance(2 * last) >= ratio) continue
    return { price: Math.round(first * (80 + 40 * chance(2 * last + 1))) / 100, round: last }
  }
  return { price: first, round: 0 }
}

/** Number of the round at `atMs` since the web was started. */
export function roundOf(atMs: number, { everyMs }: PriceChanges): number {
  return Math.max(0, Math.floor(atMs / everyMs))
}
