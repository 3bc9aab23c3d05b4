// Kept responses: what is kept, what is not, and that nothing about them stops a crawl.
import { createCipheriv } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, link, memoryFrontier, unpaced, type CrawlConfig, type CrawlReport, type Page } from 'avocet'
import { openResponses, responseCache, type ResponseCacheOptions } from '@avocet/plugin-sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CacheFile, keyOf } from '../src/cache/cache-file.ts'

let folder: string
let path: string
let origin: string
let answer: (request: IncomingMessage, response: ServerResponse) => void
const server = createServer((request, response) => answer(request, response))

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'avocet-cache-'))
  path = join(folder, 'shop.cache')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
})

async function crawled(
  start: (page: Page) => Iterable<unknown>,
  { options = {}, more = {} }: { options?: ResponseCacheOptions; more?: Partial<CrawlConfig> } = {},
): Promise<CrawlReport> {
  const handlers = { start, other: (page: Page) => [{ url: page.url.href }] }
  const spider = { name: 'shop', seeds: [`${origin}/`], handlers }
  return crawl({ spider, policies: [unpaced()], plugins: [responseCache(path, options)], patienceMs: 0, ...more }).run()
}

const follow = (page: Page): Iterable<unknown> => page.links({ handler: 'other' })

async function statusOf(
  url: string,
  more: { method?: string; body?: string; identity?: string } = {},
): Promise<number | undefined> {
  const kept = await openResponses(path)
  try {
    return kept.find({ method: 'GET', url: `${origin}${url}`, ...more })?.response.status
  } finally {
    kept.close()
  }
}

