// Every product once a minute: shops that can be crawled so often belong to you, or have agreed.
import { defineCrawl } from 'avocet'
import twelveShops from './spider.ts'

const MINUTE_MS = 60_000

export default defineCrawl({
  spider: twelveShops({}),
  userAgent: 'twelve-shops (+https://example.org/bot)',
  recrawl: [{ everyMs: MINUTE_MS, match: 'product' }, { everyMs: 60 * MINUTE_MS }],
  sitemaps: { handler: { product: /\/product\// } },
  // At one shop: a second between two requests, and one at a time.
  delayMs: 1_000,
  maxPerHost: 1,
})
