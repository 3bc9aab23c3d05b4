// How the shop is crawled: sitemaps are followed, files saved, cookies kept. The policies are those that every crawl has.
import { defineCrawl } from 'avocet'
import { cookies } from '@avocet/plugin-cookies'
import wholeShop from './spider.ts'

export default defineCrawl({
  spider: wholeShop({}),
  userAgent: 'whole-shop (+https://example.org/bot)',
  sitemaps: { handler: { product: /\/product\// } },
  files: true,
  plugins: [cookies()],
})
