// Sites without an end: patterns of URLs that bring nothing new are closed one by one, and healthy sites of any size are not.
import { hash } from 'node:crypto'
import { memoryFrontier } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { pageSpider } from '../../../packages/project/src/spiders/chosen-spider.ts'
import { countTurns } from '../../../packages/core/test/count-turns.ts'
import { crawlWritten, followAll, type Writer } from '../written-web.ts'

const SHOP = 'shop.test'
const TRAP = 'trap.test'
const BAR = 500
/** Forty pages under new addresses without end: each says something new once, which starts the count of its pattern anew. */
const BAR_OF_MANY_PAGES = 1_000
const a = (href: string): string => `<a href="${href}">more</a>`
const prose = (n: number): string =>
  Array.from({ length: 12 }, (_, k) => WORDS[(n * 31 + k * k * 7 + (n >> (k % 5))) % WORDS.length]).join(' ')
const WORDS = Array.from({ length: 97 }, (_, k) => `word${'abcdefghij'[k % 10]}${'klmnopqrst'[Math.floor(k / 10)]}`)

/** A shop of 60 products that yield items, next to whatever else there is. */
const shop: Writer = ({ pathname }) =>
  pathname === '/'
    ? Array.from({ length: 60 }, (_, n) => a(`/product/${n}`)).join('')
    : `<h1>Product</h1> ${prose(Number(pathname.slice(9)))} ${a('/')}`

const productItem = ({ host, pathname }: URL): object | undefined =>
  host === SHOP && pathname.startsWith('/product/') ? { product: pathname } : undefined

/** Crawls a trap beside the shop. */
async function beside(trap: Writer): ReturnType<typeof crawlWritten> {
  return crawlWritten((url) => (url.host === SHOP ? shop(url) : trap(url)), {
    spider: followAll([`http://${TRAP}/`, `http://${SHOP}/`], productItem),
    maxPages: 3_000,
  })
}

const day = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString().slice(0, 10)
const dayOf = (url: URL): number =>
  Math.round((Date.parse(url.searchParams.get('d') ?? '2026-01-01') - Date.UTC(2026, 0, 1)) / 86_400_000)
const token = (text: string): string => hash('sha1', text, 'hex').slice(0, 24)

const TRAPS: Readonly<Record<string, Writer>> = {
  calendar: (url) => {
    const n = dayOf(url)
    return `<h1>Events of ${day(n)}</h1><p>There are no events on this day</p>${a(`/cal?d=${day(n + 1)}`)}${a(`/cal?d=${day(n - 1)}`)}`
  },
  'calendar with leaps': (url) => {
    const n = dayOf(url)
    return `<h1>Events of ${day(n)}</h1>${[-1, 1, 31].map((step) => a(`/cal?d=${day(n + step)}`)).join('')}<p>None</p>`
  },
  'calendar of months': ({ pathname }) => {
    const [year = 2_000, number = 1] = pathname.slice(1).split('/').slice(1).map(Number)
    const months = [1, 2, 12].map((step) => year * 12 + number - 1 + step)
    const links = months.map((at) => a(`/events/${Math.floor(at / 12)}/${String((at % 12) + 1).padStart(2, '0')}`))
    return `<h1>Events of ${year}/${number}</h1><p>None</p>${links.join('')}`
  },
  'session-id': (url) => {
    const links = Array.from({ length: 8 }, (_, k) =>
      a(`/${['about', 'news', 'help'][k % 3] ?? ''};jsessionid=${token(url.href + k)}`),
    )
    return `<h1>Our house</h1><p>this is about all that we do here</p>${links.join('')}`
  },
  'session-query': (url) =>
    `<h1>Our ${url.pathname.slice(1)}</h1> words of it${Array.from({ length: 40 }, (_, k) => a(`/page${WORDS[k] ?? ''}?sid=${token(url.href + k)}`)).join('')}`,
  'deep-path': (url) => `<h1>A folder</h1><p>with a folder in it</p>${a(`${url.pathname.replace(/\/?$/, '/')}a/`)}`,
  'growing-path': (url) =>
    `<h1>A folder</h1><p>with some folders in it</p>${['red', 'green', 'blue'].map((name) => a(`${url.pathname.replace(/\/?$/, '/')}${name}${url.pathname.length}/`)).join('')}`,
  'growing-query': (url) => {
    const more = [1, 2].map((k) => a(`/filter?${url.search.slice(1)}&p${token(url.href + k).slice(0, 6)}=1`))
    return `<h1>Filter</h1><p>of all that we have</p>${more.join('')}`
  },
  facets: (url) => {
    const more = Array.from({ length: 30 }, (_, n) => {
      const next = new URLSearchParams(url.search)
      next.set(`f${n}`, '1')
      next.sort()
      return a(`/shop?${next.toString()}`)
    })
    return `<h1>Nothing found</h1><p>with these filters</p>${more.join('')}`
  },
  'sort-orders': (url) => {
    const rows = 'abcdefghijklmnop'.split('').sort((x, y) => token(url.search + x).localeCompare(token(url.search + y)))
    const links = [1, 2, 3].map((k) => a(`/table?sort=${token(url.href + k).replaceAll(/\d/g, ',')}`))
    return `<table>${rows.map((row) => `<tr><td>row of ${row}`).join('')}</table>${links.join('')}`
  },
  pager: (url) => {
    const page = Number(url.searchParams.get('page')) || 0
    return `<h1>No more results</h1><p>Go back</p>${[1, 2, 10].map((step) => a(`/list?page=${page + step}`)).join('')}`
  },
  refreshes: (url) =>
    `<h1>Our house moves on</h1><p>to another place</p><meta http-equiv=refresh content="0;url=/r?n=${Number(url.searchParams.get('n')) + 1}">`,
  'random queries': (url) =>
    `<h1>Our offers</h1><p>of this week</p>${[1, 2, 3].map((k) => a(`/offers?r=${token(url.href + k)}`)).join('')}`,
  'soft-404': (url) =>
    `<title>Page not found</title><p>nothing at ${url.pathname} ${token(url.href)}</p>${Array.from({ length: 5 }, (_, k) => a(`/${token(url.href + k)}/${k}`)).join('')}`,
}

