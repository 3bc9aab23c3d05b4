// Pages that are missing while their host is suspect: they are gone only once it is well, or accepted.
import { health } from '@avocet/plugin-health'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { crawl, memoryFrontier, spider } from 'avocet'
import { expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A shop with 10 products whose handler finds no price from the first day to `wellAtDay`, and which lacks one product from then on. Says what is gone, by day. */
async function goneBy({ wellAtDay = Infinity, acceptedAtDay }: { wellAtDay?: number; acceptedAtDay?: number }) {
  const clock = new VirtualClock()
  const from = clock.now()
  const never = { everyMs: 1_000 * DAY_MS, ratio: 0, validator: 'none' } as const
  const missing = [{ fromMs: DAY_MS + 2 * HOUR_MS, under: '/product/A-00003' }]
  const hosts = [{ name: 'shop.test', pages: { kind: 'shop', products: 10, categories: 1, prices: never }, missing }] as const
  const frontier = memoryFrontier()
  const shop = spider({
    name: 'shop',
    seeds: ['http://shop.test/'],
    items: { key: 'sku', watch: ['price'] },
    handlers: {
      *start(page) {
        yield* page.links('a.category')
        yield* page.links('a.product', { handler: 'product' })
      },
      *product(page) {
        const day = (page.fetchedAt - from) / DAY_MS
        yield { sku: page.url.pathname, price: day > 0.99 && day < wellAtDay ? null : (page.text('.price') ?? null) }
      },
    },
  })
  const run = crawl({
    ...{ spider: shop, frontier, clock, fetcher: simulatedWeb(siteModel({ seed: 'health', hosts }), { clock }) },
    ...{ policies: [], plugins: [health()], delayMs: 1_000, maxTimeMs: 9 * DAY_MS },
    recrawl: [{ everyMs: HOUR_MS, match: 'product' }],
  })
  const accept = (): void => void run.control({ kind: 'accept-held', hostKey: 'shop.test' })
  using _accepts = acceptedAtDay === undefined ? undefined : clock.at(from + acceptedAtDay * DAY_MS, accept)
  await clock.run(() => run.run())
  const changes = await frontier.reader.changes({})
  return changes.filter(({ kind }) => kind === 'gone').map(({ key, at }) => `${key} ${Math.floor((at - from) / DAY_MS)}`)
}

it.each([
  ['well from the first day', { wellAtDay: 0 }, ['/product/A-00003 2']],
  ['suspect to the end', {}, []],
  ['well from the fifth day', { wellAtDay: 5 }, ['/product/A-00003 5']],
  ['accepted on the fifth day', { acceptedAtDay: 5 }, ['/product/A-00003 5']],
])('of a host that is %s', { timeout: 60_000 }, async (_what, when, gone) => {
  expect(await goneBy(when)).toEqual(gone)
})
