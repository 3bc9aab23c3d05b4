// The price job of the soak: shops from a directory, their products hourly, an item for each price that is another than the last time.
import { spider, type Page, type RecrawlRule, type Spider } from 'avocet'
import { readOffer } from '../../examples/price-watch/read-offer.ts'
import { MAINTENANCE } from './shop-weather.ts'
import { DIRECTORY, type SoakWorld } from './world.ts'

/** A price as it was found. */
export interface SoakOffer {
  readonly url: string
  readonly price: number
}

export const HOUR_MS = 3_600_000
export const DAY_MS: number = 24 * HOUR_MS

/** Products and the directory hourly, what leads to products daily. */
export const SOAK_RULES: readonly RecrawlRule[] = [
  { everyMs: HOUR_MS, match: 'product' },
  { everyMs: HOUR_MS, match: 'directory' },
  { everyMs: DAY_MS },
]

/** The spider. Its seeds are the directory and the shops that are there at the beginning. */
export function soakSpider({ model, shops }: SoakWorld): Spider<SoakOffer> {
  const old = shops.filter(({ bornMs }) => bornMs === 0).map(({ name }) => `${model.baseOf(name)}/`)
  return spider({
    name: 'soak',
    seeds: [{ url: `${model.baseOf(DIRECTORY)}/`, handler: 'directory' }, ...old],
    scope: { within: 'any' },
    handlers: {
      *directory(page) {
        yield* page.links('a.shop')
      },
      *start(page) {
        yield* page.links('a.category, a.next')
        yield* page.links('a.product', { handler: 'product', priority: 1 })
      },
      *product(page: Page) {
        // A redirect may lead to a page of another kind, which says "back soon".
        if (page.changed === 'unchanged' || page.url.pathname === MAINTENANCE) return
        yield { url: page.url.href, price: readOffer(page).price }
      },
    },
  })
}
