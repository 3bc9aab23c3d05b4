// How the shops are crawled: everything that is not what a page says. Products hourly, the lists that lead to new ones daily.
import { defineCrawl } from 'avocet'
import { alerts } from '@avocet/plugin-alerts'
import { health } from '@avocet/plugin-health'
import { sqlite } from '@avocet/plugin-sqlite'
import { jsonl } from '@avocet/sink-files'
import { webhook } from '@avocet/sink-webhook'
import priceWatch from './spider.ts'

const HOUR_MS = 3_600_000
const { HOOK_URL, SLACK_URL } = process.env

export default defineCrawl({
  spider: priceWatch({}),
  // Every known URL, every price, what was learned about each shop, and when each page is due again. Kill the crawl, run it again: it goes on.
  frontier: sqlite('price-watch.db'),
  recrawl: [{ everyMs: HOUR_MS, match: 'product' }, { everyMs: 24 * HOUR_MS }],
  // Each change of a price once, seconds after its page was fetched.
  sinks: [jsonl('changes.jsonl', { changes: true }), ...(HOOK_URL ? [webhook({ url: HOOK_URL, changes: true })] : [])],
  // What pages bring that broke silently is held back, and somebody is told.
  plugins: [health(), ...(SLACK_URL ? [alerts({ to: [{ slack: SLACK_URL }] })] : [])],
  // Items that a later visit has replaced go after a week, changes after a year.
  keep: { itemsMs: 7 * 24 * HOUR_MS },
  // Say who you are and where to complain.
  userAgent: 'price-watch (+https://example.org/bot)',
  // Over all shops. At one shop the rate is learned, with one request at a time and at least a second between two.
  concurrency: 200,
  delayMs: 1_000,
  maxPerHost: 1,
})
