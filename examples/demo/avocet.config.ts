// The demo has a minute, and its hosts are ours: it asks more often and gives up sooner than a crawl of the web should.
import type { CrawlConfig } from 'avocet'
import { polite } from '@avocet/preset-polite'

export default {
  userAgent: 'avocet-demo (+https://example.org/bot)',
  // At one host: one request at a time, 200 ms from one to the next, and never less than the host took to answer.
  policies: polite({ rate: 'fixed' }),
  delayMs: 200,
  patienceMs: 5_000,
  timeLimits: { connectMs: 3_000, firstByteMs: 5_000, idleMs: 5_000, totalMs: 8_000 },
} satisfies Partial<CrawlConfig>
