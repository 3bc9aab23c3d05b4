// Pages that are believed to be gone: they are visited rarely, and are back on their schedule, with their items, once they are there.
import { simulatedWeb, siteModel, VirtualClock, type MissingPages } from '@avocet/simulator'
import { crawl, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type RecrawlRule, type Spider } from 'avocet'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PRODUCT = '/product/A-00001'

const prices: Spider = spider({
  name: 'prices',
  seeds: [`http://shop.test${PRODUCT}`],
  items: { key: 'url', watch: ['price'] },
  handlers: {
    *start(page) {
      if (page.changed !== 'unchanged') yield { url: page.url.pathname, price: 1 }
    },
  },
})

interface Shop {
  readonly missing: readonly MissingPages[]
  readonly days: number
  readonly rule?: Partial<RecrawlRule>
  readonly config?: Partial<CrawlConfig>
}

/** A shop of one product, whose price never changes; it is crawled for so many days. */
async function shop({ missing, days, rule = {}, config = {} }: Shop) {
  const clock = new VirtualClock()
  const from = clock.now()
  const never = { everyMs: 1_000 * DAY_MS, ratio: 0, validator: 'etag' } as const
  const hosts = [{ name: 'shop.test', pages: { kind: 'shop', products: 1, categories: 1, prices: never }, missing }] as const
  const web = simulatedWeb(siteModel({ seed: 'gone', hosts }), { clock })
  const frontier = memoryFrontier()
  const run = async (more: Partial<CrawlConfig>): Promise<CrawlReport> => {
    const report = await clock.run(() =>
      crawl({ ...{ policies: [], spider: prices, randomSeed: 'a' }, ...more, clock, frontier, fetcher: web }).run(),
    )
    await frontier.close()
    return report
  }
  const report = await run({ recrawl: [{ everyMs: HOUR_MS, ...rule }], maxTimeMs: (days + 0.02) * DAY_MS, ...config })
  const visits = (): readonly number[] => web.felt('shop.test').log.map(({ at }) => (at - from) / DAY_MS)
  const changes = (await frontier.reader.changes({})).map(({ kind, at }) => `${kind} ${Math.floor((at - from) / DAY_MS)}`)
  return { report, visits, changes, frontier, run, clock }
}

describe('a page that is gone', () => {
  it('is visited after 1, 2, 4 and 7 days, and then every 7 days', async () => {
    const { visits } = await shop({ missing: [{ fromMs: DAY_MS }], days: 30 })

    const rare = visits().filter((at) => at > 2.01)
    expect(rare.map((at) => Math.round(at))).toEqual([3, 5, 9, 16, 23, 30])
  })

  it('is back on its schedule once it is there, and its items are gone once and back once, also where nothing changed', async () => {
    const { visits, changes, report } = await shop({ missing: [{ fromMs: DAY_MS, untilMs: 20 * DAY_MS }], days: 25 })

    expect(changes).toEqual(['new 0', 'gone 2', 'back 23'])
    expect(visits().filter((at) => at > 23.01)).toHaveLength(48)
    expect(report.counts).toMatchObject({ done: 1, failed: 0, again: 1 })
  })

  it('is not said to be late, nor to be on probation, and its visits are of no round', async () => {
    const { report, frontier, clock } = await shop({ missing: [{ fromMs: DAY_MS }], days: 10 })

    expect(report).toMatchObject({ counts: { waiting: 0, failed: 1, again: 1 }, run: { missed: 0 }, probation: { pages: 0 } })
    expect(report.rounds).toEqual([expect.objectContaining({ everyMs: HOUR_MS, due: 0, late: 0 })])
    const [record] = await frontier.reader.requests({ state: 'failed' })
    expect(record).toMatchObject({ gone: true })
    expect((record?.notBefore ?? 0) - clock.now()).toBeGreaterThan(5 * DAY_MS)
  })

  it('waits for a round where that is longer', async () => {
    const { visits } = await shop({ missing: [{ fromMs: DAY_MS }], days: 60, rule: { everyMs: 3 * DAY_MS } })

    expect(visits().map((at) => Math.round(at))).toEqual([0, 3, 6, 9, 12, 18, 30, 51])
  })

  it('keeps no run without a rule from ending, and is visited again in the next one with a rule', async () => {
    const { run, visits, frontier } = await shop({ missing: [{ fromMs: DAY_MS, untilMs: 5 * DAY_MS }], days: 4 })
    const before = visits().length

    const without = await run({})
    expect(without).toMatchObject({ ended: 'done', counts: { failed: 1 } })
    expect([visits().length, without.counts.again]).toEqual([before, undefined])

    await run({ recrawl: [{ everyMs: HOUR_MS }], maxTimeMs: 2 * DAY_MS })
    expect((await frontier.reader.changes({})).map(({ kind }) => kind)).toEqual(['new', 'gone', 'back'])
  })

  it('leaves its next visit where it is when the rule becomes another', async () => {
    const { run, visits } = await shop({ missing: [{ fromMs: DAY_MS }], days: 10 })
    const before = visits().length

    await run({ recrawl: [{ everyMs: 2 * HOUR_MS }], maxTimeMs: 5 * DAY_MS })
    expect(visits()).toHaveLength(before)
  })
})

describe('a plugin that has doubts', () => {
  it('keeps a page from being taken for gone until it has none any more', async () => {
    const doubts = {
      name: 'doubts',
      revisit: (ask: { readonly now: number; keep(): void }) => {
        if (ask.now - start < 8 * DAY_MS) ask.keep()
      },
    }
    const start = new VirtualClock().now()
    const { changes, visits } = await shop({ missing: [{ fromMs: DAY_MS }], days: 12, config: { plugins: [doubts] } })

    expect(changes).toEqual(['new 0', 'gone 8'])
    expect(visits().filter((at) => at > 2.01 && at < 8.5)).toHaveLength(6)
  })
})
