// Configures the crawl. `avocet` finds this file in the current folder or in a folder above it.
import { defineCrawl } from 'avocet'
import { practiceSite } from './practice-site.ts'
import __camelName__ from './spiders/__name__.ts'

export default defineCrawl({
  spider: __camelName__,
  // Tells site owners who you are and how to reach you. robots.txt files address you by the first word.
  userAgent: '__project__ (+https://example.org/bot)',
  // Keeps responses in .avocet/, so that a changed handler can run over them without a request: npx avocet replay
  cache: true,
  // Added to the policies, which are polite() by default: robots.txt, a learned rate limit per host, a circuit breaker, timeouts and retries.
  plugins: [practiceSite()],
})
