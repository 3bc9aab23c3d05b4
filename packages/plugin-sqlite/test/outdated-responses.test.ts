// When a kept response answers no more, and what is never taken from it: what the server has said since counts.
import { definePlugin, memoryFrontier, type CrawlConfig } from 'avocet'
import { describe, expect, it } from 'vitest'
import { MINUTE_MS, newFolders, run, site, URL_OF_SHOP } from './reusing-crawl.ts'

newFolders()

const FRESH = { 'cache-control': 'max-age=6000' }

describe('a kept response', () => {
  it.each([
    ['grew too large to be kept', { body: 'n'.repeat(9 * 2 ** 20) }],
    ['is not found', { status: 404 }],
    ['is gone', { status: 410 }],
  ])('answers no more, however fresh, once the page %s', async (_what, later) => {
    const [frontier, seeds] = [memoryFrontier(), [{ url: URL_OF_SHOP, again: true }]]
    site.answer = () => ({ headers: FRESH, body: 'tea' })
    await run({ frontier })
    site.answer = () => later
    await run({ frontier, seeds, afterMs: MINUTE_MS })

    const { felt } = await run({ afterMs: 2 * MINUTE_MS })

    expect(felt).toEqual(['GET /'])
  })

  it('answers no more once something was posted to its URL, unless that failed', async () => {
    const post = { url: URL_OF_SHOP, method: 'POST', body: 'price=3' }
    site.answer = () => ({ headers: FRESH, body: 'tea' })
    await run()
    site.answer = ({ method }) => (method === 'POST' ? { status: 500 } : { headers: FRESH, body: 'milk' })
    await run({ seeds: [post], afterMs: MINUTE_MS })
    const afterFailure = await run({ afterMs: MINUTE_MS })
    site.answer = ({ method }) => (method === 'POST' ? {} : { headers: FRESH, body: 'milk' })
    await run({ seeds: [post], afterMs: MINUTE_MS })

    const afterPost = await run({ afterMs: MINUTE_MS })

    expect([afterFailure.seen, afterPost.seen]).toEqual([['200 first tea'], ['200 first milk']])
  })

  it('answers no more once something was posted to its URL, also when that was before it was in the file', async () => {
    const post = { url: URL_OF_SHOP, method: 'POST', body: 'price=3' }
    site.answer = ({ method }) => (method === 'POST' ? {} : { headers: FRESH, body: 'tea' })
    const { felt } = await run({ seeds: [{ url: URL_OF_SHOP, priority: 1 }, post] })
    site.answer = () => ({ headers: FRESH, body: 'milk' })

    const { seen } = await run({ afterMs: MINUTE_MS })

    expect([felt, seen]).toEqual([['GET /', 'POST /'], ['200 first milk']])
  })

  it('is no answer where a rule of the browser has the page built, whether it was kept as it came or as it was built', async () => {
    const browser: CrawlConfig['browser'] = {
      maxPages: 1,
      renders: () => true,
      fetcherIn: ({ http }) => ({ fetch: (outbound, ...rest) => http.fetch(outbound, ...rest), close: async () => {} }),
    }
    site.answer = ({ render }) => ({ headers: FRESH, body: render ? 'built' : 'shell' })

    const runs = [await run(), await run({ browser }), await run({ browser }), await run()]

    expect(runs.map((each) => each.seen)).toEqual([
      ['200 first shell'],
      ['200 first built'],
      ['200 first built'],
      ['200 first shell'],
    ])
  })

  it('leaves the cookie of a 304 to those who keep cookies', async () => {
    const cookies: unknown[] = []
    const watch = definePlugin({
      name: 'watch',
      onResponse: ({ response }) => void cookies.push(response.headers['set-cookie']),
    })
    site.answer = () => ({ headers: { 'cache-control': 'max-age=60', etag: '"1"' }, body: 'tea' })
    await run()
    site.answer = () => ({ status: 304, headers: { 'set-cookie': 'id=8' } })

    const { seen } = await run({ plugins: [watch], afterMs: 2 * MINUTE_MS })

    expect([seen, cookies]).toEqual([['200 first tea'], ['id=8']])
  })
})
