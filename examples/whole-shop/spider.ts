// A shop from end to end: lists, products, a feed, sitemaps, an API, a file, and prices behind a login.
import { link, spider, type Page, type Spider } from 'avocet'
import { offerOf } from '@avocet/extract'
import { file } from '@avocet/plugin-files'
import type { Found } from './found.ts'

/** `avocet crawl spider.ts --config avocet.config.ts -a site=http://127.0.0.1:8044`; the account is in SHOP_USER and SHOP_PASSWORD. */
export default ({ site = 'http://127.0.0.1:8044' }: Readonly<Record<string, string>>): Spider<Found> => {
  const { SHOP_USER: user = 'avocet', SHOP_PASSWORD: password = 'sea & mud' } = process.env
  return spider({
    name: 'whole-shop',
    seeds: [`${site}/`],
    login: {
      url: `${site}/login`,
      submit: (page) => page.form('.login').fill({ user, password }).submit(),
      // With status 200: only the page says it.
      isLoggedOut: (page) => page.$('.signed-out, form.login').length > 0,
    },
    handlers: {
      *start(page) {
        yield* page.links('a.category', { handler: 'category' })
        yield* page.links('a.members', { handler: 'memberPrices' })
        const priceList = file(page, page.attr('a[href$=".pdf"]', 'href'), { types: ['application/pdf'] })
        yield priceList
        yield { kind: 'document', file: priceList.ref } satisfies Found
        const feed = page.attr('link[type="application/rss+xml"]', 'href')
        if (feed !== undefined) yield link(feed, { handler: 'feed' })
        yield stockAfter(null)
      },
      *category(page) {
        yield* page.links('a.product', { handler: 'product' })
        yield* page.links('a[rel=next]', { handler: 'category' })
      },
      *product(page) {
        yield { kind: 'product', ...productOf(page), url: page.url.href } satisfies Found
      },
      *feed(page) {
        for (const item of page.$('item > link')) yield link(page.$(item).text(), { handler: 'product' })
      },
      *stock(page) {
        const { stock, next } = page.json<{ stock: readonly { sku: string; left: number }[]; next: string | null }>()
        for (const { sku, left } of stock) yield { kind: 'stock', sku, left } satisfies Found
        if (next !== null) yield stockAfter(next)
      },
      *memberPrices(page) {
        for (const row of page.$('tr')) {
          const [sku = '', price] = ['.sku', '.price'].map((cell) => page.$(cell, row).text())
          yield { kind: 'member-price', sku, price: Number(price) } satisfies Found
        }
        yield* page.links('a[rel=next]', { handler: 'memberPrices' })
      },
    },
  }) satisfies Spider<Found>
}

/** Throws when the page describes no product: then it is listed by `avocet failed list`, where somebody sees it. */
function productOf(page: Page): Omit<Extract<Found, { readonly kind: 'product' }>, 'kind' | 'url'> {
  const { sku, name = '', price, unread } = offerOf(page) ?? {}
  if (sku === undefined || price === undefined)
    throw new Error(`expected a product with a sku and a price, found ${JSON.stringify(unread ?? 'none')}`)
  // What an offer does not have is in the JSON-LD itself.
  const category = page.jsonLd.ofType('Product')[0]?.['category']
  return { sku, name, price: price.value, category: typeof category === 'string' ? category : '' }
}

/** The API's next page: the same URL, and another body, which makes it another request. */
function stockAfter(after: string | null) {
  return link('/api/stock', {
    handler: 'stock',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ after }),
  })
}
