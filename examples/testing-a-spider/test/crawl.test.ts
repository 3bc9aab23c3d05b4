// A whole crawl, with its pauses, its hours and a shop that goes down, takes a second: time is virtual, and the same each time.
import { crawl, type CrawlReport } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock, type SimulatedWeb, type SiteModel } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import offers, { type Offer } from '../spider.ts'

const MINUTE_MS = 60_000

/** A shop of 60 products that takes a second a page, and is down for ten minutes from the tenth second on. */
const model: SiteModel = siteModel({
  seed: 'testing-a-spider',
  hosts: [
    {
      name: 'shop.test',
      pages: { kind: 'shop', products: 60 },
      latency: { law: 'fixed', ms: 1_000 },
      outages: [{ style: 'reset', fromMs: 10_000, untilMs: 10 * MINUTE_MS }],
    },
  ],
})

async function crawlShop(): Promise<{ report: CrawlReport; items: Offer[]; web: SimulatedWeb; minutes: number }> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock })
  const spider = { ...offers, seeds: model.seeds() }
  const run = crawl({
    spider,
    policies: polite(),
    clock,
    fetcher: web,
    randomSeed: 'the same each time',
    patienceMs: 60 * MINUTE_MS,
  })
  const report = await clock.run(() => run.run())
  const items: Offer[] = []
  for await (const offer of run.items()) items.push(offer)
  return { report, items, web, minutes: (clock.now() - startedAt) / MINUTE_MS }
}

describe('the crawl of a shop that goes down meanwhile', () => {
  it('finds every offer once, with its price', async () => {
    const { report, items } = await crawlShop()

    expect(report.ended).toBe('done')
    const expected = model.expected.products().map(({ name, price }) => `${name} ${String(price)}`)
    expect(items.map(({ name, price }) => `${name} ${String(price)}`).sort()).toEqual(expected.sort())
  })

  it('leaves the shop alone while it is down, and is through within half an hour', async () => {
    const { web, minutes } = await crawlShop()

    const { log } = web.felt('shop.test')
    const sinceFirst = log.map(({ at }) => (at - (log[0]?.at ?? 0)) / MINUTE_MS)
    expect(sinceFirst.filter((minute) => minute > 1 && minute < 9).length).toBeLessThan(10)
    expect(minutes).toBeGreaterThan(10)
    expect(minutes).toBeLessThan(30)
  })
})
