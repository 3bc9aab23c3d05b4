// Three of the five sinks of the killed crawl; the other files are outputs of the command (`-o`).
import { defineCrawl } from 'avocet'
import { jsonl } from '@avocet/sink-files'
import { postgres } from '@avocet/sink-postgres'
import { webhook } from '@avocet/sink-webhook'

const { SINKS_POSTGRES = '', SINKS_WEBHOOK = '', SINKS_CHANGES = '', SINKS_DELAY_MS = '40' } = process.env
/** Small and frequent batches: more moments between two steps to be killed in. */
const limits = { maxItems: 50, maxWaitMs: 100 }

export default defineCrawl({
  userAgent: 'killed-crawl (+https://example.org/bot)',
  policies: [],
  delayMs: Number(SINKS_DELAY_MS),
  sinks: [
    postgres({
      url: SINKS_POSTGRES,
      table: 'offers',
      columns: { id: 'text', name: 'text', price: 'double precision', source: '@key' },
      limits,
    }),
    webhook({ url: SINKS_WEBHOOK, limits }),
    jsonl(SINKS_CHANGES, { changes: true }),
  ],
})
