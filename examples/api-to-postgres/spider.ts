// Reads a JSON API page by page: an item for each offer, and the page behind the cursor.
import { link, spider, type Spider } from 'avocet'
import type { Offer } from './offer.ts'

interface Answer {
  readonly offers: readonly Offer[]
  /** Where the next page begins; null behind the last. */
  readonly next: number | null
}

/** `avocet crawl spider.ts -a api=https://api.example` */
export default ({ api = 'http://127.0.0.1:8043' }: Readonly<Record<string, string>>): Spider<Offer> =>
  spider({
    name: 'offers',
    seeds: [new URL('/api/offers', api).href],
    handlers: {
      *start(page) {
        const { offers, next } = page.json<Answer>()
        yield* offers
        if (next !== null) yield link(`/api/offers?after=${String(next)}`)
      },
    },
  })
