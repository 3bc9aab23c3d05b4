// Items that a schema refuses, in whole crawls: kept aside with their page and place, counted, and nothing else is lost.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { hostYield, journal } from '@avocet/plugin-journal'
import { sqlite, verifyStore } from '@avocet/plugin-sqlite'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const HOSTS = ['one.test', 'two.test']

/** Shops of twenty products. */
const MODEL = siteModel({
  seed: 'rejects',
  hosts: HOSTS.map((name) => ({ name, pages: { kind: 'shop', products: 20, categories: 2 } })),
})

/** Each product gives three items: two are valid, the one between them is not where the number of the product is odd. */
const offer = z.object({ url: z.string(), n: z.int().transform((n) => n * 10) })
const numberOf = (url: URL): number => Number(/(\d+)\D*$/.exec(url.pathname)?.[1] ?? 0)

const shops = spider({
  name: 'shops',
  seeds: HOSTS.map((host) => `http://${host}/`),
  items: offer,
  handlers: {
    *start(page) {
      yield* page.links('a.category')
      yield* page.links('a.product', { handler: 'product' })
    },
    *product({ url }) {
      yield { url: url.href, n: 1 }
      yield { url: url.href, n: numberOf(url) % 2 === 0 ? 2 : 2.5 }
      yield { url: url.href, n: 3 }
    },
  },
})

interface Ran {
  readonly frontier: Frontier
  readonly clock: VirtualClock
}

const fresh = (): Ran => ({ frontier: memoryFrontier(), clock: new VirtualClock() })

function run({ frontier, clock }: Ran, config: Partial<CrawlConfig> = {}): Promise<CrawlReport> {
  const fetcher = simulatedWeb(MODEL, { clock })
  const plugins = [...(config.plugins ?? []), journal()]
  return clock.run(() =>
    crawl({ policies: [], spider: shops, randomSeed: 'rejects', delayMs: 0, clock, fetcher, frontier, ...config, plugins }).run(),
  )
}

function storePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-rejects-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'store.db')
}

