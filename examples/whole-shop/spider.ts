// A shop from end to end: lists, products, a feed, sitemaps, an API, a file, and prices behind a login.
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { link, spider, type Page, type Spider } from '@avocet/core'
import type { Found } from './found.ts'
import { productOf } from './json-ld.ts'
import { back, filledIn, isSignedOut, toForm, type Attempt } from './sign-in.ts'

/** A sitemap is at most 50 MB, says its protocol; what unpacks to more is no sitemap. */
const MAX_SITEMAP_BYTES = 50 * 2 ** 20

/** `avocet crawl spider.ts -a site=http://127.0.0.1:8044`; the account is in SHOP_USER and SHOP_PASSWORD. */
export default ({ site = 'http://127.0.0.1:8044' }: Readonly<Record<string, string>>): Spider<Found> => {
  const { SHOP_USER: user = 'avocet', SHOP_PASSWORD: password = 'sea & mud' } = process.env
  return spider({
    name: 'whole-shop',
    seeds: [`${site}/`, { url: `${site}/sitemap.xml`, handler: 'sitemap' }],
    handlers: {
      *start(page) {
        yield* page.links('a.category', { handler: 'category' })
        yield* page.links('a[href$=".pdf"]', { handler: 'document' })
        const feed = page.$('link[type="application/rss+xml"]').attr('href')
        if (feed !== undefined) yield link(feed, { handler: 'feed' })
        yield link('/members/prices', { handler: 'memberPrices', data: { signIns: 0 } })
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
      *sitemap(page) {
        for (const url of page.$('sitemap > loc')) yield link(page.$(url).text(), { handler: 'packedSitemap' })
      },
      *packedSitemap(page) {
        const xml = gunzipSync(page.response.body, { maxOutputLength: MAX_SITEMAP_BYTES }).toString()
        for (const [, url = ''] of xml.matchAll(/<loc>([^<]*)<\/loc>/g))
          yield link(url.replaceAll('&amp;', '&'), { handler: 'product' })
      },
      *stock(page) {
        const { stock, next } = page.json<{ stock: readonly { sku: string; left: number }[]; next: string | null }>()
        for (const { sku, left } of stock) yield { kind: 'stock', sku, left } satisfies Found
        if (next !== null) yield stockAfter(next)
      },
      *document(page) {
        const { body } = page.response
        const sha256 = createHash('sha256').update(body).digest('hex')
        yield { kind: 'document', url: page.url.href, bytes: body.byteLength, sha256 } satisfies Found
      },
      *memberPrices(page: Page<{ readonly signIns: number }>) {
        if (isSignedOut(page)) {
          yield toForm({ page: page.url.href, number: page.request.data.signIns })
          return
        }
        for (const row of page.$('tr')) {
          const [sku, price] = ['.sku', '.price'].map((cell) => page.$(cell, row).text())
          yield { kind: 'member-price', sku: sku ?? '', price: Number(price) } satisfies Found
        }
        yield* page.links('a[rel=next]', { handler: 'memberPrices', data: { signIns: 0 } })
      },
      *login(page: Page<Attempt>) {
        yield filledIn(page, { user, password })
      },
      *signedIn(page: Page<Attempt>) {
        yield isSignedOut(page) ? toForm(page.request.data) : back(page.request.data)
      },
    },
  }) satisfies Spider<Found>
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
