// fetch, parse and shell on responses that a crawl kept, and what they request where it is more than a URL.
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string
let url: string
let asked: string[]
const server = createServer((request, response) => {
  const path = request.url ?? ''
  if (path === '/robots.txt') {
    response.writeHead(404).end()
    return
  }
  asked.push(`${request.method} ${path}`)
  if (path === '/old') {
    response.writeHead(301, { location: '/' }).end()
    return
  }
  if (path.startsWith('/accept')) {
    response.setHeader('content-type', 'text/html').end(`<title>${request.headers.accept}</title>`)
    return
  }
  let body = ''
  request.on('data', (piece: Buffer) => (body += piece.toString()))
  request.on('end', () => {
    const type = request.headers['content-type'] ?? 'none'
    response.setHeader('content-type', 'text/html').end(`<title>${request.method} ${type} ${body}</title><a href="/old">old</a>`)
  })
})

beforeEach(async () => {
  asked = []
  folder = await mkdtemp(join(tmpdir(), 'avocet-visit-kept-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await writeFile(
    join(folder, 'shop.mjs'),
    `export default { name: 'shop', seeds: ['${url}old'], handlers: { *start(page) { yield { title: page.title, url: page.url.href } } } }`,
  )
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
const KEPT = /^kept response of [\d.]+ m?s ago; --refetch requests it\n/

describe('a page that a crawl kept', () => {
  it('is fetched, parsed and tried in the shell without a request, which is said with its age', async () => {
    await run('crawl', 'shop.mjs', '--rate', 'none', '--cache')
    asked = []

    const fetched = await run('fetch', url)
    const parsed = await run('parse', `${url}old`, '--spider', 'shop.mjs')
    const tried = await run('shell', url, '--spider', 'shop.mjs', '-c', 'page.title')

    expect(asked).toEqual([])
    for (const { stderr } of [fetched, parsed, tried]) expect(stderr).toMatch(KEPT)
    expect(fetched.stdout).toBe('<title>GET none </title><a href="/old">old</a>')
    expect(parsed.stdout).toBe(`{"title":"GET none","url":"${url}"}\n`)
    expect(tried.stdout).toBe('GET none\n')
  })

  it('is all that --kept shows: what is not kept is one line and exit code 6, and nothing is requested', async () => {
    await run('crawl', 'shop.mjs', '--rate', 'none', '--cache')
    asked = []

    const kept = await run('fetch', url, '--kept', '--json')
    const other = await run('fetch', `${url}other`, '--kept')
    const json = await run('fetch', `${url}other`, '--kept', '--json')
    const parsed = await run('parse', `${url}other`, '--kept', '--spider', 'shop.mjs')

    expect(asked).toEqual([])
    expect([kept, other, json, parsed].map(({ code }) => code)).toEqual([0, 6, 6, 6])
    expect(JSON.parse(kept.stdout)).toMatchObject({ outcome: 'page', status: 200 })
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'unasked', problem: expect.stringContaining('there is none') })
    const why = `expected a kept response of ${url}other, but there is none; leave out --kept to request the page, or crawl it with --cache\n`
    expect([other.stderr, parsed.stderr]).toEqual([`avocet: fetch: ${why}`, `avocet: parse: ${why}`])
    expect(other.stdout).toBe('')
  })

  it('is not both used and requested', async () => {
    for (const words of [
      ['--kept', '--refetch'],
      ['--kept', '--explain'],
      ['--kept', '--session', 'alice'],
    ])
      expect(await run('fetch', url, ...words)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('leave one out'),
      })
  })

  it('is requested with --refetch, with --explain, by another method, and from another store', async () => {
    await run('crawl', 'shop.mjs', '--rate', 'none', '--cache')
    asked = []

    const again = await run('fetch', url, '--refetch')
    await run('fetch', url, '--explain')
    await run('fetch', url, '--method', 'POST')
    await run('parse', url, '--spider', 'shop.mjs', '--store', ':memory:')

    expect(again.stderr).toBe('')
    expect(asked).toEqual(['GET /', 'GET /', 'POST /', 'GET /'])
  })

  it('is used only for the same request: its method and body, and no header field or user agent that may have it answer otherwise', async () => {
    await writeFile(
      join(folder, 'form.mjs'),
      `export default { name: 'shop', seeds: [{ url: '${url}', method: 'POST', body: 'a=1' }], handlers: { *start(page) { yield page.title } } }`,
    )
    await run('crawl', 'form.mjs', '--rate', 'none', '--cache')
    asked = []

    const same = await run('fetch', url, '--data', 'a=1')
    expect([asked, same.stderr]).toEqual([[], expect.stringMatching(KEPT)])

    await run('fetch', url, '--data', 'a=1', '--header', 'accept: text/plain')
    const phone = await run('fetch', url, '--data', 'a=1', '--user-agent', 'phone')
    await run('fetch', url, '--data', 'a=2')
    await run('shell', url, '--data', 'a=1', '-c', "fetch('/', { method: 'POST', body: 'a=1', refetch: true })")

    expect(phone.stderr).toBe('the kept response is not used: it may be another with this --user-agent\n')
    expect(asked).toEqual(['POST /', 'POST /', 'POST /', 'POST /'])
  })

  it('is requested, too, when what is kept cannot be read, which is said', async () => {
    await run('crawl', 'shop.mjs', '--rate', 'none', '--cache')
    await writeFile(join(folder, '.avocet/shop.cache'), 'garbage, and enough of it to be taken for no database at all')
    asked = []

    const { code, stderr } = await run('fetch', url)

    expect(stderr).toContain('kept responses are not used: ')
    expect([code, asked]).toEqual([0, ['GET /']])
  })

  it('says in JSON when it was kept', async () => {
    await run('crawl', 'shop.mjs', '--rate', 'none', '--cache')
    const { keptAt, status } = JSON.parse((await run('fetch', url, '--json')).stdout) as { keptAt: number; status: number }

    expect(status).toBe(200)
    expect(keptAt).toBeGreaterThan(0)
  })
})

