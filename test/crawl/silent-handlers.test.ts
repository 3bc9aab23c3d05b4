// A handler that yields nothing, page after page: told of once, and only where nothing ever came of it.
import { link, spider, type Spider } from '@avocet/core'
import { describe, expect, it } from 'vitest'
import { run } from './harness.ts'

const HOST = 'http://shop.test'
const pages = Array.from({ length: 25 }, (_, n) => `${HOST}/${n}`)
const script = Object.fromEntries(pages.map((url) => [url, { body: 'ok' }]))

async function silentWith(offer: Spider['handlers'][string], count = 25): Promise<readonly object[]> {
  const handlers: Spider['handlers'] = {
    *start() {
      for (const url of pages.slice(1, count)) yield link(url, { handler: 'offer' })
    },
    offer,
  }
  const { report } = await run(script, { spider: spider({ name: 'shop', seeds: [`${HOST}/0`], handlers }), delayMs: 0 })
  expect(report.ended).toBe('done')
  return report.silentHandlers
}

describe('a handler that yields nothing', () => {
  it('for any of its pages is told of at the end, once', async () => {
    expect(await silentWith(() => [])).toEqual([{ handler: 'offer', pages: 24, url: `${HOST}/24` }])
  })

  it('for nine pages is not', async () => {
    expect(await silentWith(() => [], 10)).toEqual([])
  })

  it('until its last page is not', async () => {
    let times = 0
    expect(await silentWith(() => (++times === 24 ? [{ n: 1 }] : []))).toEqual([])
  })

  it('after it has yielded once is not', async () => {
    let times = 0
    expect(await silentWith(() => (++times === 1 ? [{ n: 1 }] : []))).toEqual([])
  })

  it('because its pages are as they were is not', async () => {
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
    expect(report.silentHandlers).toEqual([])
  })
})
