// Pages that have several URLs by the `No-Vary-Search` of their server: each is requested once, and none is lost.
import { link, memoryFrontier, spider } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { knownHost } from '../../../packages/cli/src/store/known-host.ts'
import { answerOf } from '../../../packages/cli/src/why/answer.ts'
import { whyLines } from '../../../packages/cli/src/why/why.ts'
import { crawlWritten, followAll, type Writer, type WrittenRun } from '../written-web.ts'

const SHOP = 'shop.test'
const PRODUCTS = 60
const a = (href: string): string => `<a href="${href}">more</a>`
const fields = (value: string) => () => ({ 'no-vary-search': value })

/** Links to each product in three spellings; a product links to two others in spellings of its own. */
const shop: Writer = ({ pathname }) => {
  if (pathname === '/') return all((n) => ['?ref=home', '?ref=top', ''].map((query) => a(`/p/tea-${n}${query}`)).join(''))
  const n = Number(pathname.slice('/p/tea-'.length))
  const related = [1, 2].map((step) => a(`/p/tea-${(n * 7 + step) % PRODUCTS}?ref=related-${step}`))
  return `<h1>Tea number ${n}</h1> the price is ${n * 3 + 1} euros ${related.join('')}`
}

const all = (write: (n: number) => string): string => Array.from({ length: PRODUCTS }, (_, n) => write(n)).join('')
const productItem = ({ pathname }: URL): object | undefined => (pathname.startsWith('/p/') ? { product: pathname } : undefined)

type Options = Partial<Parameters<typeof crawlWritten>[1]>

async function crawlShop(options: Options = {}, write = shop): Promise<WrittenRun> {
  return crawlWritten(write, { spider: followAll([`http://${SHOP}/`], productItem), ...options })
}

/** How often each product was asked for. */
function timesOf({ log }: WrittenRun): readonly number[] {
  const products = log.filter((path) => path.startsWith('/p/'))
  return [...Map.groupBy(products, (path) => path.split('?')[0]).values()].map((times) => times.length)
}

async function whyOf({ frontier: { reader } }: WrittenRun, url: string): Promise<string> {
  const record = await knownHost(reader, SHOP)
  return whyLines(await answerOf({ reader, config: { policies: [] }, record, url, now: 0 })).join('\n')
}

describe('pages with several URLs', () => {
  it('are requested once, but for those that show that the server is right', async () => {
    const run = await crawlShop({ fields: fields('params=("ref")') })

    expect(timesOf(run)).toHaveLength(PRODUCTS)
    expect(run.pagesOf(SHOP)).toBeLessThanOrEqual(1 + PRODUCTS + 10)
    expect(run.report.counts.failed).toBe(0)
    expect(run.report.counts.moved).toBe(run.report.counts.known - run.report.counts.done)
    const why = await whyOf(run, `http://${SHOP}/p/tea-50?ref=top`)
    expect(why).toContain(`moved to http://${SHOP}/p/tea-50?ref=home`)
    expect(why).toContain('same pages by No-Vary-Search: params=("ref")')
  })

  it('are requested in each spelling where the server says nothing, or what cannot be read, and where links say that they differ', async () => {
    const silent = await crawlShop()
    const invalid = await crawlShop({ fields: fields('params=("ref", key-order') })
    const apart = spider({
      name: 'apart',
      seeds: [`http://${SHOP}/`],
      handlers: {
        *start(page) {
          for (const { url } of page.links()) yield link(url, { identity: `by ${url}` })
        },
      },
    })
    const differing = await crawlShop({ fields: fields('params=("ref")'), spider: apart })

    expect(timesOf(silent)).toEqual(Array.from({ length: PRODUCTS }, () => 5))
    expect(invalid.log).toEqual(silent.log)
    expect(timesOf(differing)).toEqual(timesOf(silent))
  })

  it('are requested once with many in flight: a spelling waits for the page that is on its way', async () => {
    const run = await crawlShop({
      fields: fields('params=("ref")'),
      policies: polite({ robots: false, rate: 'none' }),
      maxPerHost: 8,
    })

    expect(timesOf(run)).toHaveLength(PRODUCTS)
    expect(run.pagesOf(SHOP)).toBeLessThanOrEqual(1 + PRODUCTS + 16)
  })

  it('are all found where the field is wrong: on lists that have one URL a page, and on pages of no folder', async () => {
    const list: Writer = (url) => {
      const at = Number(url.searchParams.get('page') ?? 1)
      if (url.pathname !== '/list') return `<h1>Tea ${url.pathname}</h1> its price is in euros`
      const products = Array.from({ length: 5 }, (_, n) => a(`/tea-${at}-${n}?ref=list`) + a(`/tea-${at}-${n}`)).join('')
      return `<h1>Teas, page ${at} of 30</h1> ${products} ${at < 30 ? a(`/list?page=${at + 1}`) : ''}`
    }
    const teas = ({ pathname }: URL): object | undefined => (pathname.startsWith('/tea-') ? { tea: pathname } : undefined)
    const run = await crawlWritten(list, {
      spider: followAll([`http://${SHOP}/list`], teas),
      fields: fields('params=("page" "ref"), key-order'),
    })

    const found = new Set(run.log.filter((path) => path.startsWith('/tea-')).map((path) => path.split('?')[0]))
    expect(found.size).toBe(150)
    expect(run.pagesOf(SHOP)).toBeLessThanOrEqual(30 + 150 + 10)
  })

  it('are brought by another spelling where the handler fails on the first', async () => {
    const failing = spider({
      name: 'failing',
      seeds: [`http://${SHOP}/`],
      handlers: {
        *start(page) {
          if (page.url.search === '?ref=home') throw new Error('no layout of mine')
          if (page.url.pathname !== '/') yield { product: page.url.pathname }
          yield* page.links()
        },
      },
    })
    const run = await crawlWritten(shop, { spider: failing, fields: fields('params=("ref")') })

    expect(new Set(run.log.filter((path) => /^\/p\/.*top/.test(path))).size).toBe(PRODUCTS)
    expect(run.report.counts.items).toBeGreaterThanOrEqual(PRODUCTS)
  })

  it('are requested where they are seeds, whatever page represents them', async () => {
    const seeds = ['/', ...['?ref=mail', '?ref=print', '?ref=site'].flatMap((query) => [`/p/tea-1${query}`, `/p/tea-2${query}`])]
    const named = followAll(
      seeds.map((path) => `http://${SHOP}${path}`),
      productItem,
    )
    const { log } = await crawlShop({ fields: fields('params=("ref")'), spider: named })

    expect(log).toEqual(expect.arrayContaining(seeds))
  })

  it('are remembered by the next run, and by what holds the host next', async () => {
    const frontier = memoryFrontier()
    const first = await crawlShop({ frontier, fields: fields('params=("ref")'), maxPages: 30 })
    const second = await crawlShop({ frontier, fields: fields('params=("ref")') })

    expect(first.pagesOf(SHOP)).toBe(30)
    expect(first.pagesOf(SHOP) + second.pagesOf(SHOP)).toBeLessThanOrEqual(1 + PRODUCTS + 10)
    expect(timesOf({ ...second, log: [...first.log, ...second.log] })).toHaveLength(PRODUCTS)
  })
})

