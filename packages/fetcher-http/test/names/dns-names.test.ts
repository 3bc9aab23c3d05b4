// Where names are looked up, in which order, and what the answers mean: against a name server on loopback.
import { systemClock } from '@avocet/core/store'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DnsNames, type DnsSources } from '../../src/names/dns-names.ts'
import { nameResolver } from '../../src/names/name-resolver.ts'
import { crawl } from 'avocet'
import { exchange, fetcherOf, ok, says } from '../web.ts'
import type { NameAnswer, NameQuestion } from '../../../../stress/hostile/name-server.ts'
import { dnsStub, type DnsStub } from './dns-stub.ts'

const NONE = { addresses: [] }

/** Names over a stub; without files unless the test gives some. */
async function namesOver(
  say: (question: NameQuestion) => NameAnswer,
  rest: Partial<DnsSources> = {},
): Promise<{ stub: DnsStub; find: (name: string) => Promise<readonly string[] | string> }> {
  const stub = await dnsStub(say)
  const names = new DnsNames({
    clock: systemClock(),
    nameServers: [stub.server],
    hostsPath: '/nonexistent',
    confPath: '/nonexistent',
    ...rest,
  })
  onTestFinished(() => names.close())
  const find = (name: string): Promise<readonly string[] | string> =>
    new Promise((resolve) => {
      names.resolve(name, ({ error, ...found }) => {
        if (error === undefined) resolve('addresses' in found ? found.addresses.map(({ address }) => address) : [])
        else resolve('code' in error ? String(error.code) : error.message)
      })
    })
  return { stub, find }
}

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-names-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, text)
  return path
}

const both = ({ type }: NameQuestion): NameAnswer => ({
  addresses: type === 'A' ? ['192.0.2.1', '192.0.2.2'] : ['2001:db8:0:0:0:0:0:1'],
})

