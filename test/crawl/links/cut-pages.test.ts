// Honest sites that are wider than their budgets: what a page links to beyond them is followed when the site has given enough.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, memoryFrontier, spider, type Crawl, type CrawlConfig } from 'avocet'
import { CANONICALISATION, type Frontier } from '@avocet/core/store'
import { acceptPatterns } from '@avocet/core/tools'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { crawlWritten, followAll, type Writer, type WrittenRun } from '../written-web.ts'

const a = (href: string): string => `<a href="${href}">more</a>`
const range = (from: number, size: number): number[] => Array.from({ length: size }, (_, n) => from + n)
/** Words of a page that no other has. */
const wordsOf = ({ host, pathname }: URL): string =>
  `<p>all about ${host.replaceAll('.', ' of ')} ${pathname.replaceAll('/', ' in ')} here</p>`

/** What a test may say. */
type Rest = Omit<Partial<CrawlConfig>, 'clock' | 'fetcher'>

const MALL = 'mall.example'
const shopLink = (n: number): string => a(`http://s${n}.${MALL}/`)
/** A shop of ten pages. */
const shop: Writer = (url) =>
  wordsOf(url) +
  (url.pathname === '/'
    ? range(1, 9)
        .map((n) => a(`/${n}`))
        .join('')
    : '')

/** 800 shops on `pages` pages. */
const mallOf =
  (pages: number): Writer =>
  (url) => {
    if (url.host !== `www.${MALL}`) return shop(url)
    const page = Number(url.pathname.slice(1)) || 0
    const next = page + 1 < pages ? a(`/${page + 1}`) : ''
    return `${wordsOf(url)}${next}${range((page * 800) / pages, 800 / pages)
      .map(shopLink)
      .join('')}`
  }

const crawlMall = (pages: number, rest: Rest = {}): Promise<WrittenRun> =>
  crawlWritten(mallOf(pages), { spider: followAll([`http://www.${MALL}/`]), ...rest })

const itemsOf = async (frontier: Frontier): Promise<readonly string[]> =>
  (await frontier.reader.items({ afterSeq: 0, limit: 9_999 })).map(({ json }) => json)

/** Each page of a crawl that visits none again counts once, and so does each item. */
async function expectOnce({ report, frontier }: WrittenRun): Promise<void> {
  const items = await itemsOf(frontier)
  expect(report.run).toMatchObject({ pages: report.counts.known, items: items.length })
  expect(new Set(items).size).toBe(items.length)
}

describe('a mall of 800 hosts', () => {
  it('that are all on one page is asked whole, and that page a few times', async () => {
    const { report, hostsUnder, pagesOf } = await crawlMall(1)

    expect(hostsUnder(`.${MALL}`)).toBe(801)
    expect(report.counts).toMatchObject({ known: 8_001, done: 8_001, waiting: 0, failed: 0 })
    expect(report.ended).toBe('done')
    expect(pagesOf(`www.${MALL}`)).toBeLessThanOrEqual(12)
  })

  it('that are asked side by side counts no page and writes no item twice', async () => {
    const itemOf = ({ host, pathname }: URL): object => ({ host, pathname })
    const run = await crawlMall(1, { spider: followAll([`http://www.${MALL}/`], itemOf), delayMs: 200 })

    expect(run.report.counts).toMatchObject({ known: 8_001, done: 8_001, items: 8_001 })
    await expectOnce(run)
    const { memory = {} } = (await run.frontier.reader.host(`www.${MALL}`)) ?? {}
    expect(JSON.parse(memory['core'] ?? '')).toMatchObject([1, { gave: { pages: 1, items: 1 } }])
  })

  it('that are on eight pages is asked whole', async () => {
    const { report, hostsUnder, pagesOf } = await crawlMall(8)

    expect(hostsUnder(`.${MALL}`)).toBe(801)
    expect(report.counts).toMatchObject({ known: 8_008, done: 8_008 })
    expect(pagesOf(`www.${MALL}`)).toBeLessThanOrEqual(60)
  })

  it('is asked whole by runs that are stopped in the middle', async () => {
    const frontier = memoryFrontier()
    await crawlMall(1, { frontier, maxPages: 1_500 })
    await frontier.close()
    await crawlMall(1, { frontier, maxPages: 1_500 })
    await frontier.close()
    const { report } = await crawlMall(1, { frontier })

    expect(report.counts).toMatchObject({ known: 8_001, done: 8_001, waiting: 0 })
  })
})

