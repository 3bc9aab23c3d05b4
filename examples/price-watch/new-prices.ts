// Lets an offer through when its price is another than the last one of its URL: banners, tokens and dates in a page change it, but are no news.
import { hash } from 'node:crypto'
import { definePlugin, type Plugin, type Request } from 'avocet'
import type { Offer } from './spider.ts'

type Prices = Readonly<Record<string, string>>

/** The last prices are texts of the host, written in the transaction of the page's items: a kill neither loses a price nor repeats one. */
export function newPrices(): Plugin<Offer> {
  const found = new WeakMap<Request, { readonly url: string; readonly price: string; readonly before: string | undefined }>()
  return definePlugin<undefined, undefined, Offer>({
    name: 'new-prices',
    outsideEffects: false,
    onItem(offer, { request, host }) {
      const { url } = offer
      const price = `${offer.price} ${offer.currency}`
      const before = pricesIn(host.blob(shelfOf(url)))[url]
      if (before === price) return null
      found.set(request, { url, price, before })
      return offer
    },
    onCommit({ request, host, times }) {
      const news = found.get(request)
      if (news === undefined) return
      const { url, price, before } = news
      const shelf = shelfOf(url)
      // The store refused the page: its price is as new as it was.
      const last = times === 1 ? price : before
      host.keepBlob(shelf, JSON.stringify({ ...pricesIn(host.blob(shelf)), [url]: last }))
    },
  })
}

/** One of sixteen texts of a host: each has room for the prices of some 5,000 products, and a new price writes one of them. */
function shelfOf(url: string): string {
  return `new-prices-${hash('sha1', url).slice(0, 1)}`
}

function pricesIn(text = '{}'): Prices {
  return JSON.parse(text) as Prices
}
