// What `avocet crawl --again` leaves as it was: what a crawl learned of hosts, what is secret, what failed for good, and how it was made.
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlReport } from '@avocet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string
let origin: string
let answer: RequestListener
let asked: string[]
const server = createServer((request, response) => {
  if (request.url !== '/robots.txt') asked.push(request.url ?? '')
  response.setHeader('content-type', 'text/html')
  if (request.url === '/robots.txt') response.writeHead(404).end()
  else answer(request, response)
})
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-again-'))
  asked = []
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await mkdir(join(folder, 'spiders'))
  await spiderYields('{ title: page.title }')
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

async function spiderYields(item: string, seed = '/'): Promise<void> {
  await writeFile(
    join(folder, 'spiders/shop.js'),
    `export default { name: 'shop', seeds: ['${origin}${seed}'], handlers: { *start(page) { yield ${item}; yield* page.links() } } }`,
  )
}

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
const crawl = (...words: string[]): Promise<CliRun> =>
  run('crawl', 'spiders/shop.js', ...(words.includes('--again') ? [] : ['--max-rps', '100']), ...words)
const reportOf = ({ stdout }: CliRun): CrawlReport => JSON.parse(stdout) as CrawlReport
const items = (name = 'items.jsonl'): unknown[] =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))

describe('what --again leaves as it was', () => {
  it('is a Retry-After: the host is not requested before it has passed', async () => {
    answer = ({ url }, response) => {
      if (url === '/') response.end('<title>home</title><a href="/a">A</a>')
      else response.writeHead(429, { 'retry-after': '3600' }).end()
    }
    await crawl('--cache', '--patience', '1s')
    expect(asked).toEqual(['/', '/a'])

    await crawl('--again')
    const next = await crawl('--patience', '1s', '--json')

    expect(asked).toEqual(['/', '/a'])
    expect([next.code, reportOf(next).ended]).toEqual([8, 'patience'])
    expect(reportOf(next).waitingHosts[0]?.until).toBeGreaterThan(Date.now() + 3_000_000)
  })

  it('are pages that failed for good, and items of pages that are not kept', async () => {
    answer = ({ url }, response) => {
      if (url === '/gone') response.writeHead(404).end()
      else response.end(`<title>${url}</title><a href="/gone">x</a><a href="/late">y</a>`)
    }
    await crawl('--cache', '--max-pages', '1')
    await run('crawl', 'spiders/shop.js', '--max-rps', '100')
    await spiderYields('{ upper: page.title.toUpperCase() + "!" }')

    const again = await crawl('--again', '-O', 'items.jsonl', '--json')
    await crawl()

    expect(reportOf(again).counts).toMatchObject({ known: 3, done: 2, failed: 1, waiting: 0, items: 2 })
    expect(reportOf(again).failures).toEqual([{ reason: 'http-404', count: 1 }])
    expect(items()).toEqual([{ title: '/late' }, { upper: '/!' }])
    expect(asked).toHaveLength(3)
    expect((await run('verify', '--json')).code).toBe(0)
  })

  it('is a page whose kept response is damaged, which is counted and said', async () => {
    answer = ({ url }, response) => void response.end(`<title>${url}</title><a href="/a">A</a>`)
    await crawl('--cache')
    const cache = new DatabaseSync(join(folder, '.avocet/shop.cache'))
    cache.exec("UPDATE response SET body = x'00' WHERE url LIKE '%/a'")
    cache.close()
    await spiderYields('{ upper: page.title.toUpperCase() + "!" }')

    const { code, stderr } = await crawl('--again', '-O', 'items.jsonl')

    expect(code, stderr).toBe(0)
    expect(stderr).toContain(
      '1 kept response cannot be read: its page stays as it was\n' +
        'delete .avocet/shop.cache and crawl with --cache: it holds only what can be requested again\n',
    )
    expect(stderr).not.toContain('keeps its items')
    expect(items()).toEqual([{ title: '/a' }, { upper: '/!' }])
    expect(asked).toHaveLength(2)
  })

  it('is a crawl whose kept responses are damaged, for which there is no advice about a store', async () => {
    answer = (_request, response) => void response.end('<title>home</title>')
    await crawl('--cache')
    await writeFile(join(folder, '.avocet/shop.cache'), 'x'.repeat(5_000))

    const again = await crawl('--again')
    const parsed = await run('parse', `${origin}/`, '--spider', 'spiders/shop.js')

    for (const { stderr } of [again, parsed]) {
      expect(stderr).toContain('delete it: it holds only what can be requested again')
      expect(stderr).not.toContain('rescue')
    }
  })

  it('is how the crawl was made: its report has hosts, requests and policies', async () => {
    answer = (_request, response) => void response.end('<title>home</title>')
    await crawl('--cache')
    const before = await run('report', '--json')

    await crawl('--again')

    expect((await run('report')).stdout).toContain('2 requests to 1 host')
    expect(JSON.parse((await run('report', '--json')).stdout)).toMatchObject({
      hosts: (JSON.parse(before.stdout) as { hosts: object }).hosts,
    })
  })

  it('is an output of earlier runs, until a run names it: then each item is in it once', async () => {
    answer = ({ url }, response) => void response.end(`<title>${url}</title><a href="/b">B</a>`)
    await writeFile(join(folder, 'mine.jsonl'), '{"mine":1}\n')
    const outputs = ['-o', 'mine.jsonl', '-O', 'items.jsonl', '-O', 'items.csv']
    await crawl('--cache', ...outputs)
    await spiderYields('{ path: page.title }')

    await crawl('--again')
    const untouched = items()
    await crawl(...outputs)

    expect(untouched).toEqual([{ title: '/' }, { title: '/b' }])
    expect(items()).toEqual([{ path: '/' }, { path: '/b' }])
    expect(readFileSync(join(folder, 'items.csv'), 'utf8').split(/\r?\n/)).toEqual(['path', '/', '/b', ''])
    expect(items('mine.jsonl')).toEqual([{ mine: 1 }, { path: '/' }, { path: '/b' }])
  })

  it('is a store that somebody reads, whose files beside it would be taken for those of the new one', async () => {
    answer = ({ url }, response) => void response.end(`<title>${url}</title><a href="/b">b</a>`)
    await crawl('--cache')
    const store = join(folder, '.avocet/shop.db')
    const reader = new DatabaseSync(store, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM item').get()

    const busy = await crawl('--again', '-O', 'items.jsonl')
    reader.close()

    expect(busy.stderr).toContain('a program reads it; end that, and run the same command again (AVO_FRONTIER_BUSY)')
    expect((await run('verify')).code).toBe(0)
    expect((await crawl('--again', '-O', 'items.jsonl')).code).toBe(0)
    expect(items()).toHaveLength(2)
    expect((await run('verify')).code).toBe(0)
  })

  it('is what is secret: the value is in no file, also of the runs behind it', async () => {
    answer = ({ url }, response) =>
      void response.end(
        url?.startsWith('/b') === true
          ? 'x'
          : '<title>t</title><a href="/a?token=tomato-1234">A</a><a href="/b?token=tomato-1234">B</a>',
      )
    await spiderYields('{ links: page.links().length }', '/?token=tomato-1234')
    await crawl('--cache', '--secret-parameter', 'token', '--max-pages', '1')
    await crawl('--cache')

    await crawl('--again')
    await crawl('--cache')

    expect(asked).toHaveLength(3)
    for (const name of ['shop.db', 'shop.cache', 'shop.before'])
      expect([name, readFileSync(join(folder, '.avocet', name)).includes('tomato-1234')]).toEqual([name, false])
  })

  it('is the moment at which a page was fetched', async () => {
    answer = (_request, response) => void response.end('<title>home</title>')
    await spiderYields('{ at: page.fetchedAt }')
    await crawl('--cache', '-O', 'items.jsonl')
    const [first] = items() as { at: number }[]

    await crawl('--again', '-O', 'items.jsonl')
    const parsed = await run('parse', `${origin}/`, '--spider', 'spiders/shop.js')

    for (const { at } of [...items(), JSON.parse(parsed.stdout)] as { at: number }[]) expect(at).toBe(first?.at)
  })

  it('are items of the last visit of a page, where only the response of an earlier visit is kept', async () => {
    let price = 1
    answer = ({ url }, response) => {
      response.setHeader('cache-control', 'no-store')
      response.end(`<title>${price}</title>${url === '/' ? '<a href="/a">A</a>' : ''}`)
    }
    const spider = (item: string): Promise<void> =>
      writeFile(
        join(folder, 'spiders/shop.js'),
        `export default { name: 'shop', seeds: [{ url: '${origin}/', again: true }], handlers: { *start(page) { yield ${item}; yield* page.links() } } }`,
      )
    await spider('{ price: page.title }')
    await crawl('--cache')
    price = 2
    await crawl('-O', 'items.jsonl')
    await spider('{ cents: page.title + "00" }')

    const { code, stderr } = await crawl('--again', '-O', 'items.jsonl')

    expect(code, stderr).toBe(0)
    expect(items()).toEqual([{ price: '1' }, { price: '2' }, { cents: '100' }])
    expect(stderr).toContain('1 page keeps its items, because the response of its last visit is not kept, only an earlier one\n')
    expect(stderr).not.toContain('no link leads')
  })

  it('is the number of pages and items, where handlers have other names today', async () => {
    answer = ({ url }, response) => void response.end(`<title>${url}</title><a href="/a">A</a><a href="/b">B</a>`)
    const spider = (handlers: string): Promise<void> =>
      writeFile(
        join(folder, 'spiders/shop.js'),
        `export default { name: 'shop', seeds: ['${origin}/'], handlers: { ${handlers} } }`,
      )
    await spider('*start(page) { yield { old: page.title }; yield* page.links() }')
    await crawl('--cache')
    await spider("*start(page) { yield* page.links({ handler: 'offer' }) }, *offer(page) { yield { offer: page.title } }")

    const again = await crawl('--again', '-O', 'items.jsonl', '--json')
    const next = await crawl('--json')

    expect(items()).toEqual([{ offer: '/a' }, { offer: '/b' }])
    for (const each of [again, next]) expect(reportOf(each).counts).toMatchObject({ known: 3, done: 3, waiting: 0, items: 2 })
    expect(asked).toHaveLength(3)
    expect((await run('verify', '--json')).code).toBe(0)
  })

  it('is a page beside the store that a handler failed on, as long as the page fails', async () => {
    answer = (_request, response) => void response.end('<title>old</title>')
    await spiderYields('page.title.nothing.at.all')
    await crawl('--cache', '--fail-over', '100%')
    const kept = await run('parse', `${origin}/`, '--spider', 'spiders/shop.js', '--store', '.avocet/shop.db')
    await spiderYields('{ title: page.title }')
    await crawl('--again')
    const mended = await run('parse', `${origin}/`, '--spider', 'spiders/shop.js', '--store', '.avocet/shop.db')

    expect(kept.stderr).toContain('using the page that the crawl fetched at ')
    expect(mended.stderr).toContain('kept response of ')
    expect(existsSync(join(folder, '.avocet/shop.db.failed'))).toBe(true)
  })
})

describe('a spider that changed', () => {
  it('is noticed also where the last run was small, and called by its path from the working folder', async () => {
    answer = (_request, response) => void response.end('<title>home</title>')
    await crawl()
    await spiderYields('{ other: 1 }')

    expect((await crawl()).stderr).toContain('spiders/shop.js (or a file that it imports) changed since the last run: ')
  })
})
