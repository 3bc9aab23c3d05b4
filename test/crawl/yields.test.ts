// The items of each handler at each host add up to the items of the store, whatever happens to the crawl.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Plugin, type Spider } from 'avocet'
import type { Counts, Frontier } from '@avocet/core/store'
import { hostYield, journal, type HandlerYield } from '@avocet/plugin-journal'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'

const HOUR_MS = 3_600_000
const HOSTS = ['one.test', 'two.test', 'three.test']

/** Shops of twenty products. */
const MODEL = siteModel({
  seed: 'yields',
  hosts: HOSTS.map((name) => ({
    name,
    pages: { kind: 'shop', products: 20, categories: 2, prices: { everyMs: HOUR_MS, ratio: 0.5, validator: 'etag' } },
  })),
})

const shops = spider({
  name: 'shops',
  seeds: HOSTS.map((host) => `http://${host}/`),
  handlers: {
    *start(page) {
      yield* page.links('a.category')
      yield* page.links('a.product', { handler: 'product' })
    },
    *product(page) {
      yield { url: page.url.href, price: page.text('.price') }
      yield { reviewOf: page.url.href }
    },
  },
})

/** Its handler gives what is no item on some pages of each shop. */
const brokenShops: Spider = {
  ...shops,
  handlers: {
    ...shops.handlers,
    *product(page) {
      yield { url: page.url.href }
      yield page.url.pathname.endsWith('7') ? 'no item' : { reviewOf: page.url.href }
    },
  },
}

interface Ran {
  readonly frontier: Frontier
  readonly clock: VirtualClock
}

async function run({ frontier, clock }: Ran, config: Partial<CrawlConfig> = {}): Promise<CrawlReport> {
  return clock.run(() => crawlOnce({ frontier, clock }, config))
}

function crawlOnce({ frontier, clock }: Ran, config: Partial<CrawlConfig>): Promise<CrawlReport> {
  const fetcher = simulatedWeb(MODEL, { clock })
  const plugins = [...(config.plugins ?? []), journal()]
  return crawl({
    policies: [],
    spider: shops,
    randomSeed: 'yields',
    delayMs: 0,
    clock,
    fetcher,
    frontier,
    ...config,
    plugins,
  }).run()
}

type Yields = readonly HandlerYield[]

async function yieldsOf(frontier: Pick<Frontier, 'reader'>): Promise<Yields> {
  return (await frontier.reader.hosts({ limit: 100 })).flatMap(({ memory }) => hostYield(memory))
}

const sum = (yields: Yields, key: 'pages' | 'items' | 'dropped' | 'spoiled'): number =>
  yields.reduce((all, each) => all + each[key], 0)

function storePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-yields-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'store.db')
}

/** As another process reads them. */
async function totals(path: string): Promise<{ items: number; pages: number; counts: Counts }> {
  const reader = await openReader(path)
  const yields = await yieldsOf({ reader })
  const counts = await reader.counts()
  await reader.close()
  return { items: sum(yields, 'items'), pages: sum(yields, 'pages'), counts }
}

describe('the yields of all hosts and handlers', () => {
  it('add up to the pages and items of the store', async () => {
    const ran = { frontier: memoryFrontier(), clock: new VirtualClock() }
    const report = await run(ran)

    const yields = await yieldsOf(ran.frontier)
    expect(report.counts).toMatchObject({ items: 3 * 40 })
    expect(sum(yields, 'items')).toBe(3 * 40)
    expect(sum(yields, 'pages')).toBe(report.counts.done)
    expect(yields).toHaveLength(6)
    expect(yields.filter(({ handler }) => handler === 'product')).toHaveLength(3)
  })

  it('count what plugins dropped, apart from what is stored', async () => {
    const ran = { frontier: memoryFrontier(), clock: new VirtualClock() }
    const noReviews: Plugin = definePlugin({
      name: 'no-reviews',
      onItem: (item) => (JSON.stringify(item).includes('reviewOf') ? null : item),
    })
    const report = await run(ran, { plugins: [noReviews] })

    const yields = await yieldsOf(ran.frontier)
    expect(report.run).toMatchObject({ items: 60, dropped: 60, spoiled: 0 })
    expect(report.counts.items).toBe(60)
    expect([sum(yields, 'items'), sum(yields, 'dropped')]).toEqual([60, 60])
  })

  it('count pages that failed for an item that is none', async () => {
    const ran = { frontier: memoryFrontier(), clock: new VirtualClock() }
    const report = await run(ran, { spider: brokenShops })

    const yields = await yieldsOf(ran.frontier)
    expect(report.run).toMatchObject({ failed: 6, spoiled: 6 })
    expect(sum(yields, 'spoiled')).toBe(6)
    expect(sum(yields, 'items')).toBe(report.counts.items)
  })

  it('say which hosts used to give items and give none any more', async () => {
    const ran = { frontier: memoryFrontier(), clock: new VirtualClock() }
    await run(ran, { maxPages: 36 })
    const emptied: Spider = { ...shops, handlers: { ...shops.handlers, product: () => [] } }
    const report = await run(ran, { spider: emptied })

    expect(report.driedUp.length).toBeGreaterThan(0)
    for (const { handler, barren, items } of report.driedUp) {
      expect(handler).toBe('product')
      expect([barren > 4, items > 4]).toEqual([true, true])
    }
  })

  it('add up over recrawls, of which each visit counts', async () => {
    const ran = { frontier: memoryFrontier(), clock: new VirtualClock() }
    const report = await run(ran, { recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: 6.5 * HOUR_MS })

    const yields = await yieldsOf(ran.frontier)
    expect(report.counts.items).toBeGreaterThan(3 * 40)
    expect(sum(yields, 'items')).toBe(report.counts.items)
    expect(sum(yields, 'pages')).toBeGreaterThan(report.counts.done)
  })

  it('add up over runs that are stopped and go on with the store, and over pages that are requested again', async () => {
    const path = storePath()
    const clock = new VirtualClock()
    let [runs, failed] = [0, 0]
    for (let waiting = 1; waiting > 0; runs++) {
      const frontier = sqlite(path, { clock, synchronous: 'normal' })
      const report = await run({ frontier, clock }, { maxPages: 10, drainMs: 0, spider: runs < 4 ? brokenShops : shops })
      waiting = report.counts.waiting
      failed += report.run.spoiled
      const { items, counts } = await totals(path)
      expect(items).toBe(counts.items)
      expect(runs).toBeLessThan(20)
    }
    const frontier = sqlite(path, { clock })
    const reopens: Plugin = definePlugin({
      name: 'reopens',
      open: async () => void (await frontier.change({ kind: 'reopen', limit: 100 })),
    })
    await run({ frontier, clock }, { plugins: [reopens] })

    const { items, pages, counts } = await totals(path)
    expect(runs).toBeGreaterThan(3)
    expect(failed).toBeGreaterThan(0)
    expect(counts).toMatchObject({ items: 120, failed: 0 })
    expect({ items, pages }).toEqual({ items: 120, pages: counts.done })
  })

  it('add up over processes that share the store', async () => {
    const path = storePath()
    const clock = new VirtualClock()
    const shared = (): Frontier => sqlite(path, { clock, synchronous: 'normal' })
    await clock.run(Promise.all([crawlOnce({ frontier: shared(), clock }, {}), crawlOnce({ frontier: shared(), clock }, {})]))

    const { items, counts } = await totals(path)
    expect(counts.items).toBe(120)
    expect(items).toBe(120)
  })
})
