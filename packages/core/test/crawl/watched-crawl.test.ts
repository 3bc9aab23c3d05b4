// Changes of watched items over a crawl: those that its visits could see, and none of what a plugin holds.
import { crawl, definePlugin, memoryFrontier, spider, type Plugin } from 'avocet'
import type { ChangeRecord } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000

/** A day of a shop with ten products, each looked at every hour. */
async function day(plugins: readonly Plugin[] = [], ratio = 0.2) {
  const clock = new VirtualClock()
  const prices = { everyMs: HOUR_MS, ratio, validator: 'none' } as const
  const hosts = [{ name: 'shop.test', pages: { kind: 'shop', products: 10, categories: 1, prices } }] as const
  const frontier = memoryFrontier()
  const seen: { sku: string; price: string }[] = []
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
        const item = { sku: page.url.pathname, price: page.text('.price') ?? '', at: page.fetchedAt }
        seen.push(item)
        yield item
      },
    },
  })
  const model = siteModel({ seed: 'watch', hosts })
  const web = { spider: shop, frontier, clock, fetcher: simulatedWeb(model, { clock }) }
  const config = {
    policies: [],
    delayMs: 100,
    recrawl: [{ everyMs: HOUR_MS, match: 'product' }],
    maxTimeMs: 24.5 * HOUR_MS,
    plugins,
  }
  const { run } = await clock.run(() => crawl({ ...config, ...web }).run())
  return { run, changes: await frontier.reader.changes({}), seen, frontier }
}

/** What changes say of each product, in the order of visits. */
function pricesOf(changes: readonly ChangeRecord[], sku: string): readonly unknown[] {
  return changes.filter(({ key }) => key === sku).map(({ after }) => after?.['price'])
}

describe('a crawl that watches prices', () => {
  it('records each price that its visits saw and that was another than the last', async () => {
    const { run, changes, seen } = await day()

    expect(changes.length).toBeGreaterThan(20)
    expect(run.changes).toBe(changes.length)
    for (const [sku, visits] of Map.groupBy(seen, (item) => item.sku)) {
      const texts = visits.map(({ price }) => price).filter((price, n, all) => price !== all[n - 1])
      expect(pricesOf(changes, sku)).toHaveLength(texts.length)
    }
    expect(changes.filter(({ kind }) => kind === 'new')).toHaveLength(10)
  })

  it('has an item gone that a list lacks which each run visits again', async () => {
    const frontier = memoryFrontier()
    const list = spider({
      name: 'list',
      seeds: [{ url: 'http://shop.test/', again: true }],
      items: { key: 'sku', watch: ['price'] },
      handlers: {
        *start(page) {
          if (page.fetchedAt < 1_000) yield { sku: 'tea', price: 3 }
        },
      },
    })
    for (let day = 0; day < 4; day++) {
      const clock = new VirtualClock({ startAt: day * 24 * HOUR_MS })
      const model = siteModel({
        seed: 'list',
        hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 1, categories: 1 } }],
      })
      await clock.run(() => crawl({ spider: list, frontier, clock, policies: [], fetcher: simulatedWeb(model, { clock }) }).run())
    }

    const changes = await frontier.reader.changes({})
    expect(changes.map(({ kind, visit }) => [kind, visit])).toEqual([
      ['new', 0],
      ['gone', 3],
    ])
  })

  it('records of what a plugin holds only what is published, in the order of the visits', async () => {
    const all = await day()
    let pages = 0
    const holds = definePlugin({
      name: 'holds',
      onHandled(handled) {
        if (handled.failure !== undefined || handled.items.length === 0) return
        pages++
        if (pages % 7 === 0) handled.settleHeld('publish')
        else handled.hold('not yet')
      },
    })
    const { run, changes, frontier } = await day([holds])
    const left = await frontier.reader.rejects({ source: 'held' })

    expect(run.held).toBeGreaterThan(30)
    expect(run.items + left.length).toBe(all.run.items)
    for (const sku of new Set(changes.map(({ key }) => key))) {
      const expected = pricesOf(all.changes, sku)
      expect(expected.slice(0, pricesOf(changes, sku).length)).toEqual(pricesOf(changes, sku))
    }
  })

  it('compares a page with none of its visits that were held', async () => {
    const seen = new Map<string, string[]>()
    const holds = definePlugin({
      name: 'holds',
      onHandled(handled) {
        if (handled.failure !== undefined || handled.items.length === 0) return
        const visits = seen.get(handled.request.url) ?? []
        seen.set(handled.request.url, [...visits, handled.page.changed])
        if (visits.length === 1 || visits.length === 2) handled.hold('not yet')
      },
    })
    await day([holds], 0)

    expect([...seen.values()].map((visits) => visits.slice(0, 5))).toEqual(
      Array.from({ length: 10 }, () => ['first', 'unchanged', 'changed', 'changed', 'unchanged']),
    )
  })
})
