// `avocet crawl --again` over pages that the links of today do not lead to: all that is kept is run, and what is not is said, by its reason.
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CrawlReport } from '@avocet/core'
import type { HandlerYield } from '@avocet/core/tools'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

/** A shop with a list of the products of the day, each of which is there for ever, but for those that are gone. */
let day: number
let size: number
let gone: ReadonlySet<string>
let folder: string
let origin: string
const server = createServer((request, response) => {
  const url = request.url ?? ''
  response.setHeader('content-type', 'text/html')
  if (url === '/robots.txt' || gone.has(url)) response.writeHead(404).end()
  else if (url === '/')
    response.end(
      `<title>list</title>${Array.from({ length: size }, (_, at) => at + 1)
        .map((n) => `<a href="/p/${day}-${n}">${day}-${n}</a>`)
        .join('')}`,
    )
  else response.end(`<title>${url.slice(3)}</title><a class="more" href="${url}/more">more</a>`)
})
beforeEach(async () => {
  ;[day, size, gone] = [1, 3, new Set()]
  folder = await mkdtemp(join(tmpdir(), 'avocet-again-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await spider(PRODUCT)
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true })
})

const PRODUCT = '*product(page) { yield { title: page.title } }'
const LIST = "*start(page) { yield* page.links('a', { handler: 'product', data: { day: Number(page.$('a').text()[0]) } }) }"

async function spider(handlers: string, { start = LIST, more = '' }: { start?: string; more?: string } = {}): Promise<void> {
  const seeds = `[{ url: '${origin}/', again: true }]`
  await writeFile(
    join(folder, 'shop.js'),
    `export default { name: 'shop', seeds: ${seeds}, ${more} handlers: { ${start}, ${handlers} } }`,
  )
}

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
const crawl = (...words: string[]): Promise<CliRun> =>
  run('crawl', 'shop.js', ...(words.includes('--again') ? [] : ['--rate', 'none', '--cache']), ...words)
