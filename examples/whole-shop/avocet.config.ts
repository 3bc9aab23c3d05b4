// How the shop is crawled. The policies are those that every crawl has.
import { defineCrawl } from '@avocet/core'
import { cookieJar } from './cookie-jar.ts'
import wholeShop from './spider.ts'

export default defineCrawl({
  spider: wholeShop({}),
  userAgent: 'whole-shop (+https://example.org/bot)',
  plugins: [cookieJar()],
})
