// Two of the four sinks of the killed crawl; the files are outputs of the command (`-o`).
import { defineCrawl } from 'avocet'
import { postgres } from '@avocet/sink-postgres'
import { webhook } from '@avocet/sink-webhook'

const { SINKS_POSTGRES = '', SINKS_WEBHOOK = '', SINKS_DELAY_MS = '40' } = process.env
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
  ],
})
