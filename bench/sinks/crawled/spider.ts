// The spider of the killed crawl: offers of shops whose pages are JSON, and a schema that refuses those without a price.
import { link, spider, type Spider } from 'avocet'
import type { Offer, ShopPage } from '../shops.ts'

/** Refuses an offer whose price is a text. */
const schema: Extract<Spider<Offer>['items'], { readonly '~standard': unknown }> = {
  '~standard': {
    version: 1,
    vendor: 'shops',
    validate: (value) => {
      const offer = value as Offer
      return typeof offer.price === 'number' ? { value: offer } : { issues: [{ message: 'not a number', path: ['price'] }] }
    },
  },
}

/** `avocet crawl spider.ts -a seeds=URL,URL` */
export default ({ seeds = '' }: Readonly<Record<string, string>>): Spider<Offer> =>
  spider({
    name: 'shops',
    seeds: seeds.split(','),
    items: { schema, key: 'id', watch: ['price'] },
    handlers: {
      *start(page) {
        const { offers, next } = page.json<ShopPage>()
        yield* offers
        for (const url of next) yield link(url)
      },
    },
  })
