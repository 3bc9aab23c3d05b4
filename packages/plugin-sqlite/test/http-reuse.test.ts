// A crawl that goes by the rules of HTTP caching: what its server felt over several runs, and what handlers saw.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, memoryFrontier, unpaced, type CrawlConfig, type Page } from '@avocet/core'
import type { Fetcher, Outbound } from '@avocet/core/store'
import { responseCache } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const START = Date.UTC(2026, 2, 1, 12)
const MINUTE_MS = 60_000
const URL_OF_SHOP = 'http://shop.test/'

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

let folder: string
let felt: string[]
let answer: (outbound: Outbound) => Answer

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-reuse-'))
  felt = []
})
afterEach(() => rmSync(folder, { recursive: true }))

/** A server without a network: it answers within the call, and keeps a log. */
const fetcher: Fetcher = {
  fetch(outbound, receiver) {
    const { method, url, headers } = outbound
    const condition = headers['if-none-match'] ?? headers['if-modified-since']
    receiver.sent()
    felt.push([method, new URL(url).pathname, ...(condition === undefined ? [] : [condition])].join(' '))
    const { status = 200, headers: fields = {}, body = '' } = answer(outbound)
    const head = { status, headers: { 'content-type': 'text/html', ...fields } }
    receiver.headers(head)
    const bytes = Buffer.from(body)
    const timings = { firstByteMs: 1, bodyMs: 1, reusedSocket: true }
    receiver.done({ ...head, url, body: bytes, wireBytes: bytes.byteLength, timings })
    return () => {}
  },
  close: async () => {},
}

interface Run extends Partial<CrawlConfig> {
  /** After the first run. */
  readonly afterMs?: number
  readonly rules?: 'http' | 'none'
  readonly seeds?: CrawlConfig['spider']['seeds']
}

/** Runs to its end; gives what the handler saw, and what the server felt in this run. */
async function run({ afterMs = 0, rules = 'http', seeds = [URL_OF_SHOP], ...more }: Run = {}): Promise<{
  seen: string[]
  felt: string[]
}> {
  felt = []
  const seen: string[] = []
  const handler = (page: Page): [] => (
    seen.push(`${page.response.status} ${page.changed} ${Buffer.from(page.response.body).toString()}`),
    []
  )
  const clock = new VirtualClock({ startAt: START + afterMs })
  const spider = { name: 'shop', seeds, handlers: { start: handler } }
  const { plugins = [], ...others } = more
  const cache = responseCache(join(folder, 'shop.cache'), { rules })
  const config = {
    spider,
    policies: [unpaced()],
    patienceMs: 0,
    maxTimeMs: 1_000,
    ...others,
    clock,
    fetcher,
    plugins: [...plugins, cache],
  }
  await clock.run(() => crawl(config).run())
  return { seen, felt }
}

