// Which visit `avocet crawl --again` settles anew: handlers see of it what they saw in the crawl.
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string
let origin: string
let answer: RequestListener
const server = createServer((request, response) => {
  response.setHeader('content-type', 'text/html')
  if (request.url === '/robots.txt') response.writeHead(404).end()
  else answer(request, response)
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-visits-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await mkdir(join(folder, 'spiders'))
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const spiderIs = (seed: string, handlers: string): Promise<void> =>
  writeFile(join(folder, 'spiders/shop.js'), `export default { name: 'shop', seeds: [${seed}], handlers: { ${handlers} } }`)
const crawl = (...words: string[]): Promise<CliRun> =>
  runCli(['crawl', 'spiders/shop.js', '-O', 'items.jsonl', ...(words.includes('--again') ? [] : ['--rate', 'none']), ...words], {
    folder,
  })
const items = (): unknown[] =>
  readFileSync(join(folder, 'items.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))

describe('--again after several visits', () => {
  it('hands over the visit that it settles anew, with what was known of the ones before', async () => {
    let price = 1
    answer = (_request, response) => void response.setHeader('etag', `"${price}"`).end(`<b>${price}</b>`)
    const seen = 'visit: page.visit, changed: page.changed, earlier: page.request.earlier?.visits ?? null'
    await spiderIs(
      `{ url: '${origin}/', again: true }`,
      `*start(page) { yield page.visit === 0 ? { product: page.url.pathname } : { price: page.text('b'), ${seen} } }`,
    )
    await crawl('--cache')
    price = 2
    await crawl('--cache')
    price = 3
    await crawl('--cache')
    const before = items()

    const { code, stderr } = await crawl('--again')

    expect(code, stderr).toBe(0)
    expect(before).toEqual([
      { product: '/' },
      { price: '2', visit: 1, changed: 'changed', earlier: 1 },
      { price: '3', visit: 2, changed: 'changed', earlier: 2 },
    ])
    expect(items()).toEqual(before)
  })

  it('tells handlers of one page apart by their visits, also where one has another name today', async () => {
    answer = ({ url }, response) => void response.end(url === '/' ? '<a href="/p">p</a>' : 'p')
    const spider = (one: string): Promise<void> =>
      spiderIs(
        `{ url: '${origin}/', again: true }`,
        `*start(page) { yield* page.links({ handler: '${one}', again: true }); yield* page.links({ handler: 'two' }) },
        *${one}(page) { yield { one: page.visit, changed: page.changed } },
        *two(page) { yield { two: page.visit } }`,
      )
    await spider('one')
    for (let run = 0; run < 3; run++) await crawl('--cache')
    const before = items()
    await crawl('--again')
    const same = items()
    await spider('first')

    const { code, stderr } = await crawl('--again')

    expect(code, stderr).toBe(0)
    expect(before).toHaveLength(4)
    expect(before).toEqual(expect.arrayContaining([{ one: 2, changed: 'changed' }, { two: 0 }]))
    expect(same).toEqual(expect.arrayContaining(before))
    expect(same).toHaveLength(4)
    expect(items()).toEqual(expect.arrayContaining(before))
  })
})

describe('--again where requests have other header fields today', () => {
  const one = (accept: string): string =>
    `*start(page) { for (const handler of ['one', 'two']) yield* page.links({ handler, headers: { accept: handler + '${accept}' } }) }, `
  const both = "*one(page) { yield { one: page.text('b') } }, *two(page) { yield { two: page.text('b') } }"

  it('finds a page by the only response that its handler got', async () => {
    answer = ({ url, headers }, response) => void response.end(url === '/' ? '<a href="/p">p</a>' : `<b>${headers.accept}</b>`)
    const seed = `{ url: '${origin}/', headers: { 'x-run': 'RUN' } }`
    await spiderIs(seed.replace('RUN', '1'), one('/1') + both)
    await crawl('--cache')
    await spiderIs(seed.replace('RUN', '2'), one('/2') + both.replaceAll('yield { ', 'yield { more: true, '))

    const { code, stderr } = await crawl('--again')

    expect(code, stderr).toBe(0)
    expect(items()).toHaveLength(2)
    expect(items()).toEqual(
      expect.arrayContaining([
        { more: true, one: 'one/1' },
        { more: true, two: 'two/1' },
      ]),
    )
  })

  it('takes no response of another handler, where its own is not kept', async () => {
    answer = ({ url, headers }, response) => {
      if (headers.accept === 'one/1') response.setHeader('x-large', 'x')
      response.end(url === '/' ? '<a href="/p">p</a>' : `<b>${headers.accept}</b>`)
    }
    await spiderIs(`'${origin}/'`, one('/1') + both)
    await crawl('--cache')
    const cache = new DatabaseSync(join(folder, '.avocet/shop.cache'))
    cache.exec("DELETE FROM response WHERE headers LIKE '%x-large%'")
    cache.close()
    await spiderIs(`'${origin}/'`, one('/2') + both.replaceAll('yield { ', 'yield { more: true, '))

    const { code, stderr } = await crawl('--again')

    expect(code, stderr).toBe(0)
    expect(items()).toHaveLength(2)
    expect(items()).toEqual(expect.arrayContaining([{ one: 'one/1' }, { more: true, two: 'two/1' }]))
  })
})

it('--again gives a page the URL that a redirect to another spelling led to', async () => {
  answer = ({ url }, response) => {
    if (url === '/') response.end('<a href="/b?y=2&x=1">b</a>')
    else if (url === '/b?y=2&x=1') response.writeHead(302, { location: '/b?x=1&y=2' }).end()
    else response.end('<b>b</b>')
  }
  await spiderIs(
    `'${origin}/'`,
    "*start(page) { yield* page.links({ handler: 'one' }) }, *one(page) { yield { at: page.url.search, of: page.request.redirectedFrom } }",
  )
  await crawl('--cache')
  const before = items()

  const { code, stderr } = await crawl('--again')

  expect(code, stderr).toBe(0)
  expect(before).toEqual([{ at: '?x=1&y=2', of: `${origin}/b?y=2&x=1` }])
  expect(items()).toEqual(before)
})
