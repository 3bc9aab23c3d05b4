// What kind of shop it is: how it shows its products, in which currency, how it answers conditional requests, what it does with products that it no longer has.
import type { Draws } from './draws.ts'

/** How a page says what it offers: to machines in JSON-LD or microdata, or to people alone. */
type Layout = 'json-ld' | 'microdata' | 'classes'

export interface ShopTraits {
  /** `lists`: prices are on the lists, and products have no pages of their own. */
  readonly kind: 'products' | 'lists'
  readonly layout: Layout
  readonly language: 'en' | 'de' | 'fr'
  readonly currency: 'EUR' | 'GBP' | 'USD'
  /** Cents at the end of its prices; absent: any. */
  readonly ending?: 99 | 95 | 49
  readonly skuPrefix: string
  /** Products a list. */
  readonly perPage: number
  /** Prices change many times a day. */
  readonly isRepricer: boolean
  /**
   * `tag`, `date`: says truly whether a page is as it was. `new-tag`, `now`: says each time that it is another. `stale`: says for hours that it is as it was,
   * whatever has changed. `none`: says nothing.
   */
  readonly validator: 'none' | 'tag' | 'date' | 'new-tag' | 'now' | 'stale'
  /** What its sitemap says of the last change: the truth, the present, nothing new for ever, the truth in a day's time, the day alone. */
  readonly lastmod: 'true' | 'now' | 'never' | 'ahead' | 'day'
  /** What is at the address of a product that it no longer has: a page that says so, 404, 410, or a redirect to the list. */
  readonly goneAs: 'page' | 404 | 410 | 'redirect'
  /** A page of the list beyond the last one: 404, or an empty one. */
  readonly beyondLast: 404 | 'empty'
  /** Shares of its visitors that see another layout, at each visit anew. */
  readonly experiment: number
  readonly medianMs: number
}

/** Draws them. `lists`: share of shops whose prices are on lists. */
export function shopTraits(draws: Draws, lists: number): ShopTraits {
  const language = draws.pick(['en', 'de', 'fr'] as const)
  const ending = draws.pick([99, 95, 49, undefined, undefined] as const)
  const kind = draws.isHit(lists) ? 'lists' : 'products'
  return {
    kind,
    layout: draws.pick(['json-ld', 'json-ld', 'json-ld', 'microdata', 'classes'] as const),
    language,
    currency: language === 'en' ? draws.pick(['GBP', 'USD'] as const) : 'EUR',
    ...(ending !== undefined && { ending }),
    skuPrefix: draws.pick(['A-', 'SKU', 'P', '00', 'x/']),
    perPage: draws.pick([8, 12, 24]),
    isRepricer: draws.isHit(0.05),
    validator: draws.pick(['none', 'none', 'none', 'none', 'tag', 'tag', 'date', 'new-tag', 'now', 'stale'] as const),
    lastmod: draws.pick(['true', 'true', 'now', 'never', 'ahead', 'day'] as const),
    goneAs: draws.pick(['page', 404, 404, 410, 'redirect'] as const),
    beyondLast: draws.pick([404, 'empty'] as const),
    experiment: draws.isHit(0.4) ? draws.between(0.1, 0.5) : 0,
    medianMs: draws.logNormal(180, 0.6),
  }
}
