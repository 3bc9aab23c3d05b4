// Lists whose links wait for a budget, on a web that changes between two readings: no link is lost, no list hides another, nothing goes round for ever.
import { memoryFrontier } from 'avocet'
import { CANONICALISATION, type CommitResult, type Frontier } from '@avocet/core/store'
import { acceptPatterns } from '@avocet/core/tools'
import { describe, expect, it } from 'vitest'
import { crawlWritten, followAll, type Writer } from '../written-web.ts'

const HOST = 'archive.example'
const HOUR = 3_600_000
/** Fifty at once, and two more for each item. */
const SMALL = { maxUrlsPerPage: 50, firstUrlsPerHost: 50, urlsPerPage: 0, maxUnpaidUrlsPerHost: 50, urlsPerItem: 2 }
const range = (from: number, size: number): number[] => Array.from({ length: size }, (_, n) => from + n)
const wordsOf = ({ host, pathname }: URL): string => `<p>all about ${host} ${pathname.replaceAll('/', ' in ')} here</p>`
const pages = (numbers: readonly number[]): string => numbers.map((n) => `<a href="/p/${n}">page</a>`).join('')
const pathItem = ({ pathname }: URL): object => ({ pathname })
const list = followAll([`http://${HOST}/list`], pathItem)

/** `linksAt`: the pages that the list has at each of its readings, counted from 1. */
const listOf =
  (linksAt: (reading: number) => readonly number[] | undefined, count: () => number): Writer =>
  (url) => {
    if (url.pathname !== '/list') return wordsOf(url)
    const links = linksAt(count())
    return links && wordsOf(url) + pages(links)
  }

describe('a list of 300 pages', () => {
  const all = range(0, 300)

  it.each<[string, (reading: number) => readonly number[], readonly number[]]>([
    ['that is empty when it is read again', (reading) => (reading === 2 ? [] : all), all],
    ['that is cut in the middle when it is read again', (reading) => (reading === 2 ? range(0, 100) : all), all],
    ['that loses its first sixty', (reading) => (reading > 1 ? range(60, 240) : all), range(60, 240)],
    ['that gains sixty in front', (reading) => (reading > 1 ? range(-60, 360) : all), range(-60, 360)],
    ['that is shuffled', (reading) => all.map((n) => (n * 7 + 31 * reading) % 300), all],
  ])('%s is followed whole', async (_what, linksAt, last) => {
    let reading = 0
    const { report, frontier } = await crawlWritten(
      listOf(linksAt, () => ++reading),
      { spider: list, discoveryLimits: SMALL },
    )

    const items = await itemsOf(frontier)
    expect(last.filter((n) => !items.includes(`/p/${n}`))).toEqual([])
    expect(report).toMatchObject({ ended: 'done', waitingLinks: [] })
    expect(reading).toBeLessThanOrEqual(20)
  })

  it('that has shrunk waits until a later run finds it so again', async () => {
    let reading = 0
    const frontier = memoryFrontier()
    const run = async (): Promise<{ readonly waits: number; readonly told: number }> => {
      const { report } = await crawlWritten(
        listOf(
          (nth) => (nth === 1 ? all : range(0, 100)),
          () => ++reading,
        ),
        { frontier, spider: list, discoveryLimits: SMALL },
      )
      await frontier.close()
      const told = report.problems.filter(({ message }) => message.includes('100 links instead of 300')).length
      return { waits: report.waitingLinks.length, told }
    }

    expect(await run()).toEqual({ waits: 1, told: 1 })
    expect(reading).toBeLessThanOrEqual(5)
    expect(await run()).toEqual({ waits: 0, told: 0 })
    expect(await frontierCounts(frontier)).toMatchObject({ known: 101, done: 101, items: 101 })
  })
})

