// Old items of a crawl that visits its pages every hour for days: the store does not grow, and no sink misses one.
import { definePlugin, memoryFrontier, spider, type CrawlConfig, type Page } from 'avocet'
import { sink, SinkDown, type Sink } from '@avocet/core/sink'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { run, type Ran } from '../harness.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SEEDS = ['http://shop.test/tea', 'http://shop.test/jam']

const shop = spider({
  name: 'shop',
  seeds: SEEDS,
  handlers: {
    *start(page: Page) {
      yield { path: page.url.pathname, visit: page.visit }
    },
  },
})

function crawled(days: number, more: Partial<CrawlConfig>): Promise<Ran> {
  const script = Object.fromEntries(SEEDS.map((url) => [url, {}]))
  return run(script, {
    ...{ spider: shop, recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: days * DAY_MS, patienceMs: Infinity, delayMs: 0 },
    ...{ keep: { itemsMs: DAY_MS }, clock: new VirtualClock(), frontier: memoryFrontier(), ...more },
  })
}

async function keptIn({ reader }: Frontier): Promise<number> {
  return (await reader.items({})).length
}

function taking(got: string[]): Sink {
  return sink((items) => void got.push(...items.map(({ key }) => key)), { name: 'table' })
}

describe('a crawl that goes on for days', () => {
  it('keeps the items of one day, and its sink gets each item once', async () => {
    const got: string[] = []
    const { frontier, report } = await crawled(5, { sinks: [taking(got)] })

    const counts = await frontier.reader.counts()
    const kept = await keptIn(frontier)
    expect(kept).toBeGreaterThanOrEqual(48)
    expect(kept).toBeLessThan(56)
    expect(counts.items).toBeGreaterThan(230)
    expect(kept).toBe(counts.items - (counts.itemsGone ?? 0))
    expect(report.counts).toMatchObject({ items: counts.items, itemsGone: counts.itemsGone })
    expect(got).toHaveLength(counts.items)
    expect(new Set(got).size).toBe(counts.items)
  })

  it('keeps all items where no sink has them', async () => {
    const { frontier } = await crawled(3, {})
    expect(await keptIn(frontier)).toBe((await frontier.reader.counts()).items)
  })

  it('keeps the items of one day where every sink gets changes: nobody waits for items, and what each page had last stays', async () => {
    const said: string[] = []
    const listens = definePlugin({
      name: 'listens',
      onTrace: (event) => void (event.kind === 'problem' && said.push(event.message)),
    })
    const got: string[] = []
    const changes = sink((all) => void got.push(...all.map(({ key }) => key)), { name: 'changes', changes: true })
    const items = { key: 'path', watch: ['visit'] }
    const { frontier } = await crawled(3, { spider: { ...shop, items }, sinks: [changes], plugins: [listens] })

    const kept = await frontier.reader.items({})
    expect(kept.length).toBeLessThan(56)
    expect(new Set(kept.map(({ url }) => url)).size).toBe(2)
    expect(got.length).toBeGreaterThan(138)
    expect(said).toContain('items that a later visit replaced stay in the store for 1 d (keep.itemsMs)')
  })

  it('keeps what a sink lacks, whatever its age, and says so', async () => {
    const clock = new VirtualClock()
    const [got, said]: [string[], string[]] = [[], []]
    const down = sink(
      (items) => {
        if (clock.now() < startedAt + 3 * DAY_MS) throw new SinkDown('maintenance')
        got.push(...items.map(({ key }) => key))
      },
      { name: 'down' },
    )
    const startedAt = clock.now()
    const frontier = memoryFrontier()
    const atHour70: number[] = []
    const script = Object.fromEntries(SEEDS.map((url) => [url, {}]))
    const config = { spider: shop, recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: 6 * DAY_MS, patienceMs: Infinity, delayMs: 0 }
    await run(script, { ...config, keep: { itemsMs: DAY_MS }, sinks: [down], clock, frontier }, (made) => {
      made.hooks.onTrace.tap('test', (event) => void (event.kind === 'problem' && said.push(event.message)))
      clock.at(startedAt + 70 * HOUR_MS, () => void keptIn(frontier).then((kept) => atHour70.push(kept)))
    })

    expect(atHour70[0]).toBeGreaterThan(138)
    expect(said).toContain('sink down: it lacks items that are 1 d old; the store keeps them until it has them')
    expect(new Set(got).size).toBe((await frontier.reader.counts()).items)
    expect(await keptIn(frontier)).toBeLessThan(56)
  })

  it('forgets what the schema refused a day ago, and keeps what it refused since', async () => {
    const items = { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } } as const
    const { frontier, report } = await crawled(3, { spider: { ...shop, items } })
    expect(report.run.rejects).toBeGreaterThan(100)
    expect((await frontier.reader.rejects({})).length).toBeLessThanOrEqual(2)
  })

  it('keeps the changes of one day, and those that a sink of changes lacks', async () => {
    const clock = new VirtualClock()
    const [startedAt, got]: [number, string[]] = [clock.now(), []]
    const frontier = memoryFrontier()
    const atHour70: number[] = []
    clock.at(startedAt + 70 * HOUR_MS, () => void frontier.reader.changes({}).then((kept) => atHour70.push(kept.length)))
    const late = sink(
      (changes) => {
        if (clock.now() < startedAt + 3 * DAY_MS) throw new SinkDown('maintenance')
        got.push(...changes.map(({ key }) => key))
      },
      { name: 'late', changes: true },
    )
    const items = { key: 'path', watch: ['visit'] }
    await crawled(6, { spider: { ...shop, items }, keep: { historyMs: DAY_MS }, sinks: [late], clock, frontier })

    expect(atHour70[0]).toBeGreaterThan(138)
    const [newest] = await frontier.reader.changes({ newestFirst: true, limit: 1 })
    expect(new Set(got).size).toBe(newest?.seq)
    expect(got.length).toBeGreaterThan(280)
    expect((await frontier.reader.changes({})).length).toBeLessThan(56)
  })

  it('says when it starts how long items stay', async () => {
    const said: string[] = []
    await run(
      { [SEEDS[0] ?? '']: {} },
      { spider: shop, recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: HOUR_MS, sinks: [taking([])] },
      (made) => {
        made.hooks.onTrace.tap('test', (event) => void (event.kind === 'problem' && said.push(event.message)))
      },
    )
    expect(said).toContain('items that a later visit replaced stay in the store for 30 d (keep.itemsMs)')
  })
})