const HOST = 'archive.example'
/** A page may add fifty URLs, a host as many, and two more for each page and each item. */
const SMALL = { maxUrlsPerPage: 50, firstUrlsPerHost: 50, urlsPerPage: 0, maxUnpaidUrlsPerHost: 50, urlsPerItem: 2 }

/** `pages` pages of links, with `each` of them on each. */
const sitemapOf =
  (pages: number, each: number): Writer =>
  (url) => {
    if (!url.pathname.startsWith('/list')) return wordsOf(url)
    const page = Number(url.pathname.slice('/list/'.length)) || 0
    const next = page + 1 < pages ? a(`/list/${page + 1}`) : ''
    return `${wordsOf(url)}${next}${range(page * each, each)
      .map((n) => a(`/p/${n}`))
      .join('')}`
  }

const crawlSitemap = (pages: number, each: number, rest: Rest = {}, clock?: VirtualClock): Promise<WrittenRun> =>
  crawlWritten(sitemapOf(pages, each), {
    ...(clock && { clock }),
    spider: followAll([`http://${HOST}/list`], ({ pathname }) => ({ pathname })),
    discoveryLimits: SMALL,
    ...rest,
  })

describe('a list of 1,000 pages', () => {
  it('on one page is crawled whole, though a page may add fifty', async () => {
    const { report, frontier, pagesOf } = await crawlSitemap(1, 1_000)

    expect(report.counts).toMatchObject({ known: 1_001, done: 1_001, waiting: 0, items: 1_001 })
    expect(report.run).toMatchObject({ pages: 1_001, items: 1_001 })
    expect(pagesOf(HOST)).toBeLessThanOrEqual(1_001 + 1_000 / 50 + 12)
    expect(new Set(await itemsOf(frontier)).size).toBe(1_001)
    // Read again, the list earned nothing.
    const { memory = {} } = (await frontier.reader.host(HOST)) ?? {}
    expect(JSON.parse(memory['core'] ?? '')).toMatchObject([1, { gave: { pages: 1_001, items: 1_001, added: 1_000 } }])
    expect(report.closedPatterns).toEqual([])
  })

  it('counts each link once, and as refused only what is not followed', async () => {
    const elsewhere = range(1, 3).map((n) => a(`http://other-${n}.test/`))
    const write: Writer = (url) =>
      wordsOf(url) + (url.pathname === '/list' ? [...elsewhere, ...range(1, 1_000).map((n) => a(`/${n}`))].join('') : '')
    const { report } = await crawlWritten(write, {
      spider: followAll([`http://${HOST}/list`], ({ pathname }) => ({ pathname })),
      discoveryLimits: SMALL,
    })

    expect(report.counts).toMatchObject({ known: 1_001, done: 1_001 })
    expect(report.run).toMatchObject({ links: 1_003, added: 1_000, refusedLinks: 3 })
  })

  it('is read again for a good share of new URLs, not for each few of them', async () => {
    const slow = { ...SMALL, maxUrlsPerPage: 1_000, urlsPerItem: 0.6 }
    const { report, pagesOf } = await crawlSitemap(1, 1_000, { discoveryLimits: slow, delayMs: 200 })

    expect(report.counts).toMatchObject({ known: 1_001, done: 1_001 })
    expect(pagesOf(HOST)).toBeLessThanOrEqual(1_001 + 12)
  })

  it('on twenty pages is crawled whole', async () => {
    const { report, pagesOf } = await crawlSitemap(20, 50)

    expect(report.counts).toMatchObject({ known: 1_020, done: 1_020, waiting: 0 })
    expect(pagesOf(HOST)).toBeLessThanOrEqual(1_020 + 120)
  })

  it('is crawled whole by a spider that yields no items, by one that closes nothing, and page by page in many runs', async () => {
    const plain = await crawlSitemap(1, 1_000, { spider: followAll([`http://${HOST}/list`]) })
    const open = await crawlSitemap(1, 1_000, { discoveryLimits: { ...SMALL, closePatterns: false } })
    const frontier = memoryFrontier()
    for (const _run of range(0, 6)) {
      await crawlSitemap(1, 1_000, { frontier, maxPages: 150 })
      await frontier.close()
    }
    const last = await crawlSitemap(1, 1_000, { frontier })

    for (const { report } of [plain, open, last]) expect(report.counts).toMatchObject({ known: 1_001, done: 1_001 })
  })

  it('waits where its host has given too little, and goes on in a run with larger budgets', async () => {
    const frontier = memoryFrontier()
    const poor = await crawlSitemap(1, 1_000, { frontier, discoveryLimits: { ...SMALL, urlsPerItem: 0 } })
    await frontier.close()
    const again = await crawlSitemap(1, 1_000, { frontier, discoveryLimits: { ...SMALL, urlsPerItem: 0 } })
    await frontier.close()
    const rich = await crawlSitemap(1, 1_000, { frontier })

    expect(poor.report.why).toBe('nothing is waiting but links beyond a budget, of one page')
    expect(rich.report.why).toBe('nothing is waiting')
    expect(poor.report).toMatchObject({ ended: 'done', counts: { known: 51, done: 51, failed: 0 } })
    expect(poor.report.closedPatterns).toMatchObject([{ pattern: `${HOST}/**`, reason: 'new-urls' }])
    expect(poor.report.waitingLinks).toEqual([{ url: `http://${HOST}/list`, links: 950, budget: { kind: 'new-urls' } }])
    expect(rich.report.waitingLinks).toEqual([])
    expect(again.pagesOf(HOST)).toBe(0)
    expect(rich.report.counts).toMatchObject({ known: 1_001, done: 1_001 })
  })

  it('goes on in the run after its host was accepted', async () => {
    const frontier = memoryFrontier()
    const poor = { frontier, discoveryLimits: { ...SMALL, urlsPerItem: 0 } }
    await crawlSitemap(1, 1_000, poor)
    await frontier.close()
    const info = await frontier.open({ name: '', canonicalisation: CANONICALISATION, hostKeying: 'host' }, 0)
    await acceptPatterns(frontier, info, [`${HOST}/**`])
    await frontier.close()
    const { report } = await crawlSitemap(1, 1_000, poor)

    expect(report.counts).toMatchObject({ known: 1_001, done: 1_001 })
  })

  it('is not requested again where it was requested with POST', async () => {
    const { report, pagesOf } = await crawlSitemap(1, 200, {
      spider: spider({
        name: 'search',
        seeds: [{ url: `http://${HOST}/list`, method: 'POST', body: 'q=all' }],
        handlers: {
          *start(page) {
            yield* page.links()
          },
        },
      }),
    })

    expect(report.counts).toMatchObject({ known: 51, done: 51 })
    expect(report.waitingLinks).toEqual([])
    expect(pagesOf(HOST)).toBe(51)
  })

  it('is crawled whole beside a plugin that is asked about every link, and by a page limit of none not at all', async () => {
    const asked = new Set<string>()
    const nosy = definePlugin({ name: 'nosy', onDiscover: ({ url }) => void asked.add(url) })
    const { report, pagesOf } = await crawlSitemap(1, 1_000, { plugins: [nosy] })
    const none = await crawlSitemap(1, 1_000, { discoveryLimits: { ...SMALL, maxUrlsPerPage: 0 } })

    expect(report.counts).toMatchObject({ known: 1_001, done: 1_001 })
    expect(pagesOf(HOST)).toBeLessThanOrEqual(1_001 + 1_000 / 50 + 12)
    expect(asked.size).toBe(1_001)
    expect(none.pagesOf(HOST)).toBe(1)
  })

  it('that is visited again each day keeps its days', async () => {
    const dayMs = 86_400_000
    const { report, pagesOf } = await crawlSitemap(1, 200, {
      recrawl: [{ everyMs: dayMs, match: /list/ }],
      maxTimeMs: 3.5 * dayMs,
    })

    expect(report.counts).toMatchObject({ known: 201, done: 201 })
    expect(pagesOf(HOST)).toBeGreaterThanOrEqual(200 + 4)
    expect(pagesOf(HOST)).toBeLessThanOrEqual(200 + 4 + 12)
  })
})

