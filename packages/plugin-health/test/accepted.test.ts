// Pages that answer 304 for most of their life: what is normal for them is known all the same, also once an operator has accepted what was held.
import type { ChangeRecord, Fetcher } from '@avocet/core/store'
import { health } from '@avocet/plugin-health'
import { VirtualClock } from '@avocet/simulator'
import { crawl, memoryFrontier, spider } from 'avocet'
import { expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const PAGES = 20

/** What a product page has. */
interface Shown {
  readonly factor?: number
  readonly currency?: string
}

/** A shop of 20 pages with an `ETag`. */
function shopFetcher(clock: VirtualClock, shownAt: (page: number, hour: number) => Shown): Fetcher {
  const from = clock.now()
  return {
    fetch({ url, headers: asked }, receiver) {
      const page = Number(/\d+$/.exec(url)?.[0] ?? -1)
      const { factor = 1, currency = 'EUR' } = shownAt(page, (clock.now() - from) / HOUR_MS)
      const links = Array.from({ length: PAGES }, (_, n) => `<a href="/p/${n}">Lamp ${n}</a>`)
      const price = ((11 + page * 1.37) * factor).toFixed(2)
      const html = page < 0 ? links.join('') : `<title>Lamp ${page}</title><b class="price">${price}</b> <i>${currency}</i>`
      const etag = `"${price} ${currency}"`
      const isAsBefore = asked['if-none-match'] === etag
      const wake = clock.at(clock.now() + 50, () => {
        receiver.sent()
        const [status, body] = isAsBefore ? [304, Buffer.alloc(0)] : [200, Buffer.from(html)]
        const headers = { 'content-type': 'text/html', etag }
        receiver.headers({ status, headers })
        const timings = { firstByteMs: 50, bodyMs: 0, reusedSocket: true }
        receiver.done({ url, status, headers, body, wireBytes: body.length, timings })
      })
      return () => wake[Symbol.dispose]()
    },
    close: async () => {},
  }
}

async function crawled(hours: number, shownAt: (page: number, hour: number) => Shown, acceptedAtHour = Infinity) {
  const clock = new VirtualClock()
  const from = clock.now()
  const frontier = memoryFrontier()
  const shop = spider({
    name: 'shop',
    seeds: ['http://shop.test/'],
    items: { key: 'sku', watch: ['price', 'currency'] },
    handlers: {
      *start(page) {
        yield* page.links('a', { handler: 'product' })
      },
      *product(page) {
        yield { sku: page.url.pathname, price: Number(page.text('.price')), currency: page.text('i') ?? '' }
      },
    },
  })
  const run = crawl({
    ...{ spider: shop, frontier, clock, fetcher: shopFetcher(clock, shownAt), plugins: [health()], policies: [], delayMs: 1_000 },
    ...{ recrawl: [{ everyMs: HOUR_MS, match: 'product' }], maxTimeMs: (hours + 0.5) * HOUR_MS },
  })
  const accept = (): void => void run.control({ kind: 'accept-held', hostKey: 'shop.test' })
  using _accepts = acceptedAtHour === Infinity ? undefined : clock.at(from + acceptedAtHour * HOUR_MS, accept)
  await clock.run(() => run.run())
  const changes = (await frontier.reader.changes({})).filter(({ kind }) => kind !== 'new')
  const hourOf = ({ at }: ChangeRecord): number => Math.floor((at - from) / HOUR_MS)
  return { changes, hours: [...new Set(changes.map(hourOf))], held: await frontier.reader.rejects({ source: 'held' }) }
}

it('holds prices a hundred times as high on pages that were never seen to change', async () => {
  const { changes, held } = await crawled(12, (_page, hour) => ({ factor: hour < 9.9 ? 1 : 100 }))

  expect(changes).toEqual([])
  expect(held.length).toBeGreaterThanOrEqual(PAGES)
})

it('forgets nothing where an operator accepts a host of which nothing is held', async () => {
  const { changes, held } = await crawled(12, (_page, hour) => ({ factor: hour < 9.9 ? 1 : 100 }), 6.5)

  expect(changes).toEqual([])
  expect(held.length).toBeGreaterThanOrEqual(PAGES)
})

it('knows what it accepted, though its pages answer 304 from then on', async () => {
  const shownAt = (_page: number, hour: number): Shown => {
    if (hour < 5.9) return {}
    return { currency: 'USD', factor: hour < 13.9 ? 1.1 : 110 }
  }
  const { changes, hours, held } = await crawled(16, shownAt, 8.5)

  expect([changes.length, hours.every((hour) => hour >= 5 && hour <= 9)]).toEqual([PAGES, true])
  expect(changes.every(({ after }) => after?.['currency'] === 'USD')).toBe(true)
  expect(held.length).toBeGreaterThanOrEqual(PAGES)
})

it('still knows the pages that were well when a break of others was accepted', async () => {
  const shownAt = (page: number, hour: number): Shown => {
    const isBroken = page >= 10 && hour >= 5.9
    return { currency: isBroken ? 'USD' : 'EUR', factor: (isBroken ? 1.1 : 1) * (hour < 13.9 ? 1 : 100) }
  }
  const { changes, hours } = await crawled(16, shownAt, 8.5)

  expect([changes.length, hours.every((hour) => hour >= 5 && hour <= 9)]).toEqual([10, true])
})