describe('a list in trouble', () => {
  it.each([
    ['is gone', () => undefined],
    ['leads to a page to log in', () => '/login'],
  ])('that %s hides no list behind it', async (_what, answer) => {
    let run = 0
    const lists = range(0, 40)
    const write: Writer = (url) => {
      if (!url.pathname.startsWith('/list/')) return wordsOf(url)
      const n = Number(url.pathname.slice(6))
      if (run > 0 && n < 39) return answer()
      return wordsOf(url) + pages(range(n * 100, 100))
    }
    const frontier = memoryFrontier()
    const seeds = lists.map((n) => `http://${HOST}/list/${n}`)
    const poor = { ...SMALL, firstUrlsPerHost: 40, maxUnpaidUrlsPerHost: 40, urlsPerItem: 0 }
    await crawlWritten(write, { frontier, spider: followAll(seeds, pathItem), discoveryLimits: poor })
    await frontier.close()
    run++
    const { report } = await crawlWritten(write, { frontier, spider: followAll(seeds, pathItem) })

    const items = await itemsOf(frontier)
    expect(range(3_900, 100).filter((n) => !items.includes(`/p/${n}`))).toEqual([])
    expect(report.waitingLinks).toHaveLength(39)
  })

  it('that is missing once is asked again in the same run, also where nothing else is left to do', async () => {
    let reading = 0
    const frontier = memoryFrontier()
    const write = listOf(
      (nth) => (nth === 2 ? undefined : range(0, 100)),
      () => ++reading,
    )
    const poor = { ...SMALL, firstUrlsPerHost: 1, maxUnpaidUrlsPerHost: 1, urlsPerItem: 0 }
    await crawlWritten(write, { frontier, spider: list, discoveryLimits: poor })
    await frontier.close()
    const { report } = await crawlWritten(write, { frontier, spider: list })

    expect(report.counts).toMatchObject({ known: 101, done: 101 })
    expect(report).toMatchObject({ waitingLinks: [], closedPatterns: [] })
  })

  it('that is missing for a while leaves no budget in the report once it was read to its end', async () => {
    let reading = 0
    const write = listOf(
      (nth) => (nth === 2 ? undefined : range(0, 300)),
      () => ++reading,
    )
    const { report } = await crawlWritten(write, { spider: list, discoveryLimits: SMALL })

    expect(report).toMatchObject({ ended: 'done', waitingLinks: [], closedPatterns: [] })
  })

  it.each([HOST, 'news.example'])('goes on within hours in a crawl that watches %s', async (watched) => {
    let reading = 0
    const { report } = await crawlWritten(
      (url) =>
        url.pathname === '/news'
          ? wordsOf(url)
          : listOf(
              (nth) => (nth === 2 ? undefined : range(0, 1_000)),
              () => ++reading,
            )(url),
      {
        spider: followAll([`http://${HOST}/list`, `http://${watched}/news`], pathItem),
        discoveryLimits: SMALL,
        recrawl: [{ everyMs: HOUR, match: /news/ }],
        maxTimeMs: 12 * HOUR,
      },
    )

    expect(report.counts).toMatchObject({ known: 1_002, waiting: 0 })
    expect(report.waitingLinks).toEqual([])
    expect(reading).toBeLessThanOrEqual(30)
  })

  it.each([
    ['of five hundred', 500],
    ['of more than are looked at at once', 1_100],
  ])('%s hides none behind it while the crawl goes on, and is not looked through at each commit', async (_what, gone) => {
    const chain = 1_500
    const readings = new Map<string, number>()
    let at = 0
    const goodAt: number[] = []
    const write: Writer = (url) => {
      const [kind = '', n = ''] = url.pathname.slice(1).split('/')
      if (kind === 'chain') return wordsOf(url) + (Number(n) < chain ? `<a href="/chain/${(at = Number(n)) + 1}">next</a>` : '')
      if (kind !== 'list') return wordsOf(url)
      const before = readings.get(n) ?? 0
      readings.set(n, before + 1)
      if (before > 0 && Number(n) < gone) return undefined
      if (before > 0) goodAt.push(at)
      return wordsOf(url) + pages(range(Number(n) * 60, 60))
    }
    const inner = memoryFrontier()
    let looks = 0
    const reader = {
      ...inner.reader,
      requests: (query: Parameters<Frontier['reader']['requests']>[0]) => {
        if (query.cut) looks++
        return inner.reader.requests(query)
      },
    }
    const seeds = [`http://${HOST}/chain/0`, ...range(0, gone + 5).map((n) => `http://${HOST}/list/${n}`)]
    const { report } = await crawlWritten(write, {
      frontier: { ...inner, reader },
      spider: followAll(seeds, pathItem),
      discoveryLimits: SMALL,
    })

    expect(report.counts).toMatchObject({ waiting: 0, failed: 0 })
    expect(report.waitingLinks.length).toBeGreaterThan(0)
    expect(goodAt[0]).toBeLessThan(chain - 1)
    expect(looks).toBeLessThan(gone)
  })

  it('of which the store refuses every turn ends the crawl', async () => {
    const inner = memoryFrontier()
    let settled = 0
    let refused = 0
    const frontier: Frontier = {
      ...inner,
      async commit(turns) {
        const isRefused = turns.map(({ requestId, outcome }) => requestId === 1 && outcome !== undefined && settled++ > 0)
        refused += isRefused.filter(Boolean).length
        expect(refused).toBeLessThan(10)
        const results = [...(await inner.commit(turns.filter((_, n) => !isRefused[n])))]
        const no = (): CommitResult => ({ status: 'rejected', error: 'constraint failed', gained: [], added: 0, known: 0 })
        return isRefused.map((is) => (is ? undefined : results.shift()) ?? no())
      },
    }
    const { report } = await crawlWritten(
      listOf(
        () => range(0, 300),
        () => 1,
      ),
      { frontier, spider: list, discoveryLimits: SMALL, maxTimeMs: 10_000, drainMs: 1_000 },
    )

    expect(report.ended).toBe('failed')
    expect(report.why).toContain('the store rejected')
  })
})