describe('a list of 1,000 pages that is read again', () => {
  it('when its run dies is read again by the next: its item is there once, and its day stays', async () => {
    const dayMs = 86_400_000
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const frontier = memoryFrontier()
    let isKilled = false
    /** Dies as soon as the list waits to be read again. */
    const kill = (made: Crawl): void => {
      const look = (): void =>
        void clock.at(clock.now() + 5, () => {
          void frontier.reader.requests({ limit: 1 }).then(([list]) => {
            if (isKilled || clock.now() - startedAt > dayMs) return
            isKilled = list?.state === 'waiting' && list.fetchedAt !== undefined
            if (isKilled) made.abort()
            else look()
          })
        })
      look()
    }
    for (const _run of range(0, 2)) {
      const config = {
        frontier,
        clock,
        delayMs: 10,
        drainMs: 0,
        spider: followAll([`http://${HOST}/list`], ({ pathname }) => ({ pathname })),
        discoveryLimits: SMALL,
        recrawl: [{ everyMs: dayMs, match: /list/ }],
        maxTimeMs: dayMs / 2,
      }
      await clock.run(crawlWritten(sitemapOf(1, 1_000), config, kill))
      await frontier.close()
    }

    expect(isKilled).toBe(true)
    const [list] = await frontier.reader.requests({ limit: 1 })
    expect((await itemsOf(frontier)).filter((json) => json.includes('/list'))).toHaveLength(1)
    expect(await frontier.reader.counts()).toMatchObject({ known: 1_001, done: 1_001, items: 1_001 })
    expect(list?.notBefore).toBe(startedAt + dayMs)
  })

  it.each([
    ['is missing once', () => undefined],
    ['leads to a page to log in', () => '/login'],
  ])('and %s keeps the links that wait, and goes on at the end', async (_what, answer) => {
    let reads = 0
    const run = await crawlWritten((url) => (url.pathname === '/list' && ++reads === 2 ? answer() : sitemapOf(1, 1_000)(url)), {
      spider: followAll([`http://${HOST}/list`], ({ pathname }) => ({ pathname })),
      discoveryLimits: SMALL,
    })

    expect(run.report.counts).toMatchObject({ known: 1_001, done: 1_001, moved: 0, failed: 0 })
    expect(run.report.problems.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/archive\.example\/list .* links of it still wait/),
    )
    await expectOnce(run)
  })

  it('and whose handler throws then keeps the links that wait', async () => {
    let reads = 0
    const { report } = await crawlSitemap(1, 1_000, {
      spider: spider({
        name: 'list',
        seeds: [`http://${HOST}/list`],
        handlers: {
          *start(page) {
            if (page.url.pathname === '/list' && ++reads === 2) throw new Error('expected a mark')
            yield { path: page.url.pathname }
            yield* page.links()
          },
        },
      }),
    })

    expect(report.counts).toMatchObject({ known: 1_001, done: 1_001, failed: 0, items: 1_001 })
  })

  it('and is missing from then on is requested twice in a run, and listed with the links that wait', async () => {
    let reads = 0
    const writer: Writer = (url) => (url.pathname === '/list' && ++reads > 1 ? undefined : sitemapOf(1, 1_000)(url))
    const frontier = memoryFrontier()
    const config = {
      frontier,
      spider: followAll([`http://${HOST}/list`], ({ pathname }) => ({ pathname })),
      discoveryLimits: SMALL,
    }
    const first = await crawlWritten(writer, config)
    const readsOfFirst = reads
    await frontier.close()
    await crawlWritten(writer, config)

    expect(readsOfFirst).toBe(3)
    expect(reads).toBeLessThanOrEqual(5)
    expect(first.report.counts).toMatchObject({ known: 51, done: 51, failed: 0 })
    expect(first.report.waitingLinks).toEqual([{ url: `http://${HOST}/list`, links: 950, budget: { kind: 'new-urls' } }])
  })
})

