// Tables of plugins in whole crawls: rows and items agree, whatever happens, and pages with one key go one after the other.
import { AvocetError, definePlugin, memoryFrontier, spider, type Plugin } from 'avocet'
import { CrashStore } from '../../packages/testkit/src/contracts/crash-store.ts'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

/** What a page of `skus` yields: an item for each, in their order. */
const skuSpider = (pages: Readonly<Record<string, readonly string[]>>): ReturnType<typeof spider> =>
  spider({
    name: 'skus',
    seeds: Object.keys(pages),
    handlers: { start: (page) => (pages[page.url.href] ?? []).map((sku) => ({ sku, host: page.url.host })) },
  })

const script = (pages: object): Record<string, { body: string }> =>
  Object.fromEntries(Object.keys(pages).map((url) => [url, { body: 'ok' }]))

/** Lets each SKU through once in all runs. */
const once = (): Plugin =>
  definePlugin<undefined, undefined, { sku: string }>({
    name: 'once',
    tableKeys: ({ sku }) => sku,
    async onItem(item, { table }) {
      if (table.get(item.sku) !== undefined) return null
      await Promise.resolve()
      table.set(item.sku, 1)
      return item
    },
  })

const skusOf = (items: readonly unknown[]): string[] => items.map((item) => (item as { sku: string }).sku)

describe('the table of a plugin', () => {
  it('lets 4,000 products through once over three runs, and each is in the store', async () => {
    const pages: Record<string, string[]> = {}
    for (let n = 0; n < 80; n++)
      pages[`http://shop-${n % 8}.test/${n}`] = Array.from({ length: 100 }, (_, k) => `sku-${(n * 50 + k) % 4_000}`)
    const frontier = memoryFrontier()
    const config = { spider: skuSpider(pages), plugins: [once()], frontier, concurrency: 16 }

    await run(script(pages), { ...config, maxPages: 20 })
    await run(script(pages), { ...config, maxPages: 30 })
    await run(script(pages), config)

    const items = await frontier.reader.items({ afterSeq: 0, limit: 10_000 })
    expect(items).toHaveLength(4_000)
    expect(new Set(skusOf(items.map(({ json }) => JSON.parse(json) as unknown))).size).toBe(4_000)
    expect(await frontier.reader.table({ plugin: 'once', limit: 10_000 })).toHaveLength(4_000)
  })

  it('fails no page whose rows the store does not give: the next run has its items', async () => {
    const pages = { 'http://shop.test/1': ['a'] }
    const store = memoryFrontier()
    const tableRows = (): never => {
      throw new AvocetError('AVO_FRONTIER_CORRUPT', 'the table cannot be read')
    }
    const frontier = new Proxy(store, {
      get: (target, key) => (key === 'tableRows' ? tableRows : Reflect.get(target, key, target)),
    })
    const { report } = await run(script(pages), { spider: skuSpider(pages), plugins: [once()], frontier, maxTimeMs: 60_000 })
    const again = await run(script(pages), { spider: skuSpider(pages), plugins: [once()], frontier: store })

    expect(report.counts).toMatchObject({ failed: 0, waiting: 1 })
    expect(again.report.counts).toMatchObject({ failed: 0, done: 1, items: 1 })
  })

  it('agrees with the items wherever the crawl is cut off', async () => {
    const pages: Record<string, string[]> = {}
    for (let n = 0; n < 24; n++) pages[`http://shop-${n % 6}.test/${n}`] = [`sku-${n % 12}`, `sku-${(n + 5) % 12}`]
    for (let commit = 1; commit < 12; commit++) {
      for (const isWritten of [true, false]) {
        const inner = memoryFrontier()
        const store = new CrashStore(inner)
        const clock = new VirtualClock()
        const config = { spider: skuSpider(pages), plugins: [once()], clock, concurrency: 8 }
        const { frontier, died } = store.live({ commit, written: isWritten })
        await Promise.race([run(script(pages), { ...config, frontier }), died])
        await run(script(pages), {
          ...config,
          clock: new VirtualClock({ startAt: clock.now() }),
          frontier: store.live().frontier,
        })

        const items = await inner.reader.items({ afterSeq: 0, limit: 100 })
        const rows = await inner.reader.table({ plugin: 'once', limit: 100 })
        expect(skusOf(items.map(({ json }) => JSON.parse(json) as unknown)).toSorted()).toEqual(rows.map(({ key }) => key))
        expect(rows).toHaveLength(12)
      }
    }
  })

  it('is seen by one page after the other where they have a key in common, of any host, and in any order of keys', async () => {
    const skus = Array.from({ length: 20 }, (_, n) => `sku-${n}`)
    const pages = Object.fromEntries(
      Array.from({ length: 12 }, (_, n) => [`http://shop-${n}.test/`, n % 2 === 0 ? skus : skus.toReversed()]),
    )

    const { items, report } = await run(script(pages), { spider: skuSpider(pages), plugins: [once()], concurrency: 12 })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 12, pluginErrors: 0 } })
    expect(skusOf(items)).toEqual(skus)
  })

  it('keeps nothing of a page that failed in a later item', async () => {
    const pages = { 'http://a.test/': ['good', 'bad'], 'http://b.test/': ['good'] }
    const picky: Plugin = {
      name: 'picky',
      onItem(item) {
        if ((item as { sku: string }).sku === 'bad') throw new Error('bad sku')
        return item
      },
    }

    const { items, frontier } = await run(script(pages), { spider: skuSpider(pages), plugins: [once(), picky], concurrency: 2 })

    expect(items).toEqual([{ sku: 'good', host: 'b.test' }])
    expect(await frontier.reader.table({ plugin: 'once', limit: 9 })).toEqual([{ plugin: 'once', key: 'good', json: '1' }])
  })

  it.each([
    [
      'a key that was not declared',
      (): void => {},
      "expected a key that tableKeys gave for an item of the page, got 'other'",
      'other',
    ],
    [
      'a value beyond 65,536 characters',
      (): string => 'x'.repeat(65_536),
      'expected at most 65536 characters of JSON, got 65538',
      'sku',
    ],
    ['a value that is not JSON', (): Date => new Date(0), 'expected plain JSON, but value is a Date', 'sku'],
  ])('refuses %s: the page fails, and says so', async (_what, value, message, key) => {
    const pages = { 'http://a.test/': ['sku'] }
    const wrong = definePlugin({
      name: 'wrong',
      tableKeys: () => 'sku',
      onItem(item, { table }) {
        table.set(key, value() as never)
        return item
      },
    })

    const { report, items } = await run(script(pages), { spider: skuSpider(pages), plugins: [wrong] })

    expect(items).toEqual([])
    expect(report.handlerErrors[0]?.message).toContain(message)
  })

  it('refuses keys that are too long, and a plugin that uses it without declaring any', async () => {
    const pages = { 'http://a.test/': ['sku'] }
    const long = definePlugin({ name: 'long', tableKeys: () => 'x'.repeat(513), onItem: (item) => item })
    const bare = definePlugin({ name: 'bare', onItem: (item, { table }) => (table.get('sku') === undefined ? item : null) })

    const first = await run(script(pages), { spider: skuSpider(pages), plugins: [long] })
    const second = await run(script(pages), { spider: skuSpider(pages), plugins: [bare] })

    expect(first.report.handlerErrors[0]?.message).toContain('texts of 1 to 512 characters without U+0000')
    expect(second.report.handlerErrors[0]?.message).toContain('declare tableKeys(item)')
  })
})

