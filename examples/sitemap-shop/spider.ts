// A shop that nothing links to: its products are found by its sitemap alone, and each goes to the handler that its URL is of.
import { spider, type Spider } from 'avocet'

/** What it finds. */
export interface Product {
  readonly sku: string
  readonly name: string
  readonly price: number
}

/** `avocet crawl spider.ts --config avocet.config.ts -a site=https://shop.example/` */
export default ({ site = 'https://shop.example/' }: Readonly<Record<string, string>>): Spider<Product> =>
  spider({
    name: 'sitemap-shop',
    seeds: [site],
    handlers: {
      // The front page is a search form: it leads nowhere.
      *start() {},
      *product(page) {
        yield { sku: page.text('.sku'), name: page.text('h1'), price: Number(page.text('.price')) }
      },
    },
  })
