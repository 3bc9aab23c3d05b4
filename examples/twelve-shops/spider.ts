// Twelve shops, one handler for products: what each shop says for machines, and selectors for the two that say nothing.
import { offerOf, type OfferOptions } from '@avocet/extract'
import { spider, type Page } from 'avocet'

/** The price of a product, as a visit found it. */
export interface Offer {
  readonly shop: string
  readonly sku: string
  readonly price: number
  readonly currency: string
  /** Epoch ms. */
  readonly seenAt: number
}

const READING: OfferOptions = { selectors: { sku: '.sku', price: '.price', currency: '.currency' } }

function readOffer(page: Page): Offer {
  const offer = offerOf(page, READING)
  if (offer?.sku === undefined || offer.price?.currency === undefined) {
    throw new Error('expected a product with a sku and a price in EUR, found none')
  }
  const { value: price, currency } = offer.price
  return { shop: page.url.hostname, sku: offer.sku, price, currency, seenAt: page.fetchedAt }
}

/** `avocet crawl spider.ts -a shops=https://shop.example/,https://store.example/` */
export default ({ shops = 'https://shop.example/' }: Readonly<Record<string, string>>) =>
  spider({
    name: 'twelve-shops',
    seeds: shops.split(','),
    scope: { within: 'seed-hosts' },
    handlers: {
      *start(page) {
        yield* page.links('a.category, a.next')
        yield* page.links('a.product', { handler: 'product', priority: 1 })
      },
      *product(page) {
        yield readOffer(page)
      },
    },
  })
