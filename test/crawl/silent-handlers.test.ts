// A handler that yields nothing, page after page: a broken layout of its host, over all runs.
import { link, memoryFrontier, spider, type Spider } from 'avocet'
import { describe, expect, it } from 'vitest'
import { run } from './harness.ts'

const HOST = 'http://shop.test'
const pages = Array.from({ length: 25 }, (_, n) => `${HOST}/${n}`)
const script = Object.fromEntries(pages.map((url) => [url, { body: 'ok' }]))

async function silentWith(offer: Spider['handlers'][string], count = 25): Promise<readonly string[]> {
  const handlers: Spider['handlers'] = {
    *start() {
      for (const url of pages.slice(1, count)) yield link(url, { handler: 'offer' })
    },
    offer,
  }
  const { report } = await run(script, { spider: spider({ name: 'shop', seeds: [`${HOST}/0`], handlers }), delayMs: 0 })
  expect(report.ended).toBe('done')
  return report.driedUp.map(({ why }) => why)
}

describe('a handler that yields nothing', () => {
  it('is named once, at the end of the run', async () => {
    expect(await silentWith(() => [])).toEqual(['neither an item nor a link from any of 24 pages of handler offer'])
  })

  it('is not named after nine pages', async () => {
    expect(await silentWith(() => [], 10)).toEqual([])
  })

  it('is not named if its last page yields an item', async () => {
    let times = 0
    expect(await silentWith(() => (++times === 24 ? [{ n: 1 }] : []))).toEqual([])
  })

  it('is not named if its first page yielded a link', async () => {
    let times = 0
    expect(await silentWith(() => (++times === 1 ? [link(`${HOST}/0`)] : []))).toEqual([])
  })

  it('is not named if its pages are unchanged since the last visit', async () => {
    const { report } = await run(
      {
        [`${HOST}/0`]: [
          { body: 'ok', headers: { etag: '"1"' } },
          ...Array.from({ length: 15 }, () => ({ status: 304, body: '' })),
        ],
      },
      {
        spider: spider({
          name: 'shop',
          seeds: [`${HOST}/0`],
          handlers: { start: (page) => (page.visit === 0 ? [{ n: 1 }] : []) },
          unchanged: () => [],
        }),
        recrawl: [{ everyMs: 60_000 }],
        maxTimeMs: 20 * 60_000,
      },
    )
    expect(report.driedUp).toEqual([])
  })

  it('in this run, but items in an earlier one, has dried up, which is told once', async () => {
    const frontier = memoryFrontier()
    let times = 0
    const handlers: Spider['handlers'] = {
      *start(page) {
        yield { first: page.url.pathname }
        for (const url of pages.slice(1)) yield link(url, { handler: 'offer' })
      },
      offer: () => (++times <= 8 ? [{ n: times }] : []),
    }
    const half = spider({ name: 'shop', seeds: [`${HOST}/0`], handlers })
    await run(script, { spider: half, delayMs: 0, frontier, maxPages: 9 })
    const { report } = await run(script, { spider: half, delayMs: 0, frontier })

    expect(report.driedUp).toMatchObject([{ hostKey: 'shop.test', handler: 'offer', items: 8, barren: 16 }])
    expect(report.driedUp).toHaveLength(1)
  })

  it('for nine pages of a run and one of the next is told of with all ten', async () => {
    const frontier = memoryFrontier()
    const none = spider({ name: 'shop', seeds: pages.slice(0, 10), handlers: { start: () => [] } })
    expect((await run(script, { spider: none, delayMs: 0, frontier, maxPages: 9 })).report.driedUp).toEqual([])
    const { report } = await run(script, { spider: none, delayMs: 0, frontier })

    expect(report.driedUp).toMatchObject([{ handler: 'start', items: 0, barren: 10 }])
    expect(report.conditions).toEqual({ 'broken layout': 1 })
  })
})
