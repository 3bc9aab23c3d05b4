// Who may be at a private address: IP addresses and localhost as they are meant, names only where the user allows it.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { crawl, link, type CrawlConfig } from 'avocet'
import { systemClock, type Fetcher } from '@avocet/core/store'
import { undiciFetcher } from '@avocet/fetcher-http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

/** Asks for these seeds; which of them may be private? */
async function rights(seeds: readonly string[], config: Partial<CrawlConfig> = {}): Promise<Readonly<Record<string, boolean>>> {
  const script = Object.fromEntries(seeds.map((url): [string, Answer] => [url, {}]))
  const { seen } = await run(script, { spider: pathSpider(seeds), delayMs: 0, ...config })
  return Object.fromEntries(seen.map(({ outbound }) => [outbound.url, outbound.privateAllowed]))
}

describe('a seed by name', () => {
  it('has no right, nor has a name in scope.hosts', async () => {
    const spider = pathSpider(['http://shop.test/'], { scope: { hosts: ['shop.test'] } })
    const { seen } = await run({ 'http://shop.test/': {} }, { spider })

    expect(seen.map(({ outbound }) => outbound.privateAllowed)).toEqual([false])
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
      scope: { hosts: ['127.0.0.1:8080', 'LocalHost'] },
      handlers: {
        *start() {
          yield link('http://127.0.0.1:8080/', { handler: 'page' })
          yield link('http://localhost/', { handler: 'page' })
        },
        *page() {},
      },
    })
    const { seen } = await run({ 'http://shop.test/': {} }, { spider })

    expect(seen.map(({ outbound }) => outbound.privateAllowed)).toEqual([false, true, true])
  })
})

describe('the option allowPrivate of a host', () => {
  const seeds = ['http://intranet.test/', 'http://shop.test/', 'http://127.0.0.1/']

  it('counts before an address that was meant, and before the same option of the crawl', async () => {
    const hosts = {
      'shop.test': { allowPrivate: true },
      'intranet.test': { allowPrivate: false },
      '127.0.0.1': { allowPrivate: false },
    }
    const expected = { 'http://intranet.test/': false, 'http://shop.test/': true, 'http://127.0.0.1/': false }

    expect(await rights(seeds, { hosts })).toEqual(expected)
    expect(await rights(seeds, { hosts, allowPrivate: true })).toEqual(expected)
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
    const { seen } = await run(script, { spider, hostKeying: 'domain', ...config })
    return seen.map(({ outbound }) => outbound.privateAllowed)
  }

  it('give subdomains and other ports no right', async () => {
    expect(await ask({})).toEqual([false, false, false])
    expect(await ask({ hosts: { 'shop.test': { allowPrivate: true } } })).toEqual([true, false, false])
  })

  it('give it to those that a pattern names', async () => {
    expect(await ask({ hosts: { '*.shop.test': { allowPrivate: true } } })).toEqual([false, true, false])
  })
})

describe('on real sockets', () => {
  it('a name that leads to our address gets no connection, unless it is allowed one', async () => {
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

    const rebound = await crawl({ policies: [], spider, fetcher: home() }).run()
    expect(rebound.failures).toMatchObject([{ reason: 'address-refused' }])
    expect(JSON.stringify(rebound.problems)).toContain("allow it: hosts: { 'shop.test")
    expect(connections).toBe(0)

    const own = await crawl({ policies: [], spider, fetcher: home(), allowPrivate: true }).run()
    expect(own.counts.done).toBe(1)
  })
})