describe('items that the schema refuses', () => {
  it('are kept aside at their places, and the others are what the schema makes of them', async () => {
    const ran = fresh()
    const report = await run(ran)

    expect(report.run).toMatchObject({ items: 100, rejects: 20, failed: 0, spoiled: 0 })
    expect(report.counts).toMatchObject({ items: 100, rejects: 20 })
    expect(report.rejects).toMatchObject([
      { source: 'schema', reason: 'n: Invalid input: expected int, received number', count: 20 },
    ])
    const items = await ran.frontier.reader.items({ afterSeq: 0, limit: 1_000 })
    expect(new Set(items.map(({ json, ordinal }) => `${ordinal}: ${(JSON.parse(json) as { n: number }).n}`))).toEqual(
      new Set(['0: 10', '1: 20', '2: 30']),
    )
    const rejects = await ran.frontier.reader.rejects({ limit: 1_000 })
    expect(rejects).toHaveLength(20)
    for (const { url, ordinal, json, handler } of rejects)
      expect({ url, ordinal, json, handler }).toEqual({
        url,
        ordinal: 1,
        json: JSON.stringify({ url, n: 2.5 }),
        handler: 'product',
      })
  })

  it('are not shown to plugins, which see the others at their places', async () => {
    const seen: string[] = []
    const report = await run(fresh(), {
      plugins: [
        definePlugin({
          name: 'seen',
          onItem(item, { ordinal }) {
            seen.push(`${ordinal}: ${(item as { n: number }).n}`)
            return ordinal === 0 ? null : item
          },
        }),
      ],
    })

    expect([...new Set(seen)].sort()).toEqual(['0: 10', '1: 20', '2: 30'])
    expect(report.run).toMatchObject({ items: 60, dropped: 40, rejects: 20 })
  })

  it('are told once by kind, and are counted at their host and handler', async () => {
    const ran = fresh()
    const said: string[] = []
    await run(ran, {
      plugins: [definePlugin({ name: 'said', onTrace: (event) => void (event.kind === 'problem' && said.push(event.message)) })],
    })

    expect(said).toEqual(['the schema refused items: n: Invalid input: expected int, received number'])
    const yields = (await ran.frontier.reader.hosts({ limit: 9 })).flatMap(({ memory }) => hostYield(memory))
    expect(yields.filter(({ handler }) => handler === 'product')).toMatchObject([
      { pages: 20, items: 50, rejects: 10, barren: 0 },
      { pages: 20, items: 50, rejects: 10, barren: 0 },
    ])
  })

  it('of a site that changed are noticed: the handler has no items any more', async () => {
    const ran = fresh()
    let seen = 0
    const changing: Spider = {
      ...shops,
      handlers: { ...shops.handlers, product: ({ url }) => [{ url: url.href, n: seen++ < 10 ? 1 : 'sold out' }] },
    }
    const report = await run(ran, { spider: { ...changing, seeds: ['http://one.test/'] } })

    expect(report.run).toMatchObject({ items: 10, rejects: 10 })
    expect(report.driedUp).toMatchObject([{ hostKey: 'one.test', handler: 'product', items: 10, barren: 10 }])
    expect(
      (await ran.frontier.reader.hosts({ limit: 1 })).filter(({ memory }) => hostYield(memory).some(({ driedUp }) => driedUp)),
    ).toHaveLength(1)
  })

  it('may be all of them: the crawl ends as any other, and nothing is lost', async () => {
    const ran = fresh()
    const report = await run(ran, { spider: { ...shops, items: z.object({ isbn: z.string() }) } })

    expect(report).toMatchObject({ ended: 'done', run: { items: 0, rejects: 120, failed: 0 }, driedUp: [] })
    expect(await ran.frontier.reader.rejects({ limit: 1_000 })).toHaveLength(120)
  })

  it('are in a store on disk as in memory, which is sound, and a second run adds none', async () => {
    const path = storePath()
    const clock = new VirtualClock()
    const first = await run({ frontier: sqlite(path), clock }, { maxPages: 20 })
    const second = await run({ frontier: sqlite(path), clock })
    const third = await run({ frontier: sqlite(path), clock })

    expect(first.run.rejects + second.run.rejects).toBe(20)
    expect(third.counts).toMatchObject({ items: 100, rejects: 20 })
    expect(await verifyStore(path)).toMatchObject({ faults: [] })
  })

  it('may be 100,000 of one page', async () => {
    const ran = fresh()
    const many: Spider = {
      ...shops,
      seeds: ['http://one.test/'],
      handlers: { start: () => Array.from({ length: 100_000 }, (_, n) => ({ url: 'x', n: n + 0.5 })) },
    }
    const report = await run({ ...ran, frontier: sqlite(storePath()) }, { spider: many })

    expect(report.counts).toMatchObject({ items: 0, rejects: 100_000 })
    expect(report.rejects).toMatchObject([{ count: 100_000 }])
  })
})

describe('a schema that throws', () => {
  it('fails the page like a handler, with the line, and the page can be tried again', async () => {
    const ran = fresh()
    let isBroken = true
    const broken = z.object({ url: z.string() }).transform((item) => {
      if (isBroken && item.url.includes('one')) throw new TypeError('no such shop')
      return item
    })
    const report = await run(ran, { spider: { ...shops, items: broken } })

    expect(report.run).toMatchObject({ items: 60, rejects: 0, failed: 20, spoiled: 20 })
    expect(report.handlerErrors).toMatchObject([
      { code: 'AVO_HANDLER_SCHEMA', message: 'the schema of items threw no such shop', count: 20 },
    ])
    expect(report.handlerErrors[0]?.place).toContain('rejects.test.ts')
    expect(report.failures).toMatchObject([{ reason: 'handler-schema', count: 20 }])

    isBroken = false
    const mended = await run(ran, { spider: { ...shops, items: broken }, plugins: [REOPENING(ran.frontier)] })
    expect(mended.counts).toMatchObject({ items: 120, failed: 0 })
  })
})

const REOPENING = (frontier: Frontier) =>
  definePlugin({
    name: 'reopening',
    async open() {
      await frontier.change({ kind: 'reopen', reasons: ['handler-schema'], limit: 100 })
    },
  })
