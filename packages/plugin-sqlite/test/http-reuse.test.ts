// A crawl that goes by the rules of HTTP caching: what its server felt over several runs, and what handlers saw.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, memoryFrontier, type CrawlConfig } from 'avocet'
import type { Outbound } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { type Answer, MINUTE_MS, newFolders, run, site, URL_OF_SHOP } from './reusing-crawl.ts'

newFolders()

describe('a response that is fresh', () => {
  it('answers in the next run without a request, until its max-age is over', async () => {
    site.answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: 'tea' })

    const runs = [await run(), await run({ afterMs: 9 * MINUTE_MS }), await run({ afterMs: 11 * MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], [], ['GET /']])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], ['200 first tea'], ['200 first tea']])
  })

  it('is requested all the same without the rules', async () => {
    site.answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: 'tea' })

    const runs = [await run(), await run({ rules: 'none' })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /']])
  })

  it('answers in recrawl rounds: by its status 304 where the crawl knows a validator, else with its body; the page is unchanged', async () => {
    const recrawl = [{ everyMs: MINUTE_MS }]
    for (const validator of [{ etag: '"1"' }, {}]) {
      const frontier = memoryFrontier()
      rmSync(join(site.folder, 'shop.cache'), { force: true })
      site.answer = () => ({ headers: { 'cache-control': 'max-age=600', ...validator }, body: 'tea' })

      const first = await run({ recrawl, frontier })
      const second = await run({ recrawl, frontier, afterMs: 2 * MINUTE_MS })

      expect(first).toEqual({ felt: ['GET /'], seen: ['200 first tea'] })
      expect(second).toEqual({ felt: [], seen: 'etag' in validator ? [] : ['200 unchanged tea'] })
    }
  })

  it('is asked about where a seed or a link asks for the page again', async () => {
    site.answer = ({ headers }) =>
      headers['if-none-match'] === '"1"'
        ? { status: 304 }
        : { headers: { 'cache-control': 'max-age=600', etag: '"1"' }, body: 'tea' }
    const frontier = memoryFrontier()
    await run({ frontier })

    const { felt } = await run({ frontier, afterMs: MINUTE_MS, seeds: [{ url: URL_OF_SHOP, again: true }] })

    expect(felt).toEqual(['GET / "1"'])
  })

  it('leads where it redirected to, without a request', async () => {
    site.answer = ({ url }) =>
      url.endsWith('/there')
        ? { headers: { 'cache-control': 'max-age=600' }, body: 'tea' }
        : { status: 301, headers: { location: '/there', 'cache-control': 'max-age=600' } }

    const runs = [await run(), await run({ afterMs: MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /', 'GET /there'], []])
    expect(runs[1]?.seen).toEqual(['200 first tea'])
  })

  it('is believed by neither a clock that went back nor a server whose clock is a year off', async () => {
    const date = 'Sat, 01 Mar 2025 12:00:00 GMT'
    site.answer = () => ({ headers: { date, expires: 'Sat, 01 Mar 2025 12:10:00 GMT' }, body: 'tea' })

    await run()

    expect((await run({ afterMs: 9 * MINUTE_MS })).felt).toEqual([])
    expect((await run({ afterMs: 11 * MINUTE_MS })).felt).toEqual(['GET /'])
    expect((await run({ afterMs: -MINUTE_MS })).felt).toEqual(['GET /'])
  })

  it('takes no turn of its host: a hundred pages are there in the time of one', async () => {
    const seeds = Array.from({ length: 100 }, (_, at) => `${URL_OF_SHOP}${at}`)
    site.answer = () => ({ headers: { 'cache-control': 'max-age=6000' }, body: 'tea' })
    await run({ seeds })

    const { seen, felt } = await run({ seeds, afterMs: MINUTE_MS, delayMs: 1_000 })

    expect([seen.length, felt.length]).toEqual([100, 0])
  })
})

describe('a response that is stale', () => {
  const withTag = ({ headers }: Outbound): Answer =>
    headers['if-none-match'] === '"1"'
      ? { status: 304, headers: { 'cache-control': 'max-age=60', etag: '"1"', 'x-seen': 'twice' } }
      : { headers: { 'cache-control': 'max-age=60', etag: '"1"', 'x-seen': 'once' }, body: 'tea' }

  it('is asked about, and after a 304 the handler sees the kept page; then it is fresh for as long again', async () => {
    site.answer = withTag

    const runs = [await run(), await run({ afterMs: 2 * MINUTE_MS }), await run({ afterMs: 2.5 * MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET / "1"'], []])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], ['200 first tea'], ['200 first tea']])
  })

  it('is requested without conditions by the server that answers 412 to them, once', async () => {
    site.answer = (outbound) => (outbound.headers['if-none-match'] === undefined ? withTag(outbound) : { status: 412 })

    const runs = [await run(), await run({ afterMs: 2 * MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET / "1"', 'GET /']])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], ['200 first tea']])
  })

  it('is asked about once in recrawl rounds, by the conditions of the crawl, and its 304 makes it fresh', async () => {
    site.answer = withTag
    const [frontier, recrawl] = [memoryFrontier(), [{ everyMs: MINUTE_MS / 4 }]]

    const runs = []
    for (const afterMs of [0, 2 * MINUTE_MS, 2.5 * MINUTE_MS, 4 * MINUTE_MS]) runs.push(await run({ frontier, recrawl, afterMs }))

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET / "1"'], [], ['GET / "1"']])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], [], [], []])
  })

  it('is replaced by what the server sends', async () => {
    site.answer = withTag
    await run()
    site.answer = () => ({ headers: { 'cache-control': 'max-age=60', etag: '"2"' }, body: 'milk' })

    const runs = [await run({ afterMs: 2 * MINUTE_MS }), await run({ afterMs: 2.5 * MINUTE_MS })]

    expect(runs).toEqual([
      { felt: ['GET / "1"'], seen: ['200 first milk'] },
      { felt: [], seen: ['200 first milk'] },
    ])
  })

  it('is no answer to a 304 that nobody asked for', async () => {
    site.answer = () => ({ headers: { 'cache-control': 'max-age=60' }, body: 'tea' })
    await run()
    site.answer = () => ({ status: 304 })

    expect((await run({ afterMs: 2 * MINUTE_MS })).seen).toEqual([])
  })
})

describe('a response answers nobody else', () => {
  const agent = (value: string | undefined): NonNullable<CrawlConfig['plugins']> => [
    definePlugin({
      name: 'agent',
      beforeRequest: (outgoing) => (value === undefined ? undefined : outgoing.setHeader('x-language', value)),
    }),
  ]

  it('than a request with the same header fields that Vary names, whatever plugin sets them, also after the cache', async () => {
    site.answer = ({ headers }) => ({
      headers: { 'cache-control': 'max-age=600', vary: 'X-Language' },
      body: headers['x-language'] ?? 'none',
    })
    await run({ plugins: agent('de') })

    expect((await run({ plugins: agent('de') })).felt).toEqual([])
    expect((await run({ plugins: agent('en') })).seen).toEqual(['200 first en'])
    expect((await run({ plugins: agent(undefined) })).felt).toEqual(['GET /'])
  })

  it.each([
    ['cookie', { plugins: [definePlugin({ name: 'c', beforeRequest: (outgoing) => outgoing.setHeader('cookie', 'id=7') })] }],
    ['authorization', { headers: { authorization: 'Bearer abcdefgh12345678' } }],
    ['credentials of a seed', { seeds: [{ url: URL_OF_SHOP, headers: { authorization: 'Bearer abcdefgh12345678' } }] }],
  ])('of another run, where it was requested with a secret: %s', async (_what, more) => {
    site.answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: 'private tea' })

    const runs = [await run(more), await run(more), await run()]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /'], ['GET /']])
  })

  it.each([
    ['that set a cookie', { headers: { 'set-cookie': 'id=7' } }],
    ['with no-store', { headers: { 'cache-control': 'max-age=600, no-store' } }],
    ['with Vary: *', { headers: { vary: '*' } }],
    ['for shared caches alone', { headers: { 'cache-control': 's-maxage=600' } }],
    ['that says nothing', { headers: { 'cache-control': '' } }],
  ])('where it is one %s', async (_what, { headers }) => {
    site.answer = () => ({ headers: { 'cache-control': 'max-age=600', ...headers }, body: 'tea' })

    const runs = [await run(), await run()]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /']])
  })

  it('where the handler would see a reference in place of a secret', async () => {
    site.answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: '<a href="/next?token=abcdefgh12345678">' })
    const more = { secretParameters: ['token'], seeds: [URL_OF_SHOP] }

    const runs = [await run(more), await run(more)]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /']])
    expect(runs[1]?.seen).toEqual(runs[0]?.seen)
  })
})