describe('a trap', () => {
  it.each(Object.entries(TRAPS))(
    'of the kind %s gives a few hundred pages at most, and its pattern is named in the report',
    async (kind, trap) => {
      const { report, pagesOf } = await beside(trap)

      expect(pagesOf(SHOP)).toBe(61)
      expect(pagesOf(TRAP)).toBeLessThanOrEqual(kind === 'session-query' ? BAR_OF_MANY_PAGES : BAR)
      if (kind !== 'deep-path') expect(report.closedPatterns[0]?.pattern).toMatch(/^trap\.test\//)
      expect(report.ended).toBe('done')
    },
  )

  it('of host names without an end gives at most 500 pages', async () => {
    const farm: Writer = (url) =>
      `<p>welcome to our farm</p>${Array.from({ length: 50 }, (_, k) => a(`http://${token(url.host + k)}.${TRAP}/`)).join('')}`
    const { report, hostsUnder } = await beside(farm)

    expect(hostsUnder(TRAP)).toBeLessThanOrEqual(BAR)
    expect(report.closedPatterns.map(({ pattern }) => pattern)).toContain(`*.${TRAP}`)
    expect(report.ended).toBe('done')
  })

  it('that yields an item of each of its pages is closed all the same', async () => {
    const { pagesOf } = await crawlWritten(TRAPS['session-id'] ?? shop, {
      spider: followAll([`http://${TRAP}/`], (url) => ({
        url: url.href,
        title: 'Our house',
        fetchedAt: new Date(0).toISOString(),
      })),
      maxPages: 3_000,
    })

    expect(pagesOf(TRAP)).toBeLessThanOrEqual(BAR)
  })

  it.each(Object.entries(TRAPS))('of the kind %s is closed for the spider of a bare URL, too', async (kind, trap) => {
    const { pagesOf } = await crawlWritten(trap, { spider: pageSpider([`http://${TRAP}/`], { now: Date.now }), maxPages: 3_000 })

    expect(pagesOf(TRAP)).toBeLessThanOrEqual(kind === 'session-query' ? BAR_OF_MANY_PAGES : BAR)
  })

  it('of days that yields an item of each is closed all the same', async () => {
    const { pagesOf } = await crawlWritten(TRAPS['calendar with leaps'] ?? shop, {
      spider: followAll([`http://${TRAP}/`], (url) => ({ title: `Events of ${day(dayOf(url))}` })),
      maxPages: 3_000,
    })

    expect(pagesOf(TRAP)).toBeLessThanOrEqual(BAR)
  })

  it('does not cost the shop that it is in', async () => {
    const { pagesOf, report } = await crawlWritten(
      (url) =>
        url.pathname === '/cal' || url.pathname === '/' ? `${TRAPS['calendar']?.(url) ?? ''}${a('/list?page=0')}` : paged(url),
      {
        spider: followAll([`http://${SHOP}/`], (url) =>
          url.pathname.startsWith('/product/') ? { product: url.pathname } : undefined,
        ),
        maxPages: 9_000,
      },
    )

    expect(report.closedPatterns.map(({ pattern }) => pattern)).toEqual([`${SHOP}/cal?d=*`])
    expect(report.run.items).toBe(4_000)
    expect(pagesOf(SHOP)).toBeLessThanOrEqual(1 + 400 + 4_000 + BAR)
  })
})

/** 400 pages of a list, ten products on each. */
function paged(url: URL): string {
  if (url.pathname !== '/list') return `<h1>${prose(Number(url.pathname.slice(9)))}</h1>`
  const page = Number(url.searchParams.get('page'))
  const next = page < 399 ? a(`/list?page=${page + 1}`) : ''
  return `${next}${Array.from({ length: 10 }, (_, k) => a(`/product/${page * 10 + k}`)).join('')}`
}

describe('what waits of a closed pattern', () => {
  /** Requests that the frontier handed out in each turn of the event loop. */
  function counting(frontier: Frontier, handedOut: number[]): Frontier {
    const turns = countTurns()
    return {
      ...frontier,
      async refill(...of) {
        const refilled = await frontier.refill(...of)
        handedOut[turns.now] = (handedOut[turns.now] ?? 0) + refilled.requests.length
        return refilled
      },
      close: () => {
        turns.stop()
        return frontier.close()
      },
    }
  }

  it('is settled over many turns of the event loop', async () => {
    const handedOut: number[] = []
    const many: Writer = ({ pathname }) =>
      `<p>so much of it</p>${Array.from({ length: 400 }, (_, k) => a(`/many/${token(pathname)}/${k}`)).join('')}`
    const frontier = counting(memoryFrontier(), handedOut)
    const { report } = await crawlWritten(many, { spider: followAll([`http://${TRAP}/`]), frontier })
    await frontier.close()

    expect(report.closedPatterns[0]?.refused).toBeGreaterThan(10_000)
    expect(Math.max(...handedOut.filter(Number))).toBeLessThanOrEqual(1_000)
  })

  it('takes no time of its host', async () => {
    const { report, pagesOf } = await crawlWritten(TRAPS['pager'] ?? shop, {
      spider: followAll([`http://${TRAP}/`]),
      delayMs: 1_000,
    })

    expect(report.closedPatterns[0]?.refused).toBe(10)
    expect(report.endedAt - report.startedAt).toBeLessThan(1_000 * pagesOf(TRAP) + 1_000)
  })
})

describe('a healthy site', () => {
  it('of 20,000 linked pages is crawled whole', async () => {
    const { report, pagesOf } = await crawlWritten(
      (url) => {
        const n = Number(url.pathname.slice(1))
        const children = Array.from({ length: 20 }, (_, k) => n * 20 + k + 1).filter((child) => child < 20_000)
        return `<h1>Page ${n}</h1>${children.map((child) => a(`/${child}`)).join('')}`
      },
      { spider: followAll(['http://healthy.test/']) },
    )

    expect(pagesOf('healthy.test')).toBe(20_000)
    expect(report.closedPatterns).toEqual([])
  })

  it('whose products differ by their numbers alone, and lead to one another, is crawled whole', async () => {
    const { report, pagesOf } = await crawlWritten(
      (url) => {
        const n = Number(url.pathname.slice(9)) || 0
        return `<h1>Product ${n}</h1><p>the price is ${n * 7} today</p>${n < 4_999 ? a(`/product/${n + 1}`) : ''}${n < 4_990 ? a(`/product/${n + 9}`) : ''}`
      },
      { spider: followAll([`http://${SHOP}/product/0`], (url) => ({ product: url.pathname })) },
    )

    expect(pagesOf(SHOP)).toBe(5_000)
    expect(report.closedPatterns).toEqual([])
  })

  it('keeps its 2,000 pages of a forum, most of which yield nothing, beside a shop that yields', async () => {
    const forum: Writer = (url) => {
      const n = Number(url.searchParams.get('page')) || 0
      return `<p>${prose(n)} ${n}</p>${n < 1_999 ? a(`/forum?page=${n + 1}`) : ''}${n > 0 ? a(`/forum?page=${n - 1}`) : ''}`
    }
    const { report, pagesOf } = await beside((url) => (url.host === TRAP ? forum(url) : undefined))

    expect(pagesOf(TRAP)).toBeGreaterThanOrEqual(2_000)
    expect(report.closedPatterns).toEqual([])
  })
})

describe('a flood of links', () => {
  it('of one host is known up to a bound that grows with the pages that it gave', async () => {
    const flood: Writer = (url) => {
      const n = Number(url.pathname.slice(1)) || 0
      return `<p>${prose(n)} ${n}</p>${Array.from({ length: 5_000 }, (_, k) => a(`/${n * 5_003 + k + 1}`)).join('')}`
    }
    const { report, frontier } = await crawlWritten(flood, { spider: followAll([`http://${TRAP}/0`]), maxPages: 60 })
    const { known } = await frontier.reader.counts()

    expect(known).toBeLessThanOrEqual(50_000 + 110 * 60 + 1)
    expect(report.closedPatterns).toMatchObject([{ pattern: `${TRAP}/**`, reason: 'new-urls' }])
  })

  it('of one page beyond what a page may add is counted under its host, which may be accepted', async () => {
    const flood: Writer = (url) =>
      url.pathname === '/0'
        ? Array.from({ length: 500 }, (_, k) => a(`/${k + 1}`)).join('')
        : `<p>${prose(Number(url.pathname.slice(1)))}`
    const limits = { maxUrlsPerPage: 100 }
    const { report } = await crawlWritten(flood, {
      spider: followAll([`http://${TRAP}/0`]),
      maxPages: 5,
      discoveryLimits: limits,
    })

    expect(report.counts.known).toBe(101)
    expect(report.closedPatterns).toMatchObject([{ pattern: `${TRAP}/**`, reason: 'new-urls', refused: 400 }])
    expect(report.problems).toMatchObject([
      { count: 1, message: expect.stringContaining(`links to ${TRAP}/** are not followed`) },
    ])
  })
})