describe('onItem', () => {
  it('gets the memory of the host, and the host', async () => {
    const seeds = ['http://a.test/1', 'http://a.test/2', 'http://b.test/1']
    const counts = definePlugin({
      name: 'counts',
      hostMemory: () => ({ items: 0 }),
      crawlMemory: () => ({ items: 0 }),
      onItem: (_item, { host: { key } }, host, crawl) => `${key} ${++host.items} ${++crawl.items}`,
    })

    const { items, frontier } = await run(script(Object.fromEntries(seeds.map((url) => [url, 0]))), {
      spider: pathSpider(seeds),
      plugins: [counts],
    })

    expect(items).toEqual(expect.arrayContaining(['a.test 2 3']))
    expect((await frontier.reader.host('a.test'))?.memory['counts']).toBe('[1,{"items":2}]')
  })
})

describe('memory beyond its cap', () => {
  it('ends the crawl at once, with the plugin, the sizes and the remedy', async () => {
    const pages: Record<string, string[]> = {}
    for (let n = 0; n < 40; n++)
      pages[`http://shop.test/${n}`] = Array.from({ length: 100 }, (_, k) => `sku-of-some-length-${n}-${k}`)
    const remembers = definePlugin<{ seen: string[] }, undefined, { sku: string }>({
      name: 'remembers',
      hostMemory: () => ({ seen: [] }),
      onItem(item, _source, host) {
        host.seen.push(item.sku)
        return item
      },
    })

    const { report } = await run(script(pages), { spider: skuSpider(pages), plugins: [remembers] })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_PLUGIN_INVALID' } })
    expect(report.error?.message).toMatch(
      /^expected at most 65536 characters of memory of plugin remembers, got 6\d{4}; keep what grows .* \(tableKeys\)/,
    )
    expect(report.run.pages).toBeLessThan(40)
  })
})
