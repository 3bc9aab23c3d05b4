// A crawl of a shop whose pages break without an error, and recover.
import { atRest } from '@avocet/at-rest'
import type { ChangeRecord } from '@avocet/core/store'
import { health } from '@avocet/plugin-health'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { crawl, memoryFrontier, spider, type Page } from 'avocet'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000

interface Days {
  readonly hours: number
  /** What a handler reads as the price of a page, by its hour. */
  readonly price?: (page: Page, hour: number) => string | undefined
  readonly watched?: boolean
  readonly validator?: 'etag' | 'none'
  /** When an operator accepts what is held. */
  readonly acceptedAtHour?: number
  /** From when on all pages redirect to the login. */
  readonly loginFromHour?: number
}

/** A shop with 20 products, each looked at every hour; one in twenty prices changes. */
async function days(
  { hours, price = (page) => page.text('.price'), watched = true, validator = 'none', acceptedAtHour, loginFromHour }: Days,
  plugins = [health()],
) {
  const clock = new VirtualClock()
  const from = clock.now()
  const prices = { everyMs: HOUR_MS, ratio: 0.05, validator }
  const moves = loginFromHour === undefined ? [] : [{ fromMs: loginFromHour * HOUR_MS, status: 302, to: '/login' } as const]
  const hosts = [{ name: 'shop.test', pages: { kind: 'shop', products: 20, categories: 1, prices }, moves }] as const
  const frontier = memoryFrontier()
  const shop = spider({
    name: 'shop',
    seeds: ['http://shop.test/'],
    ...(watched && { items: { key: 'sku', watch: ['price'] } }),
    handlers: {
      *start(page) {
        yield* page.links('a.category')
        yield* page.links('a.product', { handler: 'product' })
      },
      *product(page) {
        yield { sku: page.url.pathname, title: page.title, price: price(page, (page.fetchedAt - from) / HOUR_MS) ?? null }
      },
    },
  })
  const fetcher = simulatedWeb(siteModel({ seed: 'health', hosts }), { clock })
  const every = {
    policies: [],
    delayMs: 1_000,
    recrawl: [{ everyMs: HOUR_MS, match: 'product' }],
    maxTimeMs: (hours + 0.5) * HOUR_MS,
  }
  const run = crawl({ spider: shop, frontier, clock, fetcher, plugins, ...every })
  const accept = (): void => void run.control({ kind: 'accept-held', hostKey: 'shop.test' })
  using _accepts = acceptedAtHour === undefined ? undefined : clock.at(from + acceptedAtHour * HOUR_MS, accept)
  const report = await clock.run(() => run.run())
  const held = await frontier.reader.rejects({ source: 'held' })
  const { driedUp } = await (await atRest(frontier.reader, plugins)).report({ now: clock.now() })
  return { report, held, driedUp, changes: await frontier.reader.changes({}), from }
}

function since(changes: readonly ChangeRecord[], at: number): readonly ChangeRecord[] {
  return changes.filter((change) => change.at >= at)
}

describe('a crawl with health()', () => {
  it.each(['none', 'etag'] as const)(
    'publishes each change of a shop that is well, and holds nothing, with the validator %s',
    async (validator) => {
      const without = await days({ hours: 48, validator }, [])
      const { changes, held, driedUp } = await days({ hours: 48, validator })

      expect(changes.length).toBeGreaterThan(30)
      expect(changes.map(({ key, at, after }) => [key, at, after])).toEqual(
        expect.arrayContaining(without.changes.map(({ key, at, after }) => [key, at, after])),
      )
      expect([held, driedUp]).toEqual([[], []])
    },
  )

  it('publishes nothing of a handler that reads another element from the 24th hour on, and says which field broke', async () => {
    const { changes, held, driedUp, from, report } = await days({
      hours: 30,
      price: (page, hour) => (hour < 23.9 ? page.text('.price') : '€ 4.99'),
    })

    expect(since(changes, from + 23.9 * HOUR_MS)).toEqual([])
    expect(held.length).toBeGreaterThan(60)
    expect(driedUp.map(({ why }) => why)).toEqual([
      expect.stringMatching(/^suspect: all values equal: price was .+ and is 4.99, on 3 of 3 pages of handler product/),
    ])
    expect(report.problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^shop\.test is suspect: all values equal/),
    ])
  })

  it('says once that a host is suspect whose pages all redirect to a login', async () => {
    const { driedUp, report } = await days({ hours: 30, loginFromHour: 23.9 })

    expect(driedUp.map(({ why }) => why)).toEqual([expect.stringMatching(/^suspect: login wall, on 3 of 4 pages/)])
    expect(report.problems.map(({ message }) => message)).toEqual([
      'shop.test is suspect: login wall, on 3 of 4 pages of handler product; what it brings is held back',
    ])
  })

  it('drops what it held of a host that recovers by itself, and goes on', async () => {
    const { changes, held, driedUp, from } = await days({
      hours: 40,
      price: (page, hour) => (hour < 23.9 || hour > 28.9 ? page.text('.price') : undefined),
    })

    expect(
      since(changes, from + 23.9 * HOUR_MS).every(
        ({ after }) => typeof after?.['price'] === 'string' || after?.['price'] !== null,
      ),
    ).toBe(true)
    expect(since(changes, from + 31 * HOUR_MS).length).toBeGreaterThan(3)
    expect([held, driedUp]).toEqual([[], []])
  })

  it('takes for right what the pages have once an operator accepts what it holds', async () => {
    const { changes, held, driedUp, from } = await days({
      hours: 30,
      price: (page, hour) => (hour < 23.9 ? page.text('.price') : '€ 4.99'),
      acceptedAtHour: 26.7,
    })

    const later = since(changes, from + 23.9 * HOUR_MS)
    expect(later).toHaveLength(12)
    expect(later.every(({ after, at }) => after?.['price'] === '4.99 EUR' && at < from + 27 * HOUR_MS)).toBe(true)
    expect([held, driedUp]).toEqual([[], []])
  })

  it('watches pages of a spider that names neither key nor fields', async () => {
    const { held, driedUp, report } = await days({
      hours: 30,
      watched: false,
      price: (page, hour) => (hour < 23.9 ? page.text('.price') : undefined),
    })

    expect(driedUp.map(({ why }) => why)).toEqual([expect.stringContaining('field missing: price was')])
    expect(report.counts.items).toBe(12 * 24)
    expect(held.length).toBeGreaterThan(60)
  })
})