describe('a response that is fresh', () => {
  it('answers in the next run without a request, until its max-age is over', async () => {
    answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: 'tea' })

    const runs = [await run(), await run({ afterMs: 9 * MINUTE_MS }), await run({ afterMs: 11 * MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], [], ['GET /']])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], ['200 first tea'], ['200 first tea']])
  })

  it('is requested all the same without the rules', async () => {
    answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: 'tea' })

    const runs = [await run(), await run({ rules: 'none' })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /']])
  })

  it('answers in recrawl rounds: by its status 304 where the crawl knows a validator, else with its body; the page is unchanged', async () => {
    const recrawl = [{ everyMs: MINUTE_MS }]
    for (const validator of [{ etag: '"1"' }, {}]) {
      const frontier = memoryFrontier()
      rmSync(join(folder, 'shop.cache'), { force: true })
      answer = () => ({ headers: { 'cache-control': 'max-age=600', ...validator }, body: 'tea' })

      const first = await run({ recrawl, frontier })
      const second = await run({ recrawl, frontier, afterMs: 2 * MINUTE_MS })

      expect(first).toEqual({ felt: ['GET /'], seen: ['200 first tea'] })
      expect(second).toEqual({ felt: [], seen: 'etag' in validator ? [] : ['200 unchanged tea'] })
    }
  })

  it('is asked about where a seed or a link asks for the page again', async () => {
    answer = ({ headers }) =>
      headers['if-none-match'] === '"1"'
        ? { status: 304 }
        : { headers: { 'cache-control': 'max-age=600', etag: '"1"' }, body: 'tea' }
    const frontier = memoryFrontier()
    await run({ frontier })

    const { felt } = await run({ frontier, afterMs: MINUTE_MS, seeds: [{ url: URL_OF_SHOP, again: true }] })

    expect(felt).toEqual(['GET / "1"'])
  })

  it('leads where it redirected to, without a request', async () => {
    answer = ({ url }) =>
      url.endsWith('/there')
        ? { headers: { 'cache-control': 'max-age=600' }, body: 'tea' }
        : { status: 301, headers: { location: '/there', 'cache-control': 'max-age=600' } }

    const runs = [await run(), await run({ afterMs: MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /', 'GET /there'], []])
    expect(runs[1]?.seen).toEqual(['200 first tea'])
  })

  it('is believed by neither a clock that went back nor a server whose clock is a year off', async () => {
    const date = 'Sat, 01 Mar 2025 12:00:00 GMT'
    answer = () => ({ headers: { date, expires: 'Sat, 01 Mar 2025 12:10:00 GMT' }, body: 'tea' })

    await run()

    expect((await run({ afterMs: 9 * MINUTE_MS })).felt).toEqual([])
    expect((await run({ afterMs: 11 * MINUTE_MS })).felt).toEqual(['GET /'])
    expect((await run({ afterMs: -MINUTE_MS })).felt).toEqual(['GET /'])
  })

  it('takes no turn of its host: a hundred pages are there in the time of one', async () => {
    const seeds = Array.from({ length: 100 }, (_, at) => `${URL_OF_SHOP}${at}`)
    answer = () => ({ headers: { 'cache-control': 'max-age=6000' }, body: 'tea' })
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
    answer = withTag

    const runs = [await run(), await run({ afterMs: 2 * MINUTE_MS }), await run({ afterMs: 2.5 * MINUTE_MS })]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET / "1"'], []])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], ['200 first tea'], ['200 first tea']])
  })

  it('is asked about once in recrawl rounds, by the conditions of the crawl, and its 304 makes it fresh', async () => {
    answer = withTag
    const [frontier, recrawl] = [memoryFrontier(), [{ everyMs: MINUTE_MS / 4 }]]

    const runs = []
    for (const afterMs of [0, 2 * MINUTE_MS, 2.5 * MINUTE_MS, 4 * MINUTE_MS]) runs.push(await run({ frontier, recrawl, afterMs }))

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET / "1"'], [], ['GET / "1"']])
    expect(runs.map((each) => each.seen)).toEqual([['200 first tea'], [], [], []])
  })

  it('is replaced by what the server sends', async () => {
    answer = withTag
    await run()
    answer = () => ({ headers: { 'cache-control': 'max-age=60', etag: '"2"' }, body: 'milk' })

    const runs = [await run({ afterMs: 2 * MINUTE_MS }), await run({ afterMs: 2.5 * MINUTE_MS })]

    expect(runs).toEqual([
      { felt: ['GET / "1"'], seen: ['200 first milk'] },
      { felt: [], seen: ['200 first milk'] },
    ])
  })

  it('is no answer to a 304 that nobody asked for', async () => {
    answer = () => ({ headers: { 'cache-control': 'max-age=60' }, body: 'tea' })
    await run()
    answer = () => ({ status: 304 })

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
    answer = ({ headers }) => ({
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
    answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: 'private tea' })

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
    answer = () => ({ headers: { 'cache-control': 'max-age=600', ...headers }, body: 'tea' })

    const runs = [await run(), await run()]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /']])
  })

  it('where the handler would see a reference in place of a secret', async () => {
    answer = () => ({ headers: { 'cache-control': 'max-age=600' }, body: '<a href="/next?token=abcdefgh12345678">' })
    const more = { secretParameters: ['token'], seeds: [URL_OF_SHOP] }

    const runs = [await run(more), await run(more)]

    expect(runs.map((each) => each.felt)).toEqual([['GET /'], ['GET /']])
    expect(runs[1]?.seen).toEqual(runs[0]?.seen)
  })
})
