// Links and seeds with `again`, over runs of one store: their pages are visited once in each run, whatever else is due, and all others once for ever.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, link, spider, type CrawlConfig, type LinkOptions, type Page } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { html, HTML, runs } from '../runs.ts'
import { scriptedWeb } from '../scripted-web.ts'

const HOUR_MS = 3_600_000
const LIST = 'http://shop.test/list'

/** A list that is asked for in each run, of the products in `hrefs`. */
function lists(options: LinkOptions = {}): CrawlConfig['spider'] {
  return spider({
    name: 'lists',
    seeds: [{ url: LIST, again: true }],
    handlers: {
      *start(page: Page) {
        yield { list: page.url.pathname }
        for (const { url } of page.links())
          yield url.includes('/p/') ? link(url, { handler: 'product' }) : link(url, { again: true, ...options })
      },
      *product(page: Page) {
        yield { product: page.url.pathname }
        yield link('/list', { again: true })
      },
    },
  })
}

const SHOP = {
  [LIST]: [html('/list/2', '/p/1'), html('/list/2', '/p/1', '/p/2')],
  'http://shop.test/list/2': html('/list', '/list/2', '/p/3'),
  'http://shop.test/p/1': html(),
  'http://shop.test/p/2': html(),
  'http://shop.test/p/3': html(),
}

