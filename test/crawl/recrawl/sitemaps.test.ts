// Sitemaps and feeds in whole crawls: what is found by robots.txt, what is read in each run, what a list may speak for, and what the servers felt.
import { memoryFrontier, spider, type Spider } from 'avocet'
import { robots } from '@avocet/plugin-robots'
import { sitemaps } from '@avocet/plugin-sitemaps'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { html, runs } from '../runs.ts'
import type { Answer } from '../scripted-web.ts'

const HOST = 'http://shop.test'
const DAY_MS = 24 * 3_600_000
const seeds = [`${HOST}/`]

const urlset = (...urls: readonly string[]): Answer => ({
  headers: { 'content-type': 'application/xml' },
  body: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`,
})
const index = (...urls: readonly string[]): Answer => ({
  body: `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`,
})
const pages = (...paths: readonly string[]): Readonly<Record<string, Answer>> =>
  Object.fromEntries(paths.map((path) => [HOST + path, html()]))
const pathsOf = (asked: readonly string[]): readonly string[] => asked.map((line) => line.split(' ')[1] ?? '')
const robotsOf = (...lines: readonly string[]): Answer => ({ body: lines.join('\n') })

describe('sitemaps', () => {
  it('are those that robots.txt names, which is requested once for all plugins that require it', async () => {
    const script = {
      ...pages('/', '/a', '/b'),
      [`${HOST}/robots.txt`]: robotsOf('User-agent: *', 'Disallow: /b', 'Sitemap: /one.xml', `sitemap : ${HOST}/two.xml`),
      [`${HOST}/one.xml`]: urlset(`${HOST}/a`, `${HOST}/b`),
      [`${HOST}/two.xml`]: urlset(),
    }
    const { asked } = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps(), robots()] })

    expect(pathsOf(asked).toSorted()).toEqual(['/', '/a', '/one.xml', '/robots.txt', '/two.xml'])
    expect(pathsOf(asked)[0]).toBe('/robots.txt')
  })

  it.each([
    ['names none', robotsOf('User-agent: *')],
    ['is missing', { status: 404 }],
  ])('are at /sitemap.xml where robots.txt %s, unless that is turned off', async (_, answer) => {
    const script = { ...pages('/', '/a'), [`${HOST}/robots.txt`]: answer, [`${HOST}/sitemap.xml`]: urlset(`${HOST}/a`) }
    const on = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps()] })
    const off = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ fallback: false })] })

    expect(pathsOf(on.asked)).toEqual(['/robots.txt', '/sitemap.xml', '/', '/a'])
    expect(pathsOf(off.asked)).toEqual(['/robots.txt', '/'])
  })

  it('are not looked for while robots.txt cannot be had; it is requested again after ten minutes, and pages do not wait', async () => {
    const script = {
      ...pages('/', '/a'),
      [`${HOST}/robots.txt`]: [{ status: 500 }, robotsOf('Sitemap: /map.xml')],
      [`${HOST}/map.xml`]: urlset(`${HOST}/a`),
    }
    const slow = pathSpider([`${HOST}/`, ...Array.from({ length: 70 }, (_, n) => `${HOST}/p/${n}`)])
    const { asked } = await run(script, { spider: slow, plugins: [sitemaps()], delayMs: 10_000 })
    const at = asked.flatMap((line) => (line.endsWith('/robots.txt') ? [Number(line.split(' ')[0])] : []))

    expect(at.length).toBe(2)
    expect(at[1]).toBeGreaterThanOrEqual(600_000)
    expect(pathsOf(asked)).toContain('/a')
  })

  it('at /sitemap.xml count as no failure where there is none, and as one where the user named it', async () => {
    const script = { ...pages('/'), [`${HOST}/robots.txt`]: { status: 404 }, [`${HOST}/sitemap.xml`]: { status: 404 } }
    const looked = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps()] })
    const named = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ urls: [`${HOST}/sitemap.xml`] })] })

    expect(pathsOf(looked.asked)).toContain('/sitemap.xml')
    expect(looked.report.counts).toMatchObject({ failed: 0, done: 2 })
    expect(looked.report.sources).toBeUndefined()
    expect(named.report.counts).toMatchObject({ failed: 1, done: 1 })
  })

  it('that cannot be had are told of where the user or an index named them, and not where they were only looked for', async () => {
    const script = {
      ...pages('/', '/a'),
      [`${HOST}/robots.txt`]: { status: 404 },
      [`${HOST}/index.xml`]: index(`${HOST}/old.xml`),
      [`${HOST}/old.xml`]: { status: 410 },
    }
    const urls = [`${HOST}/index.xml`, `${HOST}/typo.xml`]

    const { report } = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ urls, robots: true })] })

    expect(report.problems.map(({ message }) => message).toSorted()).toEqual([
      `${HOST}/old.xml: expected a sitemap or a feed, got http-410; its URLs are not known`,
      `${HOST}/typo.xml: expected a sitemap or a feed, got http-404; its URLs are not known`,
    ])
  })

  it('are read through indexes to a depth of three, and around no circle', async () => {
    const script = {
      ...pages('/', '/a', '/b'),
      [`${HOST}/map.xml`]: index(`${HOST}/map.xml`, `${HOST}/2.xml`, `${HOST}/a.xml`),
      [`${HOST}/2.xml`]: index(`${HOST}/3.xml`, `${HOST}/map.xml`),
      [`${HOST}/3.xml`]: index(`${HOST}/4.xml`),
      [`${HOST}/4.xml`]: index(`${HOST}/5.xml`),
      [`${HOST}/a.xml`]: urlset(`${HOST}/a`),
    }
    const { asked, report } = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ urls: [`${HOST}/map.xml`] })] })

    expect(pathsOf(asked).toSorted()).toEqual(['/', '/2.xml', '/3.xml', '/4.xml', '/a', '/a.xml', '/map.xml'])
    expect(report.problems.map(({ message }) => message)).toEqual([
      `${HOST}/4.xml is a sitemap index inside of others: its 1 sitemaps are left out`,
    ])
  })

  it('speak for their own site, and for others only where robots.txt of these names them, or the user', async () => {
    const everywhere = urlset(`${HOST}/a`, 'http://www.cdn.test/c', 'http://other.test/o')
    const script = {
      ...pages('/', '/a'),
      'http://www.cdn.test/c': {},
      'http://other.test/o': {},
      [`${HOST}/robots.txt`]: robotsOf('Sitemap: http://maps.cdn.test/map.xml'),
      'http://maps.cdn.test/map.xml': everywhere,
    }
    const made = pathSpider(seeds, { scope: { within: 'any' } })
    const named = await run(script, { spider: made, plugins: [sitemaps()] })
    const trusted = await run(script, { spider: made, plugins: [sitemaps({ urls: ['http://maps.cdn.test/map.xml'] })] })

    expect(pathsOf(named.asked).toSorted()).toEqual(['/', '/a', '/c', '/map.xml', '/robots.txt'])
    expect(named.report.problems[0]?.message).toMatch(/^http:\/\/maps\.cdn\.test\/map\.xml lists 1 URLs of other sites/)
    expect(pathsOf(trusted.asked).toSorted()).toEqual(['/', '/a', '/c', '/map.xml', '/o'])
  })

  it('give each URL to the handler whose pattern it matches first, and leave the others out', async () => {
    const script = {
      ...pages('/', '/p/1', '/c/p/2'),
      [`${HOST}/map.xml`]: urlset(`${HOST}/p/1`, `${HOST}/c/p/2`, `${HOST}/about`),
    }
    const made = shop()
    const { items } = await run(script, {
      spider: made,
      plugins: [sitemaps({ urls: [`${HOST}/map.xml`], handler: { list: /\/c\//g, product: /\/p\//g } })],
    })

    expect(items.map((item) => JSON.stringify(item)).toSorted()).toEqual([
      '{"list":"/c/p/2"}',
      '{"product":"/p/1"}',
      '{"start":"/"}',
    ])
  })

  it('go before pages, and rank them by <priority> where that is wanted', async () => {
    const body =
      '<urlset><url><loc>/low</loc><priority>0.1</priority></url><url><loc>/high</loc><priority>1.0</priority></url></urlset>'
    const script = { ...pages('/', '/low', '/high'), [`${HOST}/map.xml`]: { body } }
    const wanted = await run(script, {
      spider: pathSpider(seeds),
      plugins: [sitemaps({ urls: [`${HOST}/map.xml`], priority: true })],
    })
    const not = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ urls: [`${HOST}/map.xml`] })] })

    expect(pathsOf(wanted.asked)).toEqual(['/map.xml', '/high', '/', '/low'])
    expect(pathsOf(not.asked)).toEqual(['/map.xml', '/', '/low', '/high'])
  })

  it('are requested up to one byte more than 50 MB, so that it is seen and reported where there is more', async () => {
    const script = { ...pages('/'), [`${HOST}/map.xml`]: { body: `<urlset>${' '.repeat(50 * 2 ** 20)}` } }
    const { seen, report } = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ urls: [`${HOST}/map.xml`] })] })

    expect(seen.find(({ outbound }) => outbound.url.endsWith('/map.xml'))?.outbound.keepBytes).toBe(52_428_801)
    expect(report.problems.map(({ message }) => message)).toEqual([
      `${HOST}/map.xml: expected a sitemap or a feed; it is larger than 52428800 bytes: what is beyond is left out`,
    ])
  })

  it('are up to 1,000 of one robots.txt; the others are left out, and reported', async () => {
    const maps = Array.from({ length: 1_002 }, (_, n) => `${HOST}/${n}.xml`)
    const script = {
      ...pages('/'),
      [`${HOST}/robots.txt`]: robotsOf(...maps.map((url) => `Sitemap: ${url}`)),
      ...Object.fromEntries(maps.map((url) => [url, urlset()])),
    }
    const { asked, report } = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps()] })

    expect(pathsOf(asked).filter((path) => path.endsWith('.xml')).length).toBe(1_000)
    expect(report.problems.map(({ message }) => message)).toEqual([
      `${HOST}/robots.txt names 1002 sitemaps, more than 1000: the others are left out; add them to urls`,
    ])
  })

  it('of an index are read in each run, and are not told as modified for that', async () => {
    const script = { ...pages('/', '/a'), [`${HOST}/index.xml`]: index(`${HOST}/1.xml`), [`${HOST}/1.xml`]: urlset(`${HOST}/a`) }
    const frontier = memoryFrontier()
    const config = { spider: pathSpider(seeds), frontier, plugins: [sitemaps({ urls: [`${HOST}/index.xml`] })] }
    await run(script, config)

    const { report, asked } = await run(script, config)

    expect(pathsOf(asked)).toEqual(['/index.xml', '/1.xml'])
    expect(report.sources).toEqual([
      { url: `${HOST}/index.xml`, links: 1, added: 0, due: 0 },
      { url: `${HOST}/1.xml`, links: 1, added: 0, due: 0 },
    ])
  })

  it('that are HTML pages give nothing and are named once', async () => {
    const script = { ...pages('/'), [`${HOST}/map.xml`]: { body: '<!doctype html><html>' } }
    const { report } = await run(script, { spider: pathSpider(seeds), plugins: [sitemaps({ urls: [`${HOST}/map.xml`] })] })

    expect(report.problems).toEqual([{ message: `${HOST}/map.xml: expected a sitemap or a feed; it is an HTML page`, count: 1 }])
    expect(report.ended).toBe('done')
  })

  it('have feeds read again at their interval: a new entry is requested within it', async () => {
    const feed = (...paths: readonly string[]): Answer => ({
      body: `<rss>${paths.map((path) => `<item><link>${HOST}${path}</link></item>`).join('')}</rss>`,
    })
    const script = { ...pages('/', '/1', '/2'), [`${HOST}/feed`]: [feed('/1'), feed('/1'), feed('/1', '/2')] }
    const { asked } = await run(script, {
      spider: pathSpider(seeds),
      plugins: [sitemaps({ feeds: [`${HOST}/feed`], everyMs: 600_000 })],
      maxTimeMs: 1_500_000,
    })

    expect(
      asked
        .filter((line) => /\/[12]$/.test(line))
        .map((line) => `${Math.floor(Number(line.split(' ')[0]) / 600_000)} ${line.split(' ')[1]}`),
    ).toEqual(['0 /1', '2 /2'])
  })

  it.each([
    { urls: ['/map.xml'] },
    { urls: 'x' },
    { handler: 5 },
    { everyMs: 0 },
    { everyMs: Number.NaN },
    { robots: 1 },
    { maps: [] },
  ])('refuse the options %o', (options) => {
    expect(() => sitemaps(options as never)).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID' }))
  })
})

describe.each(['memory', 'sqlite'])('sitemaps in several runs, in a store of %s', (kind) => {
  it('are read no more of a host whose seed was removed', async () => {
    const other = 'http://other.test'
    const script = {
      ...pages('/'),
      [`${HOST}/robots.txt`]: robotsOf('Sitemap: /map.xml'),
      [`${HOST}/map.xml`]: urlset(),
      [`${other}/`]: html(),
      [`${other}/robots.txt`]: robotsOf('Sitemap: /removed.xml'),
      [`${other}/removed.xml`]: urlset(),
    }
    const config = { plugins: [sitemaps()] }
    const both = pathSpider([`${HOST}/`, `${other}/`])
    const [, second] = await runs(kind, { script, spider: both }, config, { ...config, spider: pathSpider(seeds) })

    expect(second?.asked.map((line) => line.slice(4)).toSorted()).toEqual(['/map.xml', '/robots.txt'])
  })

  it('are read again of all of 500 shops that name two each, though nothing else waits', async () => {
    const shops = Array.from({ length: 500 }, (_, n) => `http://shop-${n}.test`)
    const script = Object.fromEntries(
      shops.flatMap((origin) => [
        [`${origin}/`, html()],
        [`${origin}/robots.txt`, robotsOf('Sitemap: /files/sitemaps/products.xml', 'Sitemap: /files/sitemaps/departments.xml')],
        [`${origin}/files/sitemaps/products.xml`, urlset()],
        [`${origin}/files/sitemaps/departments.xml`, urlset()],
      ]),
    )
    const config = { plugins: [sitemaps()] }
    const [, second] = await runs(kind, { script, spider: pathSpider(shops.map((origin) => `${origin}/`)) }, config, config)

    expect(second?.asked.filter((line) => line.endsWith('/products.xml')).length).toBe(500)
    expect(second?.asked.filter((line) => line.endsWith('/departments.xml')).length).toBe(500)
  })

  it('are read again in each, though nothing else waits; pages only if they were modified since', async () => {
    const begins = 1_767_225_600_000
    const map = (...dates: readonly number[]): Answer => ({
      body: `<urlset>${dates.map((at, n) => `<url><loc>${HOST}/${n}</loc><lastmod>${new Date(at).toISOString()}</lastmod></url>`).join('')}</urlset>`,
    })
    const old = begins - DAY_MS
    const script = {
      ...pages('/', '/0', '/1', '/2'),
      [`${HOST}/robots.txt`]: robotsOf('Sitemap: /map.xml'),
      [`${HOST}/map.xml`]: [map(old, old), map(old, begins + DAY_MS / 2), map(old, begins + DAY_MS / 2, old)],
    }
    const config = { plugins: [sitemaps()] }
    const all = await runs(kind, { script, spider: pathSpider(seeds) }, config, config, config)

    expect(all.map(({ asked }) => asked.map((line) => line.slice(4)).toSorted())).toEqual([
      ['/', '/0', '/1', '/map.xml', '/robots.txt'],
      ['/1', '/map.xml', '/robots.txt'],
      ['/2', '/map.xml', '/robots.txt'],
    ])
  })
})

function shop(): Spider {
  return spider({
    name: 'shop',
    seeds,
    handlers: {
      *start(page) {
        yield { start: page.url.pathname }
      },
      *list(page) {
        yield { list: page.url.pathname }
      },
      *product(page) {
        yield { product: page.url.pathname }
      },
    },
  })
}
