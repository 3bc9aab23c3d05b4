// Configures the crawl. `avocet` finds this file in the current folder or in a folder above it.
import { defineCrawl } from 'avocet'
import { alerts } from '@avocet/plugin-alerts'
import { health } from '@avocet/plugin-health'
import { jsonl } from '@avocet/sink-files'
import { practiceSite } from './practice-site.ts'
import __camelName__ from './spiders/__name__.ts'

const HOUR_MS = 3_600_000
const { SLACK_URL } = process.env

export default defineCrawl({
  spider: __camelName__,
  // Products hourly, the lists that lead to new ones daily.
  recrawl: [{ everyMs: HOUR_MS, match: 'product' }, { everyMs: 24 * HOUR_MS }],
  // Each change of a price, once.
  sinks: [jsonl('.avocet/changes.jsonl', { changes: true })],
  // What pages bring that broke silently is held back, and a Slack channel is told, if SLACK_URL is set: try it with npx avocet check --alerts.
  plugins: [practiceSite(), health(), ...(SLACK_URL ? [alerts({ to: [{ slack: SLACK_URL }] })] : [])],
  // Tells site owners who you are and how to reach you. robots.txt files address you by the first word.
  userAgent: '__project__ (+https://example.org/bot)',
  // Keeps responses in .avocet/, so that a changed handler can run over them without a request: npx avocet replay
  cache: true,
})
