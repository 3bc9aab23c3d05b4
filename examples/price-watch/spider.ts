// Teaches a watch: the prices of many shops, looked at again and again. Each price that is another than the last one of its product is a change.
import { spider, type Page, type Spider } from 'avocet'
import { readOffer } from './read-offer.ts'

/** An offer, as it was at `seenAt`. */
export interface Offer {
  readonly shop: string
  readonly sku: string
  readonly name: string
  readonly price: number
  readonly currency: string
  readonly url: string
  /** 2026-01-01T00:00:00.000Z */
  readonly seenAt: string
}

/** `avocet crawl spider.ts -a shops=https://shop.example/,https://store.example/`, or with `--seeds FILE`. */
export default ({ shops = 'https://shop.example/' }: Readonly<Record<string, string>>): Spider<Offer> =>
  spider({
    name: 'price-watch',
    seeds: shops.split(','),
    scope: { within: 'seed-hosts', maxDepth: 6 },
    // What identifies an offer at its shop, and what counts as a change: banners, tokens and dates in a page are none.
    items: { key: 'sku', watch: ['price', 'currency'] },
    handlers: {
      // The front page and the lists. Links marked nofollow (login, sorted lists) are left alone without being named here.
      *start(page) {
        yield* page.links('a.category, a.next')
        yield* page.links('a.product', { handler: 'product', priority: 1 })
      },
      *product(page: Page) {
        // Saves reading it again. Shops that answer conditional requests say so themselves (304), and then no handler runs at all.
        if (page.changed === 'unchanged') return
        const shown = readOffer(page)
        yield { shop: page.url.host, ...shown, url: page.url.href, seenAt: new Date(page.fetchedAt).toISOString() }
      },
    },
  })
