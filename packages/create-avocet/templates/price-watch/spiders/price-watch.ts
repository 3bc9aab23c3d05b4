// Extracts the price of each product of a shop. It goes from the front page to the categories, through their pages, to the products.
import { spider, type Spider } from '@avocet/core'

/** An item. */
export interface Offer {
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly currency: string
  readonly url: string
}

export default spider({
  name: 'price-watch',
  // One shop per line. Shops are crawled concurrently, each at its own polite rate.
  seeds: ['http://127.0.0.1:8042/shop.html'],
  handlers: {
    // Handles the front page and the lists. Links marked nofollow, such as the login, are not followed.
    *start(page) {
      yield* page.links('a.category, a.next')
      yield* page.links('a.product', { handler: 'product', priority: 1 })
    },
    *product(page) {
      yield {
        sku: page.text('.sku'),
        name: page.text('h1'),
        price: Number(page.text('.price').replaceAll(',', '')),
        currency: page.text('.currency'),
        url: page.url.href,
      }
    },
  },
}) satisfies Spider<Offer>
