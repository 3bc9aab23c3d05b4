// What a site model promises: the same content for the same seed, links that lead to every page, and laws that hold.
import { describe, expect, it } from 'vitest'
import { quotes, roughForty, seeded, shops, shuffled, siteModel, twelveHosts } from '../src/index.ts'
import type { HostSpec, SiteModel } from '../src/index.ts'
import { capacityGate } from '../src/site-model/capacity.ts'
import { HostLife, latencyMs } from '../src/site-model/host-life.ts'

const HREF = /<a([^>]*?) href="([^"]*)"/g

/** Every HTML page that a crawl finds that follows all links but nofollow ones, by URL. */
function follow(model: SiteModel): Map<string, string> {
  const queue = [...model.seeds()]
  const found = new Map<string, string>()
  for (let url = queue.pop(); url !== undefined; url = queue.pop()) {
    const { hostname, pathname, search, origin } = new URL(url)
    const page = model.page(hostname, pathname + search)
    if (found.has(url) || page === undefined || page.status !== 200 || !page.headers['content-type']?.includes('html')) continue
    const html = new TextDecoder().decode(page.body)
    found.set(url, html)
    for (const [, attributes = '', href = ''] of html.matchAll(HREF)) {
      const target = new URL(href.replaceAll('&amp;', '&'), url)
      if (!attributes.includes('nofollow') && target.origin === origin) queue.push(target.href)
    }
  }
  return found
}

const ALL_KINDS: HostSpec[] = [
  { name: 'tree.test', pages: { kind: 'tree', pages: 50, branching: 3, extras: { redirects: 4, missing: 3, documents: 3 } } },
  { name: 'shop.test', pages: { kind: 'shop', products: 45, categories: 2, perPage: 10, extras: { redirects: 1 } } },
  { name: 'quotes.test', pages: { kind: 'quotes', quotes: 25 } },
  { name: 'list.test', pages: { kind: 'list', pages: 5 } },
]