describe.each(['memory', 'sqlite'])('links and seeds with again, in a store of %s', (kind) => {
  it('visit lists in each run and products once', async () => {
    const all = await runs(kind, { script: SHOP, spider: lists() }, {}, {}, {})

    expect(all.map(({ asked }) => asked.toSorted())).toEqual([
      ['GET /list', 'GET /list/2', 'GET /p/1', 'GET /p/3'],
      ['GET /list', 'GET /list/2', 'GET /p/2'],
      ['GET /list', 'GET /list/2'],
    ])
    expect(all.map(({ report }) => [report.ended, report.run.items, report.counts.items, report.counts.known])).toEqual([
      ['done', 4, 4, 4],
      ['done', 3, 7, 5],
      ['done', 2, 9, 5],
    ])
  })

  it('of pages that ask for each other end, and so does a run whose pages are all known', async () => {
    const script = {
      [LIST]: html('/a'),
      'http://shop.test/a': html('/b', '/list'),
      'http://shop.test/b': html('/a', '/b', '/list'),
    }
    const all = await runs(kind, { script, spider: lists() }, {}, {})

    expect(all.map(({ asked }) => asked)).toEqual([
      ['GET /list', 'GET /a', 'GET /b'],
      ['GET /list', 'GET /a', 'GET /b'],
    ])
    expect(all.map(({ report }) => report.ended)).toEqual(['done', 'done'])
  })

  it('bring pages back that had failed or moved, and go on to where they lead', async () => {
    const script = {
      [LIST]: html('/gone', '/old'),
      'http://shop.test/gone': [{ status: 404 }, html('/p/9')],
      'http://shop.test/old': { status: 301, headers: { location: '/new' } },
      'http://shop.test/new': html(),
      'http://shop.test/p/9': html(),
    }
    const all = await runs(kind, { script, spider: lists() }, {}, {})

    expect(all[0]?.asked.toSorted()).toEqual(['GET /gone', 'GET /list', 'GET /new', 'GET /old'])
    expect(all[1]?.asked.toSorted()).toEqual(['GET /gone', 'GET /list', 'GET /new', 'GET /old', 'GET /p/9'])
    expect(all[1]?.report.counts).toMatchObject({ done: 4, moved: 1, failed: 0 })
  })

  it('visit the target of a new link that an earlier run has visited', async () => {
    const script = {
      [LIST]: [html('/new'), html('/old', '/new/')],
      'http://shop.test/new': html(),
      'http://shop.test/old': { status: 302, headers: { location: '/new' } },
      'http://shop.test/new/': html(),
    }
    const asksForOld = spider({
      name: 'old',
      seeds: [{ url: LIST, again: true }],
      handlers: {
        *start(page) {
          for (const { url } of page.links()) yield link(url, { again: url.endsWith('/old') })
        },
      },
    })
    const all = await runs(kind, { script, spider: asksForOld }, {}, {})

    expect(all[1]?.asked.toSorted()).toEqual(['GET /list', 'GET /new', 'GET /new/', 'GET /old'])
  })

  it('send a POST once in each run', async () => {
    const script = { [LIST]: html('/search'), 'http://shop.test/search': html() }
    const all = await runs(kind, { script, spider: lists({ method: 'POST', body: 'q=tea' }) }, {}, {})

    expect(all.map(({ asked }) => asked)).toEqual([
      ['GET /list', 'POST /search'],
      ['GET /list', 'POST /search'],
    ])
  })

  it('leave the rounds of a rule where they are', async () => {
    const recrawl = [{ everyMs: 2 * HOUR_MS, match: 'start' }]
    const once = { ...SHOP, [LIST]: html() }
    const maxTimeMs = HOUR_MS / 24
    const all = await runs(
      kind,
      { script: once, spider: lists(), apartMs: HOUR_MS },
      { recrawl, maxTimeMs },
      { recrawl, maxTimeMs },
      { recrawl, maxTimeMs: HOUR_MS / 12 },
      { recrawl, maxTimeMs },
      { recrawl, maxTimeMs: 2 * HOUR_MS },
    )

    // Hour by hour; the third run finds the round due, the fifth is there for two of them.
    expect(all.map(({ asked }) => asked.length)).toEqual([1, 1, 1, 1, 2])
    const again = all.map(({ report }) => report.counts.again)
    expect(again).toEqual([1, 1, 1, 1, 1])
  })

  it('are conditional where a rule has the page visited again: unchanged, and then its handler does not run', async () => {
    const recrawl = [{ everyMs: 100 * HOUR_MS, match: 'start' }]
    const etag = { ...HTML, etag: '"1"' }
    const script = {
      [LIST]: [
        { headers: etag, body: '' },
        { status: 304, headers: etag },
        { status: 304, headers: etag },
        { headers: etag, body: '' },
      ],
    }
    const all = await runs(
      kind,
      { script, spider: lists() },
      { recrawl, maxTimeMs: 1_000 },
      { recrawl, maxTimeMs: 1_000 },
      {},
      {},
    )

    expect(all.map(({ report }) => report.run.items)).toEqual([1, 0, 0, 1])
    expect(all.map(({ report }) => report.counts.done)).toEqual([1, 1, 1, 1])
  })

  it('wait for the next run where a limit ends this one, whatever that one asks for', async () => {
    const script = { [LIST]: html('/a', '/b'), 'http://shop.test/a': html(), 'http://shop.test/b': html() }
    const asksForNothing = spider({ name: 'nothing', seeds: [LIST], handlers: { *start() {} } })
    const all = await runs(kind, { script, spider: lists() }, {}, { maxPages: 2 }, { spider: asksForNothing }, {})

    expect(all.map(({ asked }) => asked)).toEqual([
      ['GET /list', 'GET /a', 'GET /b'],
      ['GET /list', 'GET /a'],
      ['GET /b'],
      ['GET /list', 'GET /a', 'GET /b'],
    ])
    expect(all[1]?.report.counts).toMatchObject({ waiting: 0, done: 3, again: 1 })
    expect(all[1]?.records.at(-1)).toMatchObject({ url: 'http://shop.test/b', asked: { by: LIST } })
    expect(all.at(-1)?.records.filter(({ asked }) => asked !== undefined)).toEqual([])
  })

  it('do not count as new, and stay in scope', async () => {
    const script = {
      [LIST]: html('/a', '/b', '/c', 'http://other.test/'),
      'http://shop.test/a': html(),
      'http://shop.test/b': html(),
      'http://shop.test/c': html(),
    }
    const all = await runs(kind, { script, spider: lists() }, {}, {})

    expect(all.map(({ asked }) => new Set(asked).size)).toEqual([4, 4])
    expect(all[1]?.asked).toHaveLength(4)
    expect(all.map(({ report }) => report.run.added)).toEqual([3, 0])
    expect(all[1]?.report.counts).toMatchObject({ known: 4, waiting: 0, done: 4 })
  })

  it('are refused by a plugin like any link', async () => {
    const plugins = [
      {
        name: 'no',
        onDiscover(discovery: { readonly url: string; refuse(reason: string): void }) {
          if (discovery.url.endsWith('/list/2')) discovery.refuse('no')
        },
      },
    ]
    const all = await runs(kind, { script: SHOP, spider: lists() }, {}, { plugins })

    expect(all[1]?.asked).toEqual(['GET /list', 'GET /p/2'])
  })
})

describe('several processes of one crawl', () => {
  it('that run at the same time visit what both ask for once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-asked-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const web = scriptedWeb(clock, SHOP)
    const one = async (): Promise<void> => {
      const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
      await crawl({ spider: lists(), policies: [], delayMs: 10, randomSeed: 'two', clock, fetcher: web, frontier }).run()
      await frontier.close()
    }
    await clock.run(one)
    const before = web.seen.length
    await clock.run(() => Promise.all([one(), one(), one()]))

    const asked = web.seen.slice(before).map(({ outbound: { url } }) => new URL(url).pathname)
    expect(asked.toSorted()).toEqual(['/list', '/list/2', '/p/2'])
  })
})