describe('a URL that was requested with several header fields', () => {
  const VERSIONS = `export default { name: 'shop', seeds: [{ url: 'URLaccept', headers: { Accept: 'text/x' } }, { url: 'URLaccept', handler: 'other', headers: { accept: 'text/y' } }],
    handlers: { start: (page) => [{ start: page.title }], other: (page) => [{ other: page.title }] } }`

  beforeEach(async () => {
    await writeFile(join(folder, 'shop.mjs'), VERSIONS.replaceAll('URL', url))
    await run('crawl', 'shop.mjs', '--rate', 'none', '--cache', '-o', 'items.jsonl')
    asked = []
  })

  it('gives each handler its own page in a replay', async () => {
    await run('replay', 'shop.mjs', '-O', 'again.jsonl')

    const items = (await readFile(join(folder, 'again.jsonl'), 'utf8')).trim().split('\n').toSorted()
    expect(items).toEqual(['{"other":"text/y"}', '{"start":"text/x"}'])
    expect(asked).toEqual([])
  })

  it('is found by these, and requested where it would be guessed, or is not kept', async () => {
    const titles: string[] = []
    for (const words of [['--header', 'accept: text/y'], ['--header', 'Accept: text/x'], [], ['--header', 'accept: text/z']])
      titles.push((await run('fetch', `${url}accept`, ...words)).stdout)
    const code = `(await fetch('${url}accept', { headers: { accept: 'text/y' } })).title`
    titles.push((await run('shell', '-c', code)).stdout)

    expect([titles[0], titles[1], titles[3], titles[4]]).toEqual([
      '<title>text/y</title>',
      '<title>text/x</title>',
      '<title>text/z</title>',
      'text/y\n',
    ])
    expect(asked).toEqual(['GET /accept', 'GET /accept'])
  })
})

describe('a page that is requested', () => {
  it.each([
    [['--data', 'a=ü&b=c d', '--data', 'e=50%25+f'], 'POST application/x-www-form-urlencoded a=%C3%BC&b=c+d&e=50%25+f'],
    [['--data', 'a=1', '--data', 'b=2'], 'POST application/x-www-form-urlencoded a=1&amp;b=2'],
    [['--body', '{}', '--header', 'content-type: application/json'], 'POST application/json {}'],
    [['--data', '{}', '--header', 'Content-Type: text/plain'], 'POST text/plain {}'],
    [['--method', 'put', '--body', '@body.txt'], 'PUT none from a file'],
    [['--method', 'DELETE'], 'DELETE none'],
  ])('with %j', async (words, title) => {
    await writeFile(join(folder, 'body.txt'), 'from a file')

    const { stdout } = await run('parse', url, '--spider', 'shop.mjs', ...words)

    expect((JSON.parse(stdout) as { title: string }).title).toBe(title.replace('&amp;', '&'))
  })

  it('by fetch() of the shell takes a method, header fields and a body', async () => {
    const code = `(await fetch('${url}', { method: 'POST', body: 'x=1', headers: { 'content-type': 'text/x' } })).title`

    expect((await run('shell', '-c', code)).stdout).toBe('POST text/x x=1\n')
  })

  it.each([
    [['--data', 'a=1', '--body', 'b'], 'expected --data, which is a form, or --body, got both'],
    [['--method', 'GET', '--body', 'b'], '--method: expected a method with a body, such as POST, got GET'],
    [['--method', 'a b'], "--method: expected a method such as POST, got 'A B'"],
    [['--body', '@none.txt'], '--body: expected a readable file after @, got'],
  ])('is none with %j', async (words, line) => {
    const { code, stderr } = await run('fetch', url, ...words)

    expect(stderr).toContain(line)
    expect([code, asked]).toEqual([2, []])
  })

  it('is none where a file is parsed', async () => {
    await writeFile(join(folder, 'page.html'), '<p>')
    const { code, stderr } = await run('parse', 'page.html', '--spider', 'shop.mjs', '--data', 'a=1')

    expect(stderr).toContain('parse: expected a URL for --method, --data and --body, got a file')
    expect(code).toBe(2)
  })
})