describe('site model', () => {
  it('links to exactly the pages that it says are there', () => {
    const model = siteModel({ seed: 'a', hosts: ALL_KINDS })

    const found = follow(model)

    expect([...found.keys()].sort()).toEqual(model.urls().toSorted())
    // 50 of the tree; front, 2 × 3 lists and 45 products of the shop; 3 of quotes; 5 of the list.
    expect(found.size).toBe(50 + 52 + 3 + 5)
  })

  it('is the same for the same seed, and survives being written down', () => {
    const spec = { seed: 'a', hosts: ALL_KINDS }
    const one = siteModel(spec)
    const two = siteModel(JSON.parse(JSON.stringify(spec)) as typeof spec)
    const other = siteModel({ ...spec, seed: 'b' })

    expect(two.page('shop.test', '/product/A-00007')?.body).toEqual(one.page('shop.test', '/product/A-00007')?.body)
    expect(other.page('shop.test', '/product/A-00007')?.body).not.toEqual(one.page('shop.test', '/product/A-00007')?.body)
  })

  it('shows on its pages what it expects a crawl to find', () => {
    const model = siteModel({ seed: 'a', hosts: ALL_KINDS })
    const [product] = model.expected.products()
    const [quote] = model.expected.quotes()

    expect(model.expected.products()).toHaveLength(45)
    expect(model.expected.quotes('quotes.test')).toHaveLength(25)
    expect(product?.url).toBe('http://shop.test/product/A-00001')
    expect(text(model, 'shop.test', '/product/A-00001')).toContain(
      `<span class="price">${product?.price.toFixed(2) ?? ''}</span>`,
    )
    expect(text(model, 'quotes.test', '/')).toContain(`<span class="text">${quote?.text ?? ''}</span>`)
  })

  it('has other origins with the option for it', () => {
    const model = siteModel({ seed: 'a', hosts: ALL_KINDS }).withBase(() => 'http://127.0.0.1:8080')

    expect(model.seeds('shop.test')).toEqual(['http://127.0.0.1:8080/'])
    expect(text(model, 'shop.test', '/category/0')).toContain('href="http://127.0.0.1:8080/product/A-00001"')
  })

  it('has redirects, documents and nothing', () => {
    const model = siteModel({ seed: 'a', hosts: ALL_KINDS })

    expect([0, 1, 2, 3, 4].map((n) => model.page('tree.test', `/old/${String(n)}`)?.status)).toEqual([
      301,
      302,
      307,
      308,
      undefined,
    ])
    expect(model.page('tree.test', '/old/0')?.headers['location']).toMatch(/^http:\/\/tree\.test\//)
    expect(model.page('tree.test', '/old/1')?.headers['location']).toMatch(/^\//)
    expect(model.page('tree.test', '/files/0.json')?.headers['content-type']).toBe('application/json')
    expect(model.page('tree.test', '/files/2.bin')?.body).toHaveLength(256)
    expect(model.page('tree.test', '/missing/0')).toBeUndefined()
    expect(model.page('tree.test', '/p/50')).toBeUndefined()
    expect(model.page('unknown.test', '/')).toBeUndefined()
  })

  it('refuses two hosts of one name', () => {
    const host = { name: 'a.test', pages: { kind: 'list', pages: 1 } } as const
    expect(() => siteModel({ seed: 'a', hosts: [host, host] })).toThrow(/"a\.test" came twice/)
  })

  it('has worlds of the sizes that they are named for', () => {
    expect(twelveHosts().seeds()).toHaveLength(700)
    expect(roughForty().hosts).toHaveLength(40)
    expect(shops(3).expected.products()).toHaveLength(120)
    expect(quotes().expected.quotes()).toHaveLength(100)
  })
})

describe('chance', () => {
  it('is even, and depends on its words and number alone', () => {
    const draws = Array.from({ length: 10_000 }, (_, n) => seeded('a', 'b')(n))

    expect(seeded('a', 'b')(7)).toBe(draws[7])
    expect(seeded('ab')(7)).not.toBe(draws[7])
    expect(draws.reduce((sum, draw) => sum + draw, 0) / 10_000).toBeCloseTo(0.5, 1)
    const tenths = Array.from({ length: 10 }, (_, tenth) => draws.filter((draw) => Math.floor(draw * 10) === tenth).length)
    expect(Math.min(...tenths)).toBeGreaterThan(880)
    expect(Math.max(...tenths)).toBeLessThan(1_120)
    expect(new Set(draws).size).toBeGreaterThan(9_990)
  })

  it('shuffles without losing anything', () => {
    const list = Array.from({ length: 100 }, (_, n) => n)

    expect(shuffled(list, 'a').toSorted((a, b) => a - b)).toEqual(list)
    expect(shuffled(list, 'a')).toEqual(shuffled(list, 'a'))
    expect(shuffled(list, 'a')).not.toEqual(shuffled(list, 'b'))
  })
})

describe('latency', () => {
  it('keeps to its law', () => {
    const draws = (law: Parameters<typeof latencyMs>[0]): number[] =>
      Array.from({ length: 2_001 }, (_, n) => latencyMs(law, seeded('x'), n)).sort((a, b) => a - b)

    expect(new Set(draws({ law: 'fixed', ms: 50 }))).toEqual(new Set([50]))
    const uniform = draws({ law: 'uniform', minMs: 100, maxMs: 300 })
    expect(uniform[0]).toBeGreaterThanOrEqual(100)
    expect(uniform[2_000]).toBeLessThan(300)
    expect(uniform[1_000]).toBeGreaterThan(190)
    expect(uniform[1_000]).toBeLessThan(210)
    const lognormal = draws({ law: 'lognormal', medianMs: 200, spread: 0.5 })
    expect(lognormal[1_000]).toBeGreaterThan(190)
    expect(lognormal[1_000]).toBeLessThan(210)
    // e^0.5 = 1.65 at one standard deviation (84 %).
    expect(lognormal[1_682]).toBeGreaterThan(310)
    expect(lognormal[1_682]).toBeLessThan(355)
  })
})

describe('capacity', () => {
  it('of a bucket serves the burst, then so many a second, and says how long to wait', () => {
    const gate = capacityGate({ law: 'bucket', perSecond: 2, burst: 3 })

    expect([0, 0, 0, 0].map((at) => gate.take(at))).toEqual([0, 0, 0, 500])
    expect(gate.take(500)).toBe(0)
    expect(gate.take(600)).toBeCloseTo(400)
    expect([10_000, 10_000, 10_000, 10_000].map((at) => gate.take(at))).toEqual([0, 0, 0, 500])
  })

  it('of a window serves so many in each', () => {
    const gate = capacityGate({ law: 'window', requests: 2, seconds: 60 })

    expect([0, 1_000, 2_000, 59_000, 60_000, 60_000, 61_000].map((at) => gate.take(at))).toEqual([
      0, 0, 58_000, 1_000, 0, 0, 59_000,
    ])
  })
})

describe('host', () => {
  const pages = { kind: 'list', pages: 1 } as const

  it('refuses in its style', () => {
    const life = (refusal: HostSpec['refusal']): HostLife =>
      new HostLife(
        { name: 'a.test', pages, capacity: { law: 'bucket', perSecond: 0.5, burst: 1 }, ...(refusal && { refusal }) },
        'a',
        1_000_000,
      )
    const second = (host: HostLife): unknown => (host.receive(1_000_000), host.receive(1_000_500))

    expect(second(life(undefined))).toMatchObject({ kind: 'refuse', status: 429, latencyMs: 5 })
    expect(second(life({ status: 503, retryAfter: 'seconds' }))).toMatchObject({ status: 503, headers: { 'retry-after': '2' } })
    expect(second(life({ status: 429, retryAfter: 'date', retryAfterSeconds: 9 }))).toMatchObject({
      headers: { 'retry-after': 'Thu, 01 Jan 1970 00:16:50 GMT' },
    })
  })

  it('dies and recovers at its times', () => {
    const life = new HostLife(
      {
        name: 'a.test',
        pages,
        outages: [
          { style: 'hang', fromMs: 10, untilMs: 20 },
          { style: 'reset', fromMs: 30 },
        ],
      },
      'a',
      0,
    )

    expect([0, 10, 19, 20, 30, 1e9].map((at) => life.deathAt(at))).toEqual([
      undefined,
      'hang',
      'hang',
      undefined,
      'reset',
      'reset',
    ])
  })

  it('flaps for its share of each period', () => {
    const life = new HostLife({ name: 'a.test', pages, flapping: { style: 'reset', periodMs: 1_000, downRatio: 0.25 } }, 'a', 0)

    const down = Array.from({ length: 1_000 }, (_, n) => life.deathAt(5_000 + n)).filter((death) => death === 'reset')

    expect(down).toHaveLength(250)
  })
})

function text(model: SiteModel, host: string, path: string): string {
  return new TextDecoder().decode(model.page(host, path)?.body)
}