describe('addresses', () => {
  it('are those of both families, by turns, IPv4 first', async () => {
    const { find } = await namesOver(both)
    expect(await find('shop.test')).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2'])
  })

  it('do not wait for a family that the name server never answers for', async () => {
    const { find } = await namesOver((question) => (question.type === 'A' ? both(question) : 'silence'))
    const startedAt = performance.now()
    expect(await find('shop.test')).toEqual(['192.0.2.1', '192.0.2.2'])
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  it('are found when one family is said not to exist', async () => {
    const { find } = await namesOver((question) => (question.type === 'A' ? both(question) : { rcode: 3 }))
    expect(await find('shop.test')).toEqual(['192.0.2.1', '192.0.2.2'])
  })

  it('that do not fit into a datagram come over TCP', async () => {
    const { find, stub } = await namesOver((question) => (question.over === 'udp' ? 'cut' : both(question)))
    expect(await find('shop.test')).toEqual(['192.0.2.1', '2001:db8::1', '192.0.2.2'])
    expect(stub.asked.filter(({ over }) => over === 'tcp')).toHaveLength(2)
  })

  it('of localhost need nobody to be asked', async () => {
    const { find, stub } = await namesOver(() => NONE)
    expect(await find('localhost')).toEqual(['127.0.0.1', '::1'])
    expect(await find('shop.localhost.')).toEqual(['127.0.0.1', '::1'])
    expect(stub.asked).toEqual([])
  })
})

describe('a name', () => {
  it.each(['shop.invalid', 'shop.onion.'])('such as %s does not exist, and nobody is asked', async (name) => {
    const { find, stub } = await namesOver(both)
    expect(await find(name)).toBe('ENOTFOUND')
    expect(stub.asked).toEqual([])
  })

  it.each<[string, NameAnswer, string]>([
    ['does not exist', { rcode: 3 }, 'ENOTFOUND'],
    ['has no addresses', NONE, 'ENODATA'],
    ['fails at the name server', { rcode: 2 }, 'ESERVFAIL'],
    ['is refused by the name server', { rcode: 5 }, 'EREFUSED'],
  ])('that %s is reported so', async (_name, said, code) => {
    const { find } = await namesOver(() => said)
    expect(await find('shop.test')).toBe(code)
  })

  it('that fails for one family and has no address of the other may exist', async () => {
    const { find } = await namesOver(({ type }) => (type === 'A' ? { rcode: 2 } : NONE))
    expect(await find('shop.test')).toBe('ESERVFAIL')
  })

  it.each<[NameAnswer | undefined, string]>([
    [{ rcode: 3 }, 'AVO_DNS_NOT_FOUND'],
    [NONE, 'AVO_DNS_NOT_FOUND'],
    [{ rcode: 2 }, 'AVO_DNS_FAILED'],
    [{ rcode: 5 }, 'AVO_DNS_FAILED'],
    [undefined, 'AVO_DNS_FAILED'],
  ])('of which the name server says %o fails as %s', async (said, code) => {
    const server = said === undefined ? '127.0.0.1:1' : (await dnsStub(() => said)).server
    const { failure } = await exchange(fetcherOf({ nameServers: [server] }), 'http://shop.test/')
    expect(failure).toMatchObject({ code, phase: 'dns', sent: false })
    if (said === undefined) expect(failure?.message).toContain('ECONNREFUSED from 127.0.0.1:1')
  })

  it('that cannot exist does not', async () => {
    const { failure } = await exchange(fetcherOf({ nameServers: ['127.0.0.1:1'] }), `http://${'x'.repeat(64)}.test/`)
    expect(failure).toMatchObject({ code: 'AVO_DNS_NOT_FOUND' })
  })
})

describe('the hosts file', () => {
  it('comes before the name servers, and is read again when it changes', async () => {
    const hostsPath = fileWith('192.0.2.9 Shop.test other.test # ours\n2001:db8::9 shop.test\nnonsense\n')
    const clock = { ...systemClock(), monotonic: () => now }
    let now = 0
    const { find, stub } = await namesOver(both, { hostsPath, clock })
    expect(await find('shop.test')).toEqual(['192.0.2.9', '2001:db8::9'])
    expect(await find('SHOP.test.')).toEqual(['192.0.2.9', '2001:db8::9'])
    expect(stub.asked).toEqual([])

    writeFileSync(hostsPath, '192.0.2.10 shop.test\n')
    utimesSync(hostsPath, 1_000_000, 1_000_000)
    now = 5_000
    await vi.waitFor(async () => expect(await find('shop.test')).toEqual(['192.0.2.10']))
    rmSync(hostsPath)
    now = 10_000
    await vi.waitFor(async () => expect(await find('shop.test')).toContain('2001:db8::1'))
  })
})

describe('options of the resolver', () => {
  const spider = { name: 'x', seeds: ['http://shop.test/'], handlers: { *start() {} } }

  it.each([
    [{ nameServers: [] }, "expected nameServers to be IP addresses with or without a port, like '192.0.2.53', got ''"],
    [{ nameServers: ['ns.example'] }, 'expected nameServers to be IP addresses'],
    [{ resolver: 'system', nameServers: ['192.0.2.53'] }, "expected nameServers to be left out with resolver: 'system'"],
    [{ resolver: 'doh' }, `expected resolver to be 'dns' or 'system', got 'doh'`],
  ])('%o are refused', (options, message) => {
    expect(() => nameResolver({ clock: systemClock(), ...(options as object) })).toThrow(message)
  })

  it("are refused beside a resolver of one's own", () => {
    expect(() => fetcherOf({ resolve: () => {}, resolver: 'system' })).toThrow('got both')
  })

  it("are refused beside a fetcher of one's own, which would not hear of them", () => {
    const fetcher = fetcherOf()
    expect(() => crawl({ policies: [], spider, fetcher, nameServers: ['192.0.2.53'] })).toThrow('expected either a fetcher')
    expect(() => crawl({ policies: [], spider, fetcher, resolver: 'system' })).toThrow('expected either a fetcher')
  })

  it('are those of the crawl', async () => {
    const { port } = new URL(await says(ok('x', 'Content-Type: text/html\r\n')))
    const { server, asked } = await dnsStub(({ type }) => (type === 'A' ? { addresses: ['127.0.0.1'] } : NONE))
    const seeds = [`http://shop.test:${port}/`]
    const report = await crawl({ policies: [], spider: { ...spider, seeds }, nameServers: [server], allowPrivate: true }).run()
    expect(report.run).toMatchObject({ pages: 1, failed: 0 })
    expect(asked.map(({ name }) => name)).toEqual(['shop.test', 'shop.test'])
  })

  it('let the system resolve', async () => {
    const { resolve } = nameResolver({ clock: systemClock(), resolver: 'system' })
    const found = await new Promise((answer) => resolve('localhost', answer))
    expect(JSON.stringify(found)).toContain('127.0.0.1')
  })
})

describe('closing', () => {
  it('ends look-ups under way, and tells nobody', async () => {
    const { server, asked } = await dnsStub(() => 'silence')
    const { resolve, close } = nameResolver({ clock: systemClock(), nameServers: [server] })
    let told = false
    resolve('shop.test', () => (told = true))
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0))
    close()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(told).toBe(false)
  })
})
