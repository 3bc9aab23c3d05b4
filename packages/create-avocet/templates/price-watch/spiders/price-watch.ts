// Extracts the price of each product of a shop. It goes from the front page to the categories, through their pages, to the products.
import { spider, type Spider } from 'avocet'
import { offerOf, type OfferOptions } from '@avocet/extract'

/** An item. */
export interface Offer {
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly currency: string
  readonly url: string
}

/** For shops that publish no data for machines (JSON-LD, microdata, Open Graph): where the page shows it. */
const OPTIONS: OfferOptions = { selectors: { sku: '.sku', name: 'h1', price: '.price', currency: '.currency' } }

export default spider({
  name: 'price-watch',
  // One shop per line. Shops are crawled concurrently, each at its own polite rate.
  seeds: ['http://127.0.0.1:8042/shop.html'],
  // What identifies a product at its shop, and what counts as a change.
  items: { key: 'sku', watch: ['price', 'currency'] },
  handlers: {
    // Handles the front page and the lists. Links marked nofollow, such as the login, are not followed.
    *start(page) {
      yield* page.links('a.category, a.next')
      yield* page.links('a.product', { handler: 'product', priority: 1 })
    },
    *product(page) {
      const { sku = '', name = '', price, unread } = offerOf(page, OPTIONS) ?? {}
      // A page without a price, or with one that can be read in two ways, fails: `avocet failed list` shows it.
      if (price?.currency === undefined)
        throw new Error(`expected a price with its currency, got ${JSON.stringify(unread ?? 'no product')}`)
      yield { sku, name, price: price.value, currency: price.currency, url: page.url.href }
    },
  },
}) satisfies Spider<Offer>
