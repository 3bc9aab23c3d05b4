// parse, shell and fetch of a URL that a crawl requested in several ways: which request is meant, what is sent, and what its handler sees.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sandbox } from '../../../../test/documents/sandbox.ts'
import { runCli, type CliRun } from '../run-cli.ts'

const SPIDER = `import { link } from '@avocet/core'
const seen = ({ title, request: { method, url, headers, body, data, identity, depth, parent, handler } }) =>
  ({ title, method, path: new URL(url).pathname + new URL(url).search, headers, body, data, identity, depth, parent: parent && 1, handler })
export default {
  name: 'shop',
  seeds: ['SITE'],
  scope: { dropParameters: { names: ['ref'] } },
  handlers: {
    *start() {
      for (const language of ['de', 'fr', 'en']) yield link('prices', { handler: 'prices', identity: language, headers: { 'accept-language': language }, data: { language } })
      yield link('search', { handler: 'found', method: 'POST', body: 'q=tea', headers: { 'x-page': '2', cookie: 'id=s3cret' }, identity: 'tea' })
      for (const body of ['q=1', 'q=2']) yield link('many', { handler: 'found', method: 'POST', body })
      yield link('product?id=7', { handler: 'found', data: { shelf: 'tea' } })
      yield link('Spell', { handler: 'found' })
    },
    *prices(page) { yield seen(page) },
    *found(page) { yield seen(page) },
  },
}
`

const project = sandbox()
const { folder } = project
let url: string
let asked: string[] = []
const server = createServer((request, response) => {
  const path = request.url ?? ''
  const fields = [request.headers['accept-language'], request.headers['x-page'], request.headers.cookie].join(' ').trim()
  if (path !== '/robots.txt') asked.push([request.method, path, fields].join(' ').trim())
  if (path === '/robots.txt') response.writeHead(404).end()
  else if (path === '/Spell') response.writeHead(302, { location: '/spell?utm_source=a' }).end()
  else if (path === '/spell?utm_source=a') response.writeHead(302, { location: '/spell' }).end()
  else response.setHeader('content-type', 'text/html').end(`<title>${path} ${fields}</title>`)
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await writeFile(join(folder, 'shop.mjs'), SPIDER.replace('SITE', url))
  await writeFile(join(folder, 'bare.mjs'), SPIDER.replace('SITE', url).replace("'shop'", "'bare'"))
  await run('crawl', 'shop.mjs', '--rate', 'none', '--cache')
  await run('crawl', 'bare.mjs', '--rate', 'none')
})
beforeEach(() => {
  asked = []
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
  project[Symbol.dispose]()
})

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
/** Of a crawl whose responses are kept, and of one that kept none. */
const kept = (...words: string[]): Promise<CliRun> => run('parse', ...words, '--spider', 'shop.mjs')
const parse = (...words: string[]): Promise<CliRun> => run('parse', ...words, '--spider', 'bare.mjs')
const itemOf = ({ stdout }: CliRun): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>
const linesOf = ({ stderr }: CliRun): string[] => stderr.trimEnd().split('\n')

describe('a URL that the crawl requests with POST', () => {
  it('is not sent because a store says so', async () => {
    const tried = await parse(`${url}search`)
    const inShell = await run('shell', '--spider', 'bare.mjs', '-c', `fetch('${url}search')`)

    expect(asked).toEqual([])
    expect([tried.code, tried.stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      2,
      expect.stringContaining(
        'expected a method for a URL that the crawl requests with POST, got none; --method POST sends that, with the body that .avocet/bare.db has, --method GET requests the URL alone',
      ),
    ])
    expect(inShell.stderr.replaceAll(/\s+/g, ' ')).toContain("--method POST or fetch(url, { method: 'POST' }) sends that")
  })

  it('is sent with the body of the store where the method is typed', async () => {
    const tried = await parse(`${url}search`, '--method', 'POST')
    await run('shell', '--spider', 'bare.mjs', '-c', `fetch('${url}search', { method: 'post' })`)

    expect(asked).toEqual(['POST /search 2', 'POST /search 2'])
    expect(itemOf(tried)).toMatchObject({ method: 'POST', body: 'q=tea', handler: 'found' })
    expect(linesOf(tried)[0]).toBe('header fields, body and handler found from .avocet/bare.db')
  })

  it('is requested alone with GET, of which the store knows nothing', async () => {
    const tried = await parse(`${url}search`, '--method', 'GET', '--handler', 'found')

    expect(asked).toEqual(['GET /search'])
    expect(itemOf(tried)).toMatchObject({ method: 'GET', headers: {} })
    expect(tried.stderr).not.toContain('bare.db')
  })

  it('is the response that was kept, where one was', async () => {
    const tried = await kept(`${url}search`)

    expect(asked).toEqual([])
    expect(itemOf(tried)).toMatchObject({ title: '/search 2 __secret__', method: 'POST', body: 'q=tea' })
    expect((await kept(`${url}search`, '--refetch')).code).toBe(2)
    expect(asked).toEqual([])
  })

  it('is sent with a body that was typed where the store has several', async () => {
    const unclear = await parse(`${url}many`, '--method', 'POST')
    const clear = await parse(`${url}many`, '--body', 'q=2')

    expect(unclear.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'expected the body of one of the 2 POST requests that .avocet/bare.db has of this URL, got none; add the one that you mean',
    )
    expect([unclear.code, asked]).toEqual([2, ['POST /many']])
    expect(itemOf(clear)).toMatchObject({ body: 'q=2', handler: 'found' })
  })
})

