// The demo's, for two processes that the servers can tell apart: each says in its user-agent which one it is.
import type { CrawlConfig } from 'avocet'
import demo from '../avocet.config.ts'

export default {
  ...demo,
  userAgent: `avocet-demo/${process.env['DEMO_PROCESS'] ?? 'one'} (+https://example.org/bot)`,
} satisfies Partial<CrawlConfig>
