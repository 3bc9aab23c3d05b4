// Who may be at a private address: IP addresses and localhost as they are meant, names only if they led inside when the crawl was made.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crawl, link, memoryFrontier, type CrawlConfig } from 'avocet'
import { systemClock, type Fetcher } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import type { Addresses, Answer } from '../scripted-web.ts'

const INNER: Addresses = { 'intranet.test': ['10.0.0.5'], 'shop.test': ['8.8.8.8'], 'both.test': ['8.8.8.8', '10.0.0.5'] }

/** Asks for these seeds; which of them may be private? */
async function rights(
  seeds: readonly string[],
  config: Partial<CrawlConfig> & { readonly addresses?: Addresses } = {},
): Promise<Readonly<Record<string, boolean>>> {
  const script = Object.fromEntries(seeds.map((url): [string, Answer] => [url, {}]))
  const { seen } = await run(script, { spider: pathSpider(seeds), delayMs: 0, ...config })
  return Object.fromEntries(seen.map(({ outbound }) => [outbound.url, outbound.privateAllowed]))
}

describe('a seed by name', () => {
  it('is checked like any other, unless it led to a private address when the crawl was made', async () => {
    const seeds = ['http://intranet.test/', 'http://shop.test/', 'http://both.test/', 'http://nowhere.test/']

    expect(await rights(seeds, { addresses: INNER })).toEqual({
      'http://intranet.test/': true,
      'http://shop.test/': false,
      'http://both.test/': true,
      'http://nowhere.test/': false,
    })
  })

  it('keeps what it had when the crawl was made, whatever its DNS says in later runs', async () => {
    const frontier = memoryFrontier()
    const seeds = ['http://intranet.test/1', 'http://shop.test/1']
    await rights(seeds, { addresses: INNER, frontier })
    const changed = { 'intranet.test': ['8.8.8.8'], 'shop.test': ['10.0.0.5'], 'late.test': ['10.0.0.5'] }
    const later = ['http://intranet.test/2', 'http://shop.test/2', 'http://late.test/']

    expect(await rights(later, { addresses: changed, frontier })).toEqual({
      'http://intranet.test/2': true,
      'http://shop.test/2': false,
      'http://late.test/': false,
    })
  })

  it('has no right where the fetcher does not tell what names lead to', async () => {
    expect(await rights(['http://intranet.test/'])).toEqual({ 'http://intranet.test/': false })
  })

  it('that is looked up for long holds up nobody but itself', async () => {
    const clock = new VirtualClock()
    const slow = new Promise<readonly string[]>((tell) => clock.at(clock.now() + 4_000, () => tell(['10.0.0.5'])))
    const script = { 'http://slow.test/': {}, 'http://shop.test/': {} }
    const spider = pathSpider(['http://slow.test/', 'http://shop.test/'])
    const { asked, seen } = await run(script, { spider, clock, addresses: { ...INNER, 'slow.test': slow } })

    expect(seen.map(({ outbound }) => [outbound.url, outbound.privateAllowed])).toEqual([
      ['http://shop.test/', false],
      ['http://slow.test/', true],
    ])
    expect(asked).toEqual(['+0 /', '+4000 /'])
  })

  it('that is never answered has no right after 10 s, also in the next run', async () => {
    const frontier = memoryFrontier()
    const never = new Promise<readonly string[]>(() => {})
    const script = { 'http://mute.test/': {}, 'http://mute.test/2': {} }
    const config = { frontier, addresses: { 'mute.test': never } }
    const first = await run(script, { spider: pathSpider(['http://mute.test/']), ...config })

    expect(first.asked).toEqual(['+10000 /'])
    expect(first.seen.map(({ outbound }) => outbound.privateAllowed)).toEqual([false])
    expect(await rights(['http://mute.test/2'], { frontier, addresses: { 'mute.test': ['10.0.0.5'] } })).toEqual({
      'http://mute.test/2': false,
    })
  })

  it('is looked up once, however many seeds have it', async () => {
    let asked = 0
    const addresses = {
      get 'intranet.test'() {
        asked++
        return ['10.0.0.5']
      },
    }
    await rights(['http://intranet.test/1', 'https://intranet.test/2', 'http://intranet.test:8080/3'], { addresses })

    expect(asked).toBe(1)
  })
})

