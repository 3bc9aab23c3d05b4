// A crawl with a plugin of one's own.
import { defineCrawl } from 'avocet'
import { allowance } from './allowance.ts'
import titles from './spider.ts'

export default defineCrawl({
  spider: titles({}),
  userAgent: 'titles (+https://example.org/bot)',
  plugins: [allowance({ bytesPerHour: 2 ** 20 })],
  // A host may be held for up to an hour: that is no reason to end the crawl.
  patienceMs: 3_600_000,
})