describe('kept responses', () => {
  it('are those that reached a handler, as they were, and redirects', async () => {
    answer = ({ url }, response) => {
      response.setHeader('content-type', 'text/html').setHeader('set-cookie', 'id=7').setHeader('x-shop', 'tea')
      if (url === '/') response.end('<a href="/moved">A</a><a href="/gone">B</a>')
      else if (url === '/moved') response.writeHead(301, { location: '/there' }).end()
      else response.writeHead(url === '/there' ? 200 : 404).end('x')
    }

    const before = Date.now()
    await crawled(follow)
    const kept = await openResponses(path)
    const first = kept.find({ method: 'GET', url: `${origin}/` })
    kept.close()

    expect(first?.response).toMatchObject({
      status: 200,
      url: `${origin}/`,
      headers: { 'content-type': 'text/html', 'x-shop': 'tea' },
    })
    expect(first?.response.headers['set-cookie']).toBeUndefined()
    expect(Buffer.from(first?.response.body ?? []).toString()).toBe('<a href="/moved">A</a><a href="/gone">B</a>')
    expect(first?.fetchedAt).toBeGreaterThanOrEqual(before)
    expect([await statusOf('/moved'), await statusOf('/there'), await statusOf('/gone')]).toEqual([301, 200, undefined])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('have the moment that the page and its history in the store have, also where a plugin serves them later', async () => {
    answer = (_request, response) =>
      void setTimeout(() => response.setHeader('content-type', 'text/html').end('<title>tea</title>'), 30)
    const seen: number[] = []
    const start = (page: Page): [] => (seen.push(page.fetchedAt), [])
    const historyAfter = async (more: Partial<CrawlConfig>): Promise<number | undefined> => {
      const frontier = memoryFrontier()
      await crawled(start, { more: { ...more, frontier } })
      return (await frontier.reader.requests({ url: `${origin}/` }))[0]?.fetchedAt
    }
    const first = await historyAfter({})
    const kept = await openResponses(path)
    const found = kept.find({ method: 'GET', url: `${origin}/` })
    kept.close()
    const serves = definePlugin({
      name: 'serves',
      beforeRequest: (outgoing) => (found === undefined ? undefined : outgoing.serve(found.response)),
    })

    const second = await historyAfter({ plugins: [serves] })

    expect(first).toBeGreaterThan(0)
    expect([found?.fetchedAt, second, ...seen]).toEqual([first, first, first, first])
  })

  it('are told apart by method, body and identity, and found by another spelling of the URL', async () => {
    answer = (_request, response) => void response.setHeader('content-type', 'text/html').end('<p>tea')

    await crawled(function* () {
      yield link(`${origin}/q?b=1&a=2`, { handler: 'other' })
      yield link(`${origin}/search`, { handler: 'other', method: 'POST', body: 'q=tea' })
      yield link(`${origin}/list`, { handler: 'other', identity: 'de' })
    })

    expect(await statusOf('/q?a=2&b=1')).toBe(200)
    expect(await statusOf('/search')).toBeUndefined()
    expect(await statusOf('/search', { method: 'POST', body: 'q=tea' })).toBe(200)
    expect(await statusOf('/search', { method: 'POST', body: 'q=milk' })).toBeUndefined()
    expect(await statusOf('/list')).toBeUndefined()
    expect(await statusOf('/list', { identity: '"de"' })).toBe(200)
  })

  it('are told apart by the header fields of the request, but not by those that are secret', async () => {
    answer = ({ url, headers }, response) =>
      void response.setHeader('content-type', 'text/html').end(`<p>${url} ${headers.accept}`)
    const at = (url: string): string => `${origin}${url}`

    await crawled(function* () {
      yield link(at('/a'), { handler: 'other', headers: { Accept: 'text/x' }, identity: 'x' })
      yield link(at('/a'), { handler: 'start', headers: { Accept: 'text/y', authorization: 'Bearer 123456' } })
      yield link(at('/b'), { handler: 'other', headers: { accept: 'text/z', 'x-api-key': '654321' } })
    })
    const kept = await openResponses(path)
    const found = (url: string, headers?: Record<string, string>): string | undefined => {
      const given = { method: 'GET', url: at(url), ...(headers && { headers }) }
      const body = kept.find(url === '/a' && headers?.['accept'] === 'text/x' ? { ...given, identity: '"x"' } : given)
      return body && Buffer.from(body.response.body).toString()
    }
    const all = [
      [found('/a', { accept: 'text/x' }), found('/a', { accept: 'text/y' }), found('/a', { accept: 'text/z' }), found('/a', {})],
      [
        found('/b', { accept: 'text/z' }),
        found('/b', { ACCEPT: 'text/z', authorization: 'Bearer 654321' }),
        found('/b', {}),
        found('/b'),
      ],
    ]
    kept.close()

    expect(all).toEqual([
      ['<p>/a text/x', '<p>/a text/y', undefined, undefined],
      ['<p>/b text/z', '<p>/b text/z', undefined, '<p>/b text/z'],
    ])
  })

  it('have all fields but those whose names hold a secret, by whole words, and no value that such a field sent', async () => {
    const secret = ['x-access-key', 'x-password', 'x-pwd', 'x-passwd', 'x-api_key', 'x-rapidapi-key']
    const harmless = ['x-author', 'x-tokens-left', 'surrogate-key', 'www-authenticate', 'access-control-allow-credentials']
    answer = (request, response) => {
      for (const name of [...secret, ...harmless]) response.setHeader(name, 'some-value')
      response.setHeader('content-type', 'text/html').end(`<p>${secret.map((name) => String(request.headers[name])).join(' ')}`)
    }

    await crawled(follow, { more: { headers: Object.fromEntries(secret.map((name, index) => [name, `tomato-${index}234`])) } })
    const kept = await openResponses(path)
    const response = kept.find({ method: 'GET', url: `${origin}/` })?.response
    kept.close()

    expect(Object.keys(response?.headers ?? {}).filter((name) => secret.includes(name))).toEqual([])
    expect(response?.headers).toMatchObject(Object.fromEntries(harmless.map((name) => [name, 'some-value'])))
    expect(Buffer.from(response?.body ?? []).toString()).toBe(`<p>${secret.map(() => '__secret__').join(' ')}`)
  })

  it('have keys that no secret field is part of, and every other one', () => {
    const keyWith = (name: string, value: string): string =>
      keyOf({ method: 'GET', url: 'https://shop.test/', headers: { [name]: value } }).toString('hex')

    for (const name of ['x-password', 'X-Api_Key', 'x-access-key']) expect(keyWith(name, 'a')).toBe(keyWith(name, 'b'))
    for (const name of ['x-author', 'x-tokens-left']) expect(keyWith(name, 'a')).not.toBe(keyWith(name, 'b'))
  })

  it('of one URL with several header fields are not guessed between', async () => {
    answer = ({ headers }, response) => void response.setHeader('content-type', 'text/html').end(`<p>${headers.accept}`)

    await crawled(function* () {
      yield link(`${origin}/a`, { handler: 'other', headers: { accept: 'text/x' } })
      yield link(`${origin}/a`, { handler: 'start', headers: { accept: 'text/y' } })
    })

    expect(await statusOf('/a')).toBeUndefined()
  })

  it('have no value of a secret parameter in them, and lead to the same pages', async () => {
    answer = ({ url }, response) => {
      const links = '<a href="/a?token=tomato-1234&p=2">A</a><script>{"token": "tomato-1234"}</script>tomato-1234'
      response.setHeader('content-type', 'text/html').end(url === '/' ? links : 'x')
    }

    await crawled(follow, { more: { secretParameters: ['token'] } })
    const kept = await openResponses(path)
    const text = Buffer.from(kept.find({ method: 'GET', url: `${origin}/` })?.response.body ?? []).toString()
    kept.close()

    expect(text).toBe('<a href="/a?token=__secret__&p=2">A</a><script>{"token": "__secret__"}</script>__secret__')
    expect(await statusOf('/a?token=__secret__&p=2')).toBe(200)
    expect(readFileSync(path).includes('tomato-1234')).toBe(false)
  })

  it('stay within their bound: those farthest from the seeds are dropped, which is said once', async () => {
    answer = ({ url }, response) => {
      const links = Array.from({ length: 40 }, (_, n) => `<a href="/${n}">${n}</a>`).join('')
      response.setHeader('content-type', 'text/html').end(url === '/' ? links : noise(100_000, url ?? ''))
    }

    const report = await crawled(follow, { options: { maxBytes: 2 ** 20 } })

    expect(report.problems).toMatchObject([
      {
        count: 1,
        message: expect.stringMatching(/^the kept responses take 1 MiB: pages farthest from the seeds are dropped first/),
      },
    ])
    expect(report.run.pages).toBe(41)
    expect(statSync(path).size).toBeLessThan(5 * 2 ** 20)
    const kept = await openResponses(path)
    const { count } = kept
    kept.close()
    // The seed, and ten of 100,000 bytes, are within 1 MiB, and no more is dropped than must be.
    expect(count).toBe(11)
    expect(await statusOf('/')).toBe(200)
  })
})

describe('the bound of kept responses', () => {
  const row = (name: string, bytes: number, fetched_at: number, depth = 0): Parameters<CacheFile['insert']>[0][number] => ({
    ...{ key: keyOf({ method: 'GET', url: `http://a.example/${name}` }), url: name, status: 200, headers: '{}', wire_bytes: 0 },
    ...{ body: new Uint8Array(bytes), fetched_at, handler: 'start', depth },
  })
  const MIB = 2 ** 20

  async function kept(): Promise<{ bytes: number; total: number; count: number }> {
    const { default: Driver } = await import('better-sqlite3')
    using db = Object.assign(new Driver(path, { readonly: true }), { [Symbol.dispose]: () => db.close() })
    return db
      .prepare('SELECT coalesce(sum(size), 0) AS bytes, count(*) AS count, (SELECT bytes FROM total) AS total FROM response')
      .get() as never
  }

  it('holds where large ones follow many small ones, after each write, and no space is lost for good', async () => {
    const file = await CacheFile.open(path, { readonly: false })
    file.insert(
      Array.from({ length: 9_000 }, (_, at) => row(`${at}`, 0, at)),
      MIB,
    )

    const sums: number[] = []
    for (let at = 0; at < 6; at++) {
      file.insert([row(`large-${at}`, MIB - 1_000, 10_000 + at)], MIB)
      sums.push((await kept()).bytes)
    }
    file.close()

    expect(sums.every((sum) => sum <= MIB)).toBe(true)
    expect(await kept()).toMatchObject({ count: 1 })
  })

  it('holds for two processes together', async () => {
    const files = [await CacheFile.open(path, { readonly: false }), await CacheFile.open(path, { readonly: false })]
    for (let at = 0; at < 20; at++) files[at % 2]?.insert([row(`${at}`, 100_000, at)], MIB)
    for (const file of files) file.close()

    const { bytes, total, count } = await kept()

    expect(total).toBe(bytes)
    expect(count).toBe(10)
  })

  it('is no reason to drop all for one that is larger than it', async () => {
    const file = await CacheFile.open(path, { readonly: false })
    file.insert([row('small', 1_000, 1)], MIB)

    expect(file.insert([row('large', MIB, 2)], MIB)).toEqual({ dropped: 0, refused: 1 })
    file.close()
    expect(await kept()).toMatchObject({ count: 1 })
  })

  it('drops nothing for what is farther from the seeds, and the farthest for what is nearer', async () => {
    const file = await CacheFile.open(path, { readonly: false })
    file.insert([row('seed', 100_000, 1)], MIB)
    for (let at = 2; at < 20; at++) file.insert([row(`chain-${at}`, 100_000, at, at)], MIB)
    const isKept = (name: string): boolean => file.find({ method: 'GET', url: `http://a.example/${name}` }) !== undefined

    const first = [isKept('seed'), isKept('chain-2'), isKept('chain-10'), isKept('chain-19')]
    const later = file.insert([row('chain-30', 100_000, 30, 30), row('near', 100_000, 31, 1)], MIB)

    expect(first).toEqual([true, true, true, false])
    expect(later).toEqual({ dropped: 2, refused: 0 })
    expect([isKept('seed'), isKept('near'), isKept('chain-9'), isKept('chain-30')]).toEqual([true, true, true, false])
    file.close()
  })

  it('counts a response that takes the place of another one once', async () => {
    const file = await CacheFile.open(path, { readonly: false })
    for (let at = 0; at < 30; at++) file.insert([row('same', 100_000, at)], MIB)
    file.close()

    const { bytes, total, count } = await kept()

    expect([count, total]).toEqual([1, bytes])
  })
})

it('a body that was changed on the disk is no page', async () => {
  answer = (_request, response) => void response.setHeader('content-type', 'text/html').end(noise(2_000, 'body'))
  await crawled(() => [])
  const bytes = readFileSync(path)
  bytes.writeUInt8(
    (bytes[bytes.indexOf(noise(2_000, 'body').subarray(100, 200))] ?? 0) ^ 1,
    bytes.indexOf(noise(2_000, 'body').subarray(100, 200)),
  )
  writeFileSync(path, bytes)

  await expect(statusOf('/')).rejects.toMatchObject({
    code: 'AVO_FRONTIER_CORRUPT',
    message: expect.stringContaining(`expected the response of ${origin}/ as it was kept, got damaged bytes`),
  })
})

describe('a crawl goes on without', () => {
  const page = (_request: IncomingMessage, response: ServerResponse): void =>
    void response.setHeader('content-type', 'text/html').end('<a href="/a">A</a>')

  it('a file of another kind', async () => {
    answer = page
    writeFileSync(path, 'not a database, and longer than a header of one')

    const report = await crawled(follow)

    expect(report).toMatchObject({ ended: 'done', run: { pages: 2, pluginErrors: 0 } })
    expect(report.problems[0]?.message).toContain('responses are not kept in this run: ')
    expect(readFileSync(path, 'utf8')).toContain('not a database')
  })

  it('a folder that cannot be made', async () => {
    answer = page
    writeFileSync(join(folder, 'file'), '')
    path = join(folder, 'file', 'shop.cache')

    const report = await crawled(follow)

    expect(report).toMatchObject({ ended: 'done', run: { pages: 2, pluginErrors: 0 } })
  })

  it('responses in UTF-16 where it has secrets, and says how many', async () => {
    answer = ({ url }, response) =>
      void response
        .setHeader('content-type', 'text/html')
        .end(url === '/' ? '<a href="/a">A</a>' : Buffer.from('\ufeff<p>', 'utf16le'))

    const report = await crawled(follow, { more: { secretParameters: ['token'] } })

    expect(report.run.pages).toBe(2)
    expect(report.problems.map(({ message }) => message)).toEqual([
      '1 response was not kept: in UTF-16, or with too many secrets to look for',
    ])
    expect([await statusOf('/'), await statusOf('/a')]).toEqual([200, undefined])
  })

  it('responses that are too large, and says how many', async () => {
    answer = ({ url }, response) =>
      void response.setHeader('content-type', 'text/html').end(url === '/' ? '<a href="/a">A</a>' : Buffer.alloc(9 * 2 ** 20, 97))

    const report = await crawled(follow)

    expect(report.run.pages).toBe(2)
    expect(report.problems.map(({ message }) => message)).toEqual(['1 response was not kept: larger than 8 MiB'])
    expect(await statusOf('/')).toBe(200)
    expect(await statusOf('/a')).toBeUndefined()
  })
})

/** No two alike, and not to be compressed. */
function noise(bytes: number, seed: string): Uint8Array {
  return createCipheriv('aes-128-ctr', seed.padEnd(16, '-'), Buffer.alloc(16)).update(Buffer.alloc(bytes))
}