describe('links that are known already', () => {
  /** A list of what is known, of which `more` are not: the budget of its host is used up. */
  const lists =
    (more: number): Writer =>
    (url) => {
      const pages = (count: number): string =>
        range(0, count)
          .map((n) => a(`/p/${n}`))
          .join('')
      if (url.pathname === '/a') return wordsOf(url) + a('/b') + pages(300)
      return url.pathname === '/b' ? wordsOf(url) + pages(300 + more) : wordsOf(url)
    }
  const limits = (urls: number): object => ({
    firstUrlsPerHost: urls,
    urlsPerPage: 0,
    maxUnpaidUrlsPerHost: urls,
    urlsPerItem: 0,
  })
  const nosy = definePlugin({ name: 'nosy', onDiscover() {} })

  it.each([
    ['in a run', {}, []],
    ['in a run with a plugin that is asked about every link', {}, [nosy]],
    ['in a run after one that was stopped', { maxPages: 1 }, []],
  ])('wait for no budget, and bring nobody back to their page: %s', async (_when, first, plugins) => {
    const frontier = memoryFrontier()
    const config = { frontier, spider: followAll([`http://${HOST}/a`]), plugins }
    await crawlWritten(lists(0), { ...config, ...first, discoveryLimits: limits(301) })
    await frontier.close()
    const full = await crawlWritten(lists(0), { ...config, discoveryLimits: limits(301) })
    await frontier.close()
    const raised = await crawlWritten(lists(0), { ...config, discoveryLimits: limits(400) })

    expect(full.report).toMatchObject({ counts: { known: 302, done: 302 }, waitingLinks: [], closedPatterns: [] })
    expect(raised.pagesOf(HOST)).toBe(0)
  })

  it('take no room of those that are new', async () => {
    let reads = 0
    const frontier = memoryFrontier()
    const config = { frontier, spider: followAll([`http://${HOST}/a`]), discoveryLimits: limits(302) }
    const count: Writer = (url) => {
      if (url.pathname === '/b') reads++
      return lists(500)(url)
    }
    await crawlWritten(count, { ...config, maxPages: 1 })
    await frontier.close()
    const { report } = await crawlWritten(count, config)

    expect(report.counts).toMatchObject({ known: 303, done: 303 })
    expect(report.waitingLinks).toEqual([{ url: `http://${HOST}/b`, links: 499, budget: { kind: 'new-urls' } }])
    expect(reads).toBe(1)
  })
})