const again = (...words: string[]): Promise<CliRun> => crawl('--again', '-O', 'items.jsonl', ...words)
const items = (): unknown[] =>
  readFileSync(join(folder, 'items.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
const forget = (url: string): void => {
  const cache = new DatabaseSync(join(folder, '.avocet/shop.cache'))
  cache.prepare("DELETE FROM response WHERE url LIKE '%' || ?").run(url)
  cache.close()
}
const titles = (field: string): unknown[] =>
  items()
    .map((item) => (item as Record<string, unknown>)[field])
    .toSorted()
const SIX = ['1-1', '1-2', '1-3', '2-1', '2-2', '2-3']

async function twoDays(): Promise<void> {
  await crawl()
  day = 2
  await crawl()
}

describe('avocet crawl --again of a crawl that grew', () => {
  it('runs the handlers over kept pages that the lists of today do not show any more, with the data that the store has', async () => {
    await twoDays()
    await spider('*product(page) { yield { of: page.title, day: page.request.data.day } }')

    const { code, stderr } = await again('--json')

    expect(code, stderr).toBe(0)
    expect(titles('of')).toEqual(SIX)
    expect(titles('day')).toEqual([1, 1, 1, 2, 2, 2])
    expect(stderr).not.toContain('keep')
    expect((await run('verify', '--json')).code).toBe(0)
  })

  it('runs them over all that is kept where a seed is not', async () => {
    await twoDays()
    forget('/')
    await spider('*product(page) { yield { upper: page.title } }')

    const { code, stderr, stdout } = await again('--json')

    expect(code, stderr).toBe(0)
    expect(titles('upper')).toEqual(SIX)
    expect((JSON.parse(stdout) as CrawlReport).counts).toMatchObject({ done: 7, waiting: 0, items: 6 })
    expect(stderr).toContain('1 page keeps its items, because its response is not kept\n')
  })

  it('follows what these pages link to today', async () => {
    await twoDays()
    await spider("*product(page) { yield* page.links('.more', { handler: 'more' }) }, *more() {}")

    const { stdout } = await again('--json')

    expect((JSON.parse(stdout) as CrawlReport).counts).toMatchObject({ known: 13, done: 7, waiting: 6 })
  })

  it('takes the handler and the data of a link of today for those of the store, however it was found', async () => {
    await twoDays()
    forget('/')
    await spider(
      "*product(page) { yield* page.links('.more', { data: 'old', handler: 'more' }) }, *more(page) { yield { more: page.request.data } }",
    )
    await crawl('--again')
    await crawl()
    await spider(
      "*product(page) { yield* page.links('.more', { data: 'new', handler: 'more' }) }, *more(page) { yield { more: page.request.data } }",
    )

    await again()

    expect(titles('more')).toEqual(Array.from({ length: 6 }, () => 'new'))
  })

  it('says of pages whose handler has gone which one it was', async () => {
    await twoDays()
    await spider('*offer(page) { yield { offer: page.title } }', { start: LIST.replace('product', 'offer') })

    const { code, stderr } = await again()

    expect(code, stderr).toBe(0)
    expect(titles('offer').slice(0, 3)).toEqual(['2-1', '2-2', '2-3'])
    expect(items()).toHaveLength(6)
    expect(stderr).toContain(
      "3 pages keep their items, because the spider has no handler 'product' any more, and no link leads to them\n",
    )
  })

  it('says of pages that failed since, that are not kept, and that the scope excludes today, how many there are', async () => {
    await spider(PRODUCT, { start: LIST.replace('{ handler', '{ again: true, handler') })
    await crawl()
    gone = new Set(['/p/1-1'])
    await crawl()
    day = 2
    await crawl()
    forget('/p/2-1')
    await spider('*product(page) { yield { upper: page.title } }', { more: 'scope: { deny: [/1-3/] },' })

    const { code, stderr } = await again('--log-level', 'debug')

    expect(code, stderr).toBe(0)
    expect(titles('upper').filter((title) => title !== undefined)).toEqual(['1-2', '2-2', '2-3'])
    expect(stderr).toContain('1 page keeps its items, because the last visit had no page (an error such as 404, or a redirect)\n')
    expect(stderr).toContain('1 page keeps its items, because its response is not kept\n')
    expect(stderr).toContain('1 page keeps its items, because the scope of today excludes it\n')
    expect(stderr).toContain(`${origin}/p/2-1 keeps its items, because its response is not kept\n`)
    expect(stderr).toContain('--log-level debug lists the pages that keep their items\n')
  })
})

/** What each handler got, as `avocet hosts` has it. */
async function yields(): Promise<unknown> {
  const { stdout } = await run('hosts', '--json')
  const { hosts } = JSON.parse(stdout) as { readonly hosts: readonly { readonly handlers: readonly HandlerYield[] }[] }
  return hosts[0]?.handlers.map(({ handler, pages, items, yielding }) => [handler, pages, items, yielding])
}

describe('what handlers yielded, after --again', () => {
  it('are the counts of the pages as they are now, for every command and the next crawl', async () => {
    size = 12
    await spider('*product() {}')
    const first = await crawl()
    await spider(PRODUCT)

    const second = await again()
    const third = await crawl()

    expect(first.stderr).toContain('product: none of 12 pages')
    for (const { stderr } of [second, third, await run('report')]) expect(stderr).not.toContain('none of')
    expect(await yields()).toEqual([
      ['start', 2, 0, 2],
      ['product', 12, 12, 12],
    ])
  })

  it('are none of a handler that has another name now', async () => {
    size = 12
    await crawl()
    await spider('*offer(page) { yield { offer: page.title } }', { start: LIST.replace('product', 'offer') })

    await again()

    expect(await yields()).toEqual([
      ['start', 1, 0, 1],
      ['offer', 12, 12, 12],
    ])
  })

  it('have the items of pages that keep them', async () => {
    await twoDays()
    forget('/p/1-1')
    await spider('*product(page) { if (page.title !== "1-2") yield { upper: page.title } }')

    await again()

    expect(await yields()).toEqual([
      ['start', 1, 0, 1],
      ['product', 6, 5, 5],
    ])
  })
})

describe('avocet crawl --again that is stopped', () => {
  it('says that the handlers had run over everything, where they had', async () => {
    await crawl()
    const stop =
      "if (page.title === '1-3') { process.kill(process.pid, 'SIGINT'); await new Promise((go) => setTimeout(go, 300)) }"
    await spider(`async *product(page) { ${stop} yield { upper: page.title } }`)

    const { code, stderr } = await crawl('--again')

    expect(code, stderr).toBe(130)
    expect(stderr).toContain(
      'SIGINT came once the handlers had run over everything that is kept, and before the store was changed: the store and outputs are as they were; run the same command again\n',
    )
  })
})