describe('an IP address or localhost as a seed', () => {
  it('is meant as such', async () => {
    const seeds = ['http://127.0.0.1:8080/', 'http://[::1]/', 'http://localhost/', 'http://shop.localhost/', 'http://10.0.0.1/']

    expect(Object.values(await rights(seeds))).toEqual([true, true, true, true, true])
  })

  it('means that port and no other', async () => {
    const spider = pathSpider(['http://127.0.0.1:8080/'], {
      scope: { within: 'any' },
      handlers: {
        *start() {
          yield link('http://127.0.0.1:6379/', { handler: 'page' })
          yield link('http://localhost:8080/', { handler: 'page' })
        },
        *page() {},
      },
    })
    const { seen } = await run({ 'http://127.0.0.1:8080/': {} }, { spider })

    expect(seen.map(({ outbound }) => outbound.privateAllowed)).toEqual([true, false, false])
  })

  it('means as much in scope.hosts', async () => {
    const spider = pathSpider(['http://shop.test/'], {
      scope: { hosts: ['127.0.0.1:8080', 'Intranet.test'] },
      handlers: {
        *start() {
          yield link('http://127.0.0.1:8080/', { handler: 'page' })
          yield link('http://intranet.test/', { handler: 'page' })
        },
        *page() {},
      },
    })
    const { seen } = await run({ 'http://shop.test/': {} }, { spider, addresses: INNER })

    expect(seen.map(({ outbound }) => outbound.privateAllowed)).toEqual([false, true, true])
  })
})

describe('the option allowPrivate of a host', () => {
  const seeds = ['http://intranet.test/', 'http://shop.test/', 'http://127.0.0.1/']

  it('counts before what a name leads to, and before the same option of the crawl', async () => {
    const hosts = {
      'shop.test': { allowPrivate: true },
      'intranet.test': { allowPrivate: false },
      '127.0.0.1': { allowPrivate: false },
    }
    const expected = { 'http://intranet.test/': false, 'http://shop.test/': true, 'http://127.0.0.1/': false }

    expect(await rights(seeds, { addresses: INNER, hosts })).toEqual(expected)
    expect(await rights(seeds, { addresses: INNER, hosts, allowPrivate: true })).toEqual(expected)
  })

  it('goes by the most specific pattern', async () => {
    const hosts = { '*': { allowPrivate: true }, 'shop.test': { allowPrivate: false, maxRps: 3 } }

    expect(Object.values(await rights(seeds, { hosts }))).toEqual([true, false, true])
  })

  it.each([{ allowPrivate: 'yes' }, { allowPrivate: 1 }])('is refused as %o', async (options) => {
    const hosts = { 'shop.test': options } as unknown as NonNullable<CrawlConfig['hosts']>

    await expect(rights(seeds, { hosts })).rejects.toMatchObject({ code: 'AVO_CONFIG_INVALID' })
  })
})

describe('hosts keyed by domain', () => {
  const ask = async (config: Partial<CrawlConfig>): Promise<readonly boolean[]> => {
    const spider = pathSpider(['http://shop.test/'], {
      scope: { within: 'any' },
      handlers: {
        *start() {
          yield link('http://evil.shop.test/', { handler: 'page' })
          yield link('http://shop.test:8080/', { handler: 'page' })
        },
        *page() {},
      },
    })
    const script = { 'http://shop.test/': {} }
    const { seen } = await run(script, { spider, hostKeying: 'domain', addresses: { 'shop.test': ['10.0.0.5'] }, ...config })
    return seen.map(({ outbound }) => outbound.privateAllowed)
  }

  it('give subdomains and other ports no right', async () => {
    expect(await ask({})).toEqual([true, false, false])
    expect(await ask({ hosts: { 'shop.test': { allowPrivate: true } } })).toEqual([true, false, false])
  })

  it('give it to those that a pattern names', async () => {
    expect(await ask({ hosts: { '*.shop.test': { allowPrivate: true } } })).toEqual([true, true, false])
  })
})

describe('on real sockets', () => {
  it('a name that led to a public address when the crawl was made, and to ours when it was asked, gets no connection', async () => {
    let connections = 0
    const server = createServer((_request, response) => response.end('inner')).on('connection', () => connections++)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const spider = pathSpider([`http://shop.test:${port}/`])
    const home = (): Fetcher =>
      undiciFetcher({
        clock: systemClock(),
        resolve: (_name, answer) => answer({ addresses: [{ address: '127.0.0.1', family: 4 }] }),
      })

    const rebound = await crawl({
      policies: [],
      spider,
      fetcher: { ...home(), leadsInside: () => Promise.resolve(false) },
    }).run()
    expect(rebound.failures).toMatchObject([{ reason: 'address-refused' }])
    expect(connections).toBe(0)

    const own = await crawl({ policies: [], spider, fetcher: home() }).run()
    expect(own.counts.done).toBe(1)
  })
})
