// A handler that is renamed between two runs: its pages are not requested for nothing, and wait for a run whose spider has the name.
import { link, spider, type Spider } from 'avocet'
import { describe, expect, it } from 'vitest'
import { html, runs } from './runs.ts'

const SHOP = 'http://shop.test'
const PRODUCTS = Array.from({ length: 30 }, (_, n) => `/product-${String(n)}`)
const script = Object.fromEntries(['/', ...PRODUCTS].map((path) => [SHOP + path, html()]))

/** A shop whose handler of products has this name. */
function shop(name: string): { readonly spider: Spider } {
  return {
    spider: spider({
      name: 'shop',
      seeds: [`${SHOP}/`],
      handlers: {
        *start() {
          for (const path of PRODUCTS) yield link(path, { handler: name })
        },
        *[name](page) {
          yield { path: page.url.pathname }
        },
      },
    }),
  }
}

describe.each(['memory', 'sqlite'])('pages whose handler was renamed, in a store of %s,', (kind) => {
  it('are not requested while the spider does not have it, which is said with their number', async () => {
    const [, second] = await runs(kind, { script, ...shop('product') }, { maxPages: 1 }, shop('item'))

    expect(second?.asked).toEqual([])
    expect(second?.report.failures).toEqual([{ reason: 'handler-unknown', count: 30 }])
    expect([second?.report.handlerErrors, second?.report.problems]).toEqual([
      [],
      [
        {
          message:
            'requests for the handler product, which neither the spider (it has: start, item) nor a plugin has, are not sent; the next run that has it sends them',
          count: 30,
        },
      ],
    ])
  })

  it('are requested once the name is back', async () => {
    const renamed = shop('item')
    const [, , third, fourth] = await runs(
      kind,
      { script, ...shop('product') },
      { maxPages: 1 },
      renamed,
      renamed,
      shop('product'),
    )

    expect(third?.asked).toEqual([])
    expect(fourth?.asked).toHaveLength(30)
    expect(fourth?.report.counts).toMatchObject({ done: 31, failed: 0, items: 30 })
  })

  it('are due in no round while the spider does not have it', async () => {
    const hourly = { recrawl: [{ everyMs: 3_600_000 }], maxTimeMs: 2.5 * 3_600_000 }
    const [, second, third] = await runs(
      kind,
      { script, ...shop('product'), apartMs: 1_000 },
      { ...hourly, maxTimeMs: 1_800_000 },
      { ...hourly, ...shop('item') },
      { ...hourly, ...shop('product') },
    )

    // Once as the page of a new handler, then every hour.
    const visits = [second, third].map((run) => run?.asked.filter((line) => line === 'GET /product-7').length)
    expect(visits).toEqual([3, 3])
    expect(third?.report.counts.failed).toBe(0)
  })
})