describe('pages with several URLs that are visited again', () => {
  const HOUR = 3_600_000
  const recrawl = [{ everyMs: HOUR }]

  /** Crawls for four rounds; what was asked for in each. */
  async function rounds(clock: VirtualClock, options: Options, write = shop): Promise<readonly (readonly string[])[]> {
    const begun = clock.now()
    const log: string[][] = [[], [], [], []]
    const noted: Writer = (url) => {
      log[Math.floor((clock.now() - begun) / HOUR)]?.push(url.pathname + url.search)
      return write(url)
    }
    await clock.run(() => crawlShop({ clock, recrawl, maxTimeMs: 4 * HOUR - 60_000, ...options }, noted))
    return log
  }

  it('are requested once in each round, by the same URL', async () => {
    const [first = [], ...others] = await rounds(new VirtualClock(), { fields: fields('params=("ref")') })

    expect(first.length).toBeLessThanOrEqual(1 + PRODUCTS + 10)
    expect(others.map((log) => log.toSorted())).toEqual([1, 2, 3].map(() => first.toSorted()))
  })

  it('are brought by other spellings once the first is gone, or the field', async () => {
    const clock = new VirtualClock()
    const begun = clock.now()
    const isLater = (): boolean => clock.now() - begun > 1.5 * HOUR
    const gone = await rounds(clock, { fields: fields('params=("ref")') }, (url) =>
      isLater() && url.search === '?ref=home' ? undefined : shop(url),
    )
    const other = new VirtualClock()
    const from = other.now()
    const silent = await rounds(other, {
      fields: () => (other.now() - from > 1.5 * HOUR ? {} : { 'no-vary-search': 'params=("ref")' }),
    })

    const bySpelling = (log: readonly string[] = []): number => new Set(log.filter((path) => path.includes('top'))).size
    for (const logs of [gone, silent]) expect(bySpelling(logs[1])).toBeLessThanOrEqual(3)
    expect([gone, silent].map((logs) => bySpelling(logs[3]))).toEqual([PRODUCTS, PRODUCTS])
  })

  it('are brought by other spellings where the next run excludes the first', async () => {
    const clock = new VirtualClock()
    const frontier = memoryFrontier()
    const options = { frontier, fields: fields('params=("ref")') }
    const before = await rounds(clock, options)
    const narrow = { ...followAll([`http://${SHOP}/`], productItem), scope: { deny: [/ref=home/] } }
    const after = await rounds(clock, { ...options, spider: narrow })

    const products = (log: readonly string[] = []): number => new Set(log.map((path) => path.split('?')[0])).size
    expect(products(before[3])).toBe(1 + PRODUCTS)
    expect(after.flat().filter((path) => path.includes('home'))).toEqual([])
    expect(products(after[3])).toBe(1 + PRODUCTS)
  })
})
