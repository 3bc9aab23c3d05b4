// How the shops are crawled: everything that is not what a page says.
import { defineCrawl } from '@avocet/core'
import { sqlite } from '@avocet/plugin-sqlite'
import priceWatch from './spider.ts'

export default defineCrawl({
  spider: priceWatch({}),
  // Every known URL, every offer and what was learned about each shop. Kill the crawl, run it again: it goes on.
  frontier: sqlite('price-watch.db'),
  // Say who you are and where to complain.
  userAgent: 'price-watch (+https://example.org/bot)',
  // Over all shops. At one shop it stays at one request at a time, and a second between two.
  concurrency: 200,
  delayMs: 1_000,
})
