// How the shop is crawled: sitemaps are followed, and what they list goes to the handler for products.
import { defineCrawl } from 'avocet'
import sitemapShop from './spider.ts'

export default defineCrawl({
  spider: sitemapShop({}),
  userAgent: 'sitemap-shop (+https://example.org/bot)',
  sitemaps: { handler: { product: /\/product\// } },
})
