// Whole crawls of the named worlds on virtual time: what a crawl finds is what the model says is there, and the same seed decides the same.
import { crawl, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Json } from 'avocet'
import { describe, expect, it } from 'vitest'
import {
  decisionLog,
  quotes,
  roughForty,
  shops,
  simulatedWeb,
  VirtualClock,
  type SimulatedWeb,
  type SiteModel,
} from '../src/index.ts'

async function crawled(
  model: SiteModel,
  config: Omit<CrawlConfig, 'clock' | 'fetcher' | 'frontier'>,
): Promise<{ report: CrawlReport; items: Json[]; log: string[]; web: SimulatedWeb; tookMs: number }> {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const web = simulatedWeb(model, { clock })
  const log: string[] = []
  const subject = crawl({
    policies: [],
    randomSeed: 'a',
    ...config,
    clock,
    frontier,
    fetcher: web,
    plugins: [...(config.plugins ?? []), decisionLog(log)],
  })
  const report = await clock.run(() => subject.run())
  const items = (await frontier.reader.items({ afterSeq: 0, limit: 100_000 })).map(({ json }) => JSON.parse(json) as Json)
  return { report, items, log, web, tookMs: clock.monotonic() }
}

const pagesSpider = (model: SiteModel): CrawlConfig['spider'] =>
  spider({
    name: 'pages',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        if (page.isHtml) yield { url: page.url.href }
        yield* page.links()
      },
    },
  })

const sorted = (list: readonly unknown[]): string[] => list.map((entry) => JSON.stringify(entry)).sort()

describe('worlds', () => {
  it('shops: a spider finds every product at its price', async () => {
    const model = shops(2)
    const shopSpider = spider({
      name: 'shops',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          yield* page.links('a.category, a.next')
          yield* page.links('a.product', { handler: 'product' })
        },
        *product(page) {
          yield {
            host: page.url.hostname,
            url: page.url.href,
            sku: page.text('.sku'),
            name: page.text('h1'),
            price: Number(page.text('.price')),
          }
        },
      },
    })

    const { items, web } = await crawled(model, { spider: shopSpider })

    const products = model.expected.products().map(({ host, url, sku, name, price }) => ({ host, url, sku, name, price }))
    expect(sorted(items)).toEqual(sorted(products))
    expect(web.felt('shop-00.test').log.map(({ path }) => path)).not.toContain('/login?next=/')
  })

  it('quotes: a spider finds every quote behind the pager', async () => {
    const model = quotes()
    const quotesSpider = spider({
      name: 'quotes',
      seeds: model.seeds(),
      handlers: {
        *start(page) {
          for (const quote of page.$('.quote')) {
            const $quote = page.$(quote)
            yield {
              text: $quote.find('.text').text(),
              author: $quote.find('.author').text(),
              tags: $quote
                .find('.tag')
                .map((_, tag) => page.$(tag).text())
                .get(),
            }
          }
          yield* page.links('li.next a')
        },
      },
    })

    const { items } = await crawled(model, { spider: quotesSpider })

    expect(sorted(items)).toEqual(sorted(model.expected.quotes().map(({ text, author, tags }) => ({ text, author, tags }))))
  })

  it('rough forty: a polite crawl ends within 45 s with every page of the hosts that are well', async () => {
    const model = roughForty()

    const { report, items, web, tookMs } = await crawled(model, { spider: pagesSpider(model), delayMs: 200, patienceMs: 5_000 })

    expect(tookMs).toBeLessThan(45_000)
    expect(['done', 'patience']).toContain(report.ended)
    const found = new Set(items.map((item) => (item as { url: string }).url))
    for (const word of ['well', 'slow', 'refusing']) {
      const hosts = model.hosts.filter(({ name }) => name.startsWith(word))
      expect(hosts.flatMap(({ name }) => model.urls(name)).filter((url) => !found.has(url))).toEqual([])
    }
    expect(web.felt('well-00.test').maxInFlight).toBe(1)
    // The first request had to connect, 1 ms; the second did not.
    expect(web.felt('well-00.test').minGapMs).toBeGreaterThanOrEqual(199)
  })

  it('decide the same for the same seed, byte for byte, and otherwise for another', async () => {
    const log = async (seed: string): Promise<string> => {
      const model = roughForty(seed)
      return (await crawled(model, { spider: pagesSpider(model), delayMs: 200, patienceMs: 5_000 })).log.join('\n')
    }

    const first = await log('a')

    expect(await log('a')).toBe(first)
    expect(await log('b')).not.toBe(first)
    expect(first.split('\n').length).toBeGreaterThan(2_000)
    expect(first).toMatch(/^1767225600000 well-00\.test 1 admit http:\/\/well-00\.test\/$/m)
  })
})