describe('a page that waits for two sites', () => {
  it('goes on with the one that gives, whichever comes first', async () => {
    const directory: Writer = (url) => {
      if (url.host !== 'dir.example') return url.host.endsWith('.rich.example') ? shop(url) : wordsOf(url)
      const hosts = [...range(0, 5).map((n) => `x${n}.poor.example`), ...range(0, 30).map((n) => `s${n}.rich.example`)]
      return wordsOf(url) + hosts.map((host) => a(`http://${host}/`)).join('')
    }
    const config = {
      spider: { ...followAll(['http://dir.example/']), scope: { within: 'any' } as const },
      discoveryLimits: { maxHostsPerSite: 4 },
    }
    const { report, hostsUnder, pagesOf } = await crawlWritten(directory, config)

    expect(hostsUnder('.rich.example')).toBe(30)
    expect(hostsUnder('.poor.example')).toBe(4)
    expect(report.waitingLinks).toEqual([
      { url: 'http://dir.example/', links: 1, budget: { kind: 'new-hosts', site: 'poor.example' } },
    ])
    expect(pagesOf('dir.example')).toBeLessThanOrEqual(20)
  })
})

describe('a list of 1,000 pages in a store on disk', () => {
  it('is crawled whole by two processes, and by one after one that was killed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-cut-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const runOn = (name: string, rest: Rest = {}): Promise<WrittenRun> => {
      const frontier = sqlite(join(folder, name), { clock, synchronous: 'normal' })
      return crawlSitemap(1, 1_000, { frontier, delayMs: 10, drainMs: 0, ...rest }, clock)
    }
    const [one, other] = await clock.run(Promise.all([runOn('two.db'), runOn('two.db')]))
    await clock.run(runOn('one.db', { maxTimeMs: 1_234 }))
    const last = await clock.run(runOn('one.db'))

    for (const { report } of [one, other, last])
      expect(report.counts).toMatchObject({ known: 1_001, done: 1_001, waiting: 0, items: 1_001 })
    expect(one.pagesOf(HOST) + other.pagesOf(HOST)).toBeLessThanOrEqual(1_001 + 1_000 / 50 + 30)
  })
})

describe('an endless host', () => {
  it('of which each page links to more than it may has few pages requested twice', async () => {
    const flood: Writer = (url) => {
      const n = Number(url.pathname.slice(1)) || 0
      return `${wordsOf(url)}${range(n * 503 + 1, 500)
        .map((to) => a(`/${to}`))
        .join('')}`
    }
    const { report, frontier, pagesOf } = await crawlWritten(flood, {
      spider: followAll([`http://${HOST}/0`]),
      discoveryLimits: SMALL,
      maxPages: 300,
    })

    expect(report.ended).toBe('limit')
    expect((await frontier.reader.counts()).known).toBeLessThanOrEqual(1 + 50 + 2 * 300)
    expect(pagesOf(HOST)).toBeLessThanOrEqual(310)
  })

  it('of hosts with a page each has no page requested twice', async () => {
    const farm: Writer = (url) =>
      `<p>welcome to our farm</p>${range(0, 50)
        .map((k) => a(`http://x${(Number(url.host.slice(1).split('.')[0]) || 0) * 53 + k + 1}.farm.example/`))
        .join('')}`
    const { report, pagesOf, hostsUnder } = await crawlWritten(farm, { spider: followAll(['http://x0.farm.example/']) })

    expect(report.ended).toBe('done')
    expect(hostsUnder('.farm.example')).toBe(201)
    expect(pagesOf('x0.farm.example')).toBe(1)
    expect(report.counts).toMatchObject({ known: 201, done: 201 })
  })
})
