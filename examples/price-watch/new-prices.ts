// Lets an offer through when its price is another than the last one of its URL: banners, tokens and dates in a page change it, but are no news.
import { definePlugin, type Plugin } from 'avocet'
import type { Offer } from './spider.ts'

/** The last price of each URL is a row in the store, written in the transaction of the page's items: a kill neither loses a price nor repeats one. */
export function newPrices(): Plugin {
  return definePlugin<undefined, undefined, Offer>({
    name: 'new-prices',
    outsideEffects: false,
    tableKeys: ({ url }) => url,
    onItem(offer, { table }) {
      const now = `${offer.price} ${offer.currency}`
      if (table.get(offer.url) === now) return null
      table.set(offer.url, now)
      return offer
    },
  })
}
