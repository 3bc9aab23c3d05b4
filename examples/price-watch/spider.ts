// Prices of many shops: from the front page to the categories, through their pages, to each product.
import { spider, type Spider } from '@avocet/core'

/** What it finds. */
export interface Offer {
  readonly shop: string
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly currency: string
  readonly url: string
}

/** `avocet crawl spider.ts -a shops=https://shop.example/,https://store.example/` */
export default ({ shops = 'https://shop.example/' }: Readonly<Record<string, string>>): Spider<Offer> =>
  spider<Offer>({
    name: 'price-watch',
    seeds: shops.split(','),
    scope: { within: 'seed-hosts', maxDepth: 6 },
    handlers: {
      // The front page and the lists. Links marked nofollow (login, sorted lists) are left alone without being named here.
      *start(page) {
        yield* page.links('a.category, a.next')
        yield* page.links('a.product', { handler: 'product', priority: 1 })
      },
      *product(page) {
        yield {
          shop: page.url.host,
          sku: page.text('.sku'),
          name: page.text('h1'),
          price: Number(page.text('.price')),
          currency: page.text('.currency'),
          url: page.url.href,
        }
      },
    },
  })