describe('lists that wait for several budgets', () => {
  it('hide none of another host, whose budgets have room', async () => {
    const limits = { ...SMALL, firstUrlsPerHost: 5, maxUnpaidUrlsPerHost: 5, urlsPerItem: 0, maxHostsPerSite: 4 }
    let readings = 0
    const write: Writer = (url) => {
      if (url.host === 'x.example' && url.pathname.startsWith('/list')) readings++
      if (!url.pathname.startsWith('/list')) return wordsOf(url)
      const n = Number(url.pathname.slice(6))
      const hosts = range(n * 10, 10).map((k) => `<a href="http://h${k}.poor.example/">host</a>`)
      return wordsOf(url) + hosts.join('') + pages(range(n * 30, 30))
    }
    const frontier = memoryFrontier()
    const seeds = [...range(0, 20).map((n) => `http://x.example/list/${n}`), 'http://y.example/list/90']
    const spider = { ...followAll(seeds, pathItem), scope: { within: 'any' } as const }
    await crawlWritten(write, { frontier, spider, discoveryLimits: limits })
    await frontier.close()
    readings = 0
    const info = await frontier.open({ name: '', canonicalisation: CANONICALISATION, hostKeying: 'host' }, 0)
    await acceptPatterns(frontier, info, ['y.example/**'])
    await frontier.close()
    await crawlWritten(write, { frontier, spider, discoveryLimits: limits })

    const items = await itemsOf(frontier)
    expect(range(2_700, 30).filter((n) => !items.includes(`/p/${n}`))).toEqual([])
    // Those that had no room were tried once for each gain of the others, and no more.
    expect(readings).toBeLessThanOrEqual(60)
  })
})

async function itemsOf(frontier: Frontier): Promise<readonly string[]> {
  const items = await frontier.reader.items({ afterSeq: 0, limit: 9_999 })
  return items.map(({ json }) => (JSON.parse(json) as { readonly pathname: string }).pathname)
}

function frontierCounts(frontier: Frontier): ReturnType<Frontier['reader']['counts']> {
  return frontier.reader.counts()
}
