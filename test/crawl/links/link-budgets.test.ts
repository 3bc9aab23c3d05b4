// Honest sites that are wider than their budgets: what a page links to beyond them is counted and said.
import { Orders } from '@avocet/at-rest'
import { definePlugin, memoryFrontier, spider, type CrawlConfig } from 'avocet'
import { describe, expect, it } from 'vitest'
import { crawlWritten, followAll, type Writer, type WrittenRun } from '../written-web.ts'

const HOST = 'archive.example'
const DAY_MS = 86_400_000
/** A page may add fifty URLs, a host as many, and two more for each page and each item. */
const SMALL = { maxUrlsPerPage: 50, firstUrlsPerHost: 50, urlsPerPage: 0, maxUnpaidUrlsPerHost: 50, urlsPerItem: 2 }
const POOR = { ...SMALL, urlsPerItem: 0 }

const a = (href: string): string => `<a href="${href}">more</a>`
const linksTo = (size: number, href: (n: number) => string): string => Array.from({ length: size }, (_, n) => a(href(n))).join('')
/** Words of a page that no other has. */
const wordsOf = ({ host, pathname }: URL): string =>
  `<p>all about ${host.replaceAll('.', ' of ')} ${pathname.replaceAll('/', ' in ')} here</p>`

const list =
  (size: number): Writer =>
  (url) =>
    wordsOf(url) + (url.pathname === '/list' ? linksTo(size, (n) => `/p/${n}`) : '')

const crawlList = (size: number, rest: Omit<Partial<CrawlConfig>, 'clock' | 'fetcher'> = {}): Promise<WrittenRun> =>
  crawlWritten(list(size), {
    spider: followAll([`http://${HOST}/list`], ({ pathname }) => ({ pathname })),
    discoveryLimits: SMALL,
    ...rest,
  })

describe('a list of 1,000 pages', () => {
  it('gives as many as a page may add, and the report counts the others', async () => {
    const { report, pagesOf } = await crawlList(1_000)

    expect(report.counts).toMatchObject({ known: 51, done: 51, waiting: 0 })
    expect(report.run).toMatchObject({ links: 1_000, added: 50, refusedLinks: 950 })
    expect(report.refusedLinks).toEqual([{ rule: 'link-budget', count: 950, hosts: [], others: 950 }])
    expect(report.why).toBe('nothing is waiting; links beyond a budget were not followed')
    expect(report.closedPatterns).toMatchObject(
      [{ pattern: '/**', reason: 'new-urls', refused: 950 }].map((each) => ({ ...each, pattern: HOST + each.pattern })),
    )
    expect(pagesOf(HOST)).toBe(51)
  })

  it('that is visited again each day gives as many each day as its host has earned', async () => {
    const { report } = await crawlList(1_000, { recrawl: [{ everyMs: DAY_MS, match: /list/ }], maxTimeMs: 3.5 * DAY_MS })

    expect(report.counts).toMatchObject({ known: 201, done: 201 })
  })

  it('gives all of them at its next visit after its host was accepted', async () => {
    const frontier = memoryFrontier()
    const recrawl = [{ everyMs: DAY_MS, match: /list/ }]
    const poor = { frontier, discoveryLimits: { ...POOR, maxUrlsPerPage: 5_000 }, recrawl, maxTimeMs: 1.5 * DAY_MS }
    const before = await crawlList(1_000, poor)
    await frontier.close()
    await frontier.open({ name: '', hostKeying: 'host' }, 0)
    await Orders.give(frontier, { kind: 'accept', patterns: [`${HOST}/**`] }, 0)
    await frontier.close()
    const { report } = await crawlList(1_000, { ...poor, maxTimeMs: 2.5 * DAY_MS })

    expect(before.report.counts).toMatchObject({ known: 51 })
    expect(report.counts).toMatchObject({ known: 1_001 })
    expect(report.closedPatterns).toEqual([])
  })

  it('gives none where a page may add none, and fifty beside a plugin that is asked about every link', async () => {
    const asked = new Set<string>()
    const nosy = definePlugin({ name: 'nosy', onDiscover: ({ url }) => void asked.add(url) })
    const { report } = await crawlList(1_000, { plugins: [nosy] })
    const none = await crawlList(1_000, { discoveryLimits: { ...SMALL, maxUrlsPerPage: 0 } })

    expect(report.counts).toMatchObject({ known: 51, done: 51 })
    expect(asked.size).toBe(1_001)
    expect(none.pagesOf(HOST)).toBe(1)
  })

  it('counts only what is not followed as refused, also on the answer to a POST', async () => {
    const post = spider({
      name: 'search',
      seeds: [{ url: `http://${HOST}/list`, method: 'POST', body: 'q=all' }],
      handlers: { start: (page) => page.links() },
    })
    const { report } = await crawlList(200, { spider: post })

    expect(report.counts).toMatchObject({ known: 51, done: 51 })
    expect(report.run).toMatchObject({ links: 200, refusedLinks: 150 })
  })
})

describe('a mall of 800 hosts', () => {
  const mall: Writer = (url) =>
    wordsOf(url) + (url.host === 'www.mall.example' ? linksTo(800, (n) => `http://s${n}.mall.example/`) : '')

  it('gives 200 of them, and says how many it left out and how to get them', async () => {
    const { report, hostsUnder } = await crawlWritten(mall, { spider: followAll(['http://www.mall.example/']) })

    expect(hostsUnder('mall.example')).toBe(201)
    expect(report.run).toMatchObject({ added: 200, refusedLinks: 600 })
    expect(report.closedPatterns).toMatchObject([{ pattern: '*.mall.example', reason: 'new-hosts', refused: 600 }])
    expect(report.problems).toMatchObject([{ message: expect.stringContaining('links to *.mall.example are not followed') }])
  })
})

describe('links that this run has written', () => {
  /** A list of what is known, of which `more` are not: the budget of its host is used up. */
  const lists =
    (more: number): Writer =>
    (url) => {
      const pages = (count: number): string => linksTo(count, (n) => `/p/${n}`)
      if (url.pathname === '/a') return wordsOf(url) + a('/b') + pages(300)
      return url.pathname === '/b' ? wordsOf(url) + pages(300 + more) : wordsOf(url)
    }
  const limits = (urls: number): object => ({
    ...POOR,
    maxUrlsPerPage: 50_000,
    firstUrlsPerHost: urls,
    maxUnpaidUrlsPerHost: urls,
  })
  const nosy = definePlugin({ name: 'nosy', onDiscover() {} })

  it.each([
    ['where nobody is asked', []],
    ['where a plugin is asked about every link', [nosy]],
  ])('count against no budget: %s', async (_where, plugins) => {
    const config = { spider: followAll([`http://${HOST}/a`]), plugins, discoveryLimits: limits(301) }
    const { report } = await crawlWritten(lists(0), config)

    expect(report).toMatchObject({ counts: { known: 302, done: 302 }, refusedLinks: [], closedPatterns: [] })
  })

  it('take no room of those that are new', async () => {
    const config = { spider: followAll([`http://${HOST}/a`]), discoveryLimits: limits(302) }
    const { report } = await crawlWritten(lists(500), config)

    expect(report.counts).toMatchObject({ known: 303, done: 303 })
    expect(report.refusedLinks).toMatchObject([{ rule: 'link-budget', count: 499 }])
  })
})
