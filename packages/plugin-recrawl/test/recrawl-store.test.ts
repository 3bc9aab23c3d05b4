// The schedule of pages that are visited again, in a store: over runs, over rules that come and go, and over days that nobody crawled.
import { crawl, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock, type SiteModel } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const hourly = [{ everyMs: HOUR_MS, match: 'product' }]

/** One shop of six products, in one category: eight pages. */
function shop(): SiteModel {
  const prices = { everyMs: HOUR_MS, ratio: 0.5 }
  return siteModel({
    seed: 'recrawl',
    hosts: [{ name: 'shop.test', pages: { kind: 'shop', products: 6, categories: 1, prices } }],
  })
}

const looks: Spider = spider({
  name: 'looks',
  seeds: ['http://shop.test/'],
  handlers: {
    *start(page) {
      yield* page.links('a.category')
      yield* page.links('a.product', { handler: 'product' })
    },
    product: () => [],
  },
})

describe('a store', () => {
  /** Runs one after the other on one store and one web. */
  async function runs(
    ...configs: readonly (Partial<CrawlConfig> & { readonly hours: number; readonly restHours?: number })[]
  ): Promise<{
    reports: CrawlReport[]
    requests: number[]
    frontier: Frontier
  }> {
    const clock = new VirtualClock()
    const web = simulatedWeb(shop(), { clock })
    const frontier = memoryFrontier()
    const reports: CrawlReport[] = []
    const requests: number[] = []
    for (const { hours, restHours = 0, ...config } of configs) {
      const before = web.felt('shop.test').requests
      const whole = { spider: looks, randomSeed: 'a', maxTimeMs: hours * HOUR_MS, ...config, clock, frontier, fetcher: web }
      reports.push(await clock.run(() => crawl({ policies: [], ...whole }).run()))
      requests.push(web.felt('shop.test').requests - before)
      await frontier.close()
      await clock.advance(restHours * HOUR_MS)
    }
    return { reports, requests, frontier }
  }

  it('that is finished has nothing to do without a rule', async () => {
    const { reports, requests } = await runs({ hours: 1 }, { hours: 1 })

    expect(reports.map(({ ended }) => ended)).toEqual(['done', 'done'])
    expect(requests).toEqual([8, 0])
  })

  it('that is finished is visited again at once with a rule whose time has come, and then on time', async () => {
    const { requests } = await runs({ hours: 1, restHours: 9.5 }, { hours: 0.4, recrawl: hourly }, { hours: 1, recrawl: hourly })

    expect(requests).toEqual([8, 6, 6])
  })

  it('keeps its schedule over runs, and counts the rounds that nobody made', async () => {
    const recrawl = hourly
    const { requests, frontier } = await runs(
      { hours: 0.5, recrawl },
      { hours: 1, recrawl, restHours: 3 },
      { hours: 0.5, recrawl },
    )

    expect(requests).toEqual([8, 6, 6])
    await frontier.open({ name: 'looks', hostKeying: 'host' }, 0).catch(() => {})
    const [record] = await frontier.reader.requests({ state: 'done', afterId: 2, limit: 1 })
    expect(record).toMatchObject({ visits: 3, skipped: 2 })
  })

  it('keeps the moments of its schedule, also of a page that took longer than a round; a shorter rule counts at once', async () => {
    const slow = siteModel({
      seed: 'slow',
      hosts: [{ name: 'shop.test', pages: { kind: 'list', pages: 1 }, latency: { law: 'fixed', ms: 900 } }],
    })
    const clock = new VirtualClock()
    const frontier = memoryFrontier()
    const spider = { ...looks, seeds: slow.seeds() }
    const fetcher = simulatedWeb(slow, { clock })
    const dueAt: (number | undefined)[] = []
    for (const [everyMs, maxTimeMs] of [
      [700, 2_000],
      [700, 1],
      [50, 1],
    ]) {
      const rules = { recrawl: [{ everyMs: everyMs ?? 0 }], maxTimeMs: maxTimeMs ?? 0 }
      await clock.run(() => crawl({ policies: [], spider, randomSeed: 'a', ...rules, clock, frontier, fetcher }).run())
      dueAt.push((await frontier.reader.requests({ limit: 1 }))[0]?.notBefore)
      await frontier.close()
    }

    expect(dueAt[1]).toBe(dueAt[0])
    expect(dueAt[2]).toBeLessThan(dueAt[0] ?? 0)
  })

  it('forgets the schedule when the rule is gone', async () => {
    const { reports, requests } = await runs({ hours: 0.5, recrawl: hourly }, { hours: 3 })

    expect(reports[1]).toMatchObject({ ended: 'done', counts: { done: 8 } })
    expect(reports[1]?.counts).not.toHaveProperty('again')
    expect(requests).toEqual([8, 0])
  })
})
