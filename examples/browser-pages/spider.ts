// Crawls a shop half of whose pages build themselves in the browser: its list loads as JSON, and products of the app show their price when it has come.
import { link, spider, type Page, type Spider } from 'avocet'

/** What it finds. */
export interface AppProduct {
  readonly sku: string
  readonly name: string
  readonly price: number
  /** What the price was read from: the document as it came, or as scripts had built it. */
  readonly from: 'document' | 'scripts'
}

/** `avocet crawl spider.ts --config avocet.config.ts -a site=http://127.0.0.1:8046` */
export default ({ site = 'http://127.0.0.1:8046' }: Readonly<Record<string, string>>): Spider<AppProduct> =>
  spider({
    name: 'browser-pages',
    seeds: [`${site}/`],
    handlers: {
      *start() {
        yield link('/teas', { handler: 'list', render: 'browser' })
      },
      *list(page) {
        // "Load more" leads to the rest of the list, which loads in the same way.
        yield* page.links('a.more', { handler: 'list', render: 'browser' })
        // Products of the app are rendered by the rule in avocet.config.ts.
        yield* page.links('.product', { handler: 'product' })
      },
      *product(page) {
        yield productOf(page)
      },
    },
  })

function productOf(page: Page): AppProduct {
  const from = page.url.pathname.startsWith('/app/') ? 'scripts' : 'document'
  return { sku: page.text('.sku'), name: page.text('h1'), price: Number(page.text('.price')), from }
}