describe('a header field that is typed', () => {
  it('takes the place of that of the link, whatever the case of letters', async () => {
    const tried = await parse(`${url}prices`, '--header', 'Accept-Language: it')
    const code = `fetch('${url}prices', { headers: { 'ACCEPT-language': 'nl' } })`
    await run('shell', '--spider', 'bare.mjs', '-c', code)

    expect(asked).toEqual(['GET /prices it', 'GET /prices nl'])
    expect(itemOf(tried)).toMatchObject({ headers: { 'accept-language': 'it' }, handler: 'prices' })
  })

  it('chooses among the requests of the store, and their kept responses', async () => {
    const tried = await kept(`${url}prices`, '--header', 'Accept-Language: fr')

    expect(asked).toEqual([])
    expect(itemOf(tried)).toMatchObject({ title: '/prices fr', data: { language: 'fr' }, headers: { 'accept-language': 'fr' } })
    expect(tried.stderr).not.toContain('choose another')
  })

  it('is asked for where the store has several requests and nothing says which', async () => {
    const tried = await kept(`${url}prices`)

    expect(itemOf(tried)).toMatchObject({ data: { language: 'de' } })
    expect(linesOf(tried)).toContain('one of 3 requests of this URL; choose another with --header, --method or --body')
  })
})

describe('the handler of a URL that the store knows', () => {
  const REQUEST = {
    ...{ method: 'POST', path: '/search', body: 'q=tea', depth: 1, parent: 1, handler: 'found', identity: '"tea"' },
    headers: { 'x-page': '2', cookie: expect.stringContaining('secret') as string },
  }

  it('sees the request as in the crawl, also of a kept response and of a file', async () => {
    await writeFile(join(folder, 'page.html'), '<title>recorded</title>')
    const tries = [
      await kept(`${url}search`),
      await parse(`${url}search`, '--method', 'POST'),
      await parse('page.html', '--url', `${url}search`),
    ]
    const code = `items()`
    const inShell = await run('shell', `${url}search`, '--spider', 'shop.mjs', '--json', '-c', code)

    for (const tried of tries) expect(itemOf(tried)).toMatchObject(REQUEST)
    expect(itemOf(inShell)).toMatchObject({ value: [REQUEST] })
  })

  it('is of no session where the page comes from a file: --session with one is refused', async () => {
    await writeFile(join(folder, 'page.html'), '<title>recorded</title>')
    const { code, stderr } = await parse('page.html', '--session', 'alice')

    expect([code, stderr]).toEqual([2, expect.stringContaining('parse: expected a URL for --session, got a file')])
  })

  it('gets data of the link, and another handler does not, unless the spider has no longer that of the link', async () => {
    await writeFile(join(folder, 'renamed.mjs'), SPIDER.replace('SITE', url).replaceAll('*found', '*offer'))
    const other = await kept(`${url}product?id=7`, '--handler', 'prices')
    const inShell = await run('shell', `${url}product?id=7`, '--spider', 'shop.mjs', '--json', '-c', "items('prices')")
    const renamed = await run('parse', `${url}product?id=7`, '--spider', 'renamed.mjs', '--handler', 'offer')

    expect(itemOf(other)).not.toHaveProperty('data')
    expect(linesOf(other)[0]).toBe('without the data of this URL, which is for handler found')
    expect((itemOf(inShell) as { value: object[] }).value[0]).not.toHaveProperty('data')
    expect(itemOf(renamed)).toMatchObject({ data: { shelf: 'tea' }, handler: 'offer' })
  })
})

describe('a URL as a browser has it', () => {
  it.each(['product?id=7&utm_source=zz', 'product?ref=home&id=7'])('is that of the store: %s', async (typed) => {
    const tried = await kept(`${url}${typed}`)
    const requested = await parse(`${url}${typed}`)

    expect(asked).toEqual(['GET /product?id=7'])
    for (const each of [tried, requested]) expect(itemOf(each)).toMatchObject({ path: '/product?id=7', data: { shelf: 'tea' } })
    expect(linesOf(tried)[0]).toBe(`URL ${url}product?id=7, handler found and data from .avocet/shop.db`)
  })

  it('is requested as it was typed where no store knows it, and by fetch', async () => {
    await parse(`${url}other?utm_source=zz`)
    await run('fetch', `${url}product?id=7&utm_source=zz`)

    expect(asked).toEqual(['GET /other?utm_source=zz', 'GET /product?id=7&utm_source=zz'])
  })

  it('is redirected as in the crawl, without the parameters that the crawl drops', async () => {
    await parse(`${url}Spell`)
    const tried = await kept(`${url}Spell`)

    expect(asked).toEqual(['GET /Spell', 'GET /spell'])
    expect(itemOf(tried)).toMatchObject({ path: '/spell' })
  })
})

describe('a URL that the store does not know', () => {
  it('says which handler runs, and which others there are', async () => {
    const [tried, named] = [await parse(`${url}none`), await parse(`${url}none`, '--handler', 'prices')]

    expect(linesOf(tried)[0]).toBe('handler start, not prices, found; choose another with --handler NAME')
    expect(named.stderr).not.toContain('choose another')
  })
})
