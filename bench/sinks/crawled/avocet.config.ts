// Two of the four sinks of the killed crawl; the files are outputs of the command (`-o`).
import { defineCrawl, definePlugin } from 'avocet'
import { postgres } from '@avocet/sink-postgres'
import { webhook } from '@avocet/sink-webhook'
import { rowsOf, type Offer } from '../shops.ts'

const { SINKS_POSTGRES = '', SINKS_WEBHOOK = '', SINKS_DELAY_MS = '40' } = process.env
/** Small and frequent batches: more moments between two steps to be killed in. */
const limits = { maxItems: 50, maxWaitMs: 100 }

/** Pages have offers of others once more: this lets each through once, with three rows of its table. */
const once = definePlugin<undefined, undefined, Offer>({
  name: 'once',
  outsideEffects: false,
  tableKeys: (offer) => rowsOf(offer).map(({ key }) => key),
  onItem(offer, { table }) {
    if (table.get(offer.id) !== undefined) return null
    for (const { key, json } of rowsOf(offer)) table.set(key, JSON.parse(json))
    return offer
  },
})

export default defineCrawl({
  userAgent: 'killed-crawl (+https://example.org/bot)',
  policies: [],
  plugins: [once],
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
