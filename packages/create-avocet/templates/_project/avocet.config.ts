// How it crawls: everything that is not what a page says. `avocet` finds this file in the folder or above.
import { defineCrawl } from '@avocet/core'
import { polite } from '@avocet/preset-polite'
import { practiceSite } from './practice-site.ts'
import __camelName__ from './spiders/__name__.ts'

// Say who you are and where to complain. robots.txt knows you by the first word.
const userAgent = '__project__ (+https://example.org/bot)'

export default defineCrawl({
  spider: __camelName__,
  userAgent,
  // polite(): robots.txt, a rate for each host, a circuit breaker, timeouts and retries.
  plugins: [...polite({ userAgent }), practiceSite()],
})
