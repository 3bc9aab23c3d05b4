// parse and shell of a URL that a crawl knows: its handler and the data of its link come from the store.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sandbox } from '../../../../test/documents/sandbox.ts'
import { runCli, type CliRun } from '../run-cli.ts'

const SPIDER = `import { link } from '@avocet/core'
export default {
  name: 'shop',
  seeds: ['SITE'],
  handlers: {
    *start(page) {
      yield link('product', { handler: 'product', data: { shelf: 'tea' } })
      yield link('search', { handler: 'found', method: 'POST', body: 'q=tea' })
      yield link('both')
      yield link('both', { handler: 'product', data: { shelf: 'both' } })
    },
    *product({ title, request: { data, handler } }) { yield { title, shelf: data?.shelf ?? null, handler } },
    *found({ title, request: { method, body } }) { yield { title, method, body } },
  },
}
`

const project = sandbox()
const { folder } = project
let url: string
let asked: string[]
const server = createServer((request, response) => {
  const path = request.url ?? ''
  if (path === '/robots.txt') {
    response.writeHead(404).end()
    return
  }
  asked.push(`${request.method} ${path}`)
  response.setHeader('content-type', 'text/html').end(`<title>${path}</title>`)
})

beforeAll(async () => {
  asked = []
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await writeFile(join(folder, 'shop.mjs'), SPIDER.replace('SITE', url))
  await run('crawl', 'shop.mjs', '--rate', 'none')
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
const parse = (...words: string[]): Promise<CliRun> => run('parse', ...words, '--spider', 'shop.mjs')
const firstLine = ({ stderr }: CliRun): string => stderr.split('\n')[0] ?? ''

describe('avocet parse of a URL that the crawl knows', () => {
  it('runs the handler that the crawl ran, with the data of the link, and says where they are from', async () => {
    const tried = await parse(`${url}product`)

    expect(tried.stdout).toBe('{"title":"/product","shelf":"tea","handler":"product"}\n')
    expect(firstLine(tried)).toBe('handler product and data from .avocet/shop.db')
  })

  it('does so with a page in a file whose address is typed', async () => {
    await writeFile(join(folder, 'page.html'), '<title>recorded</title>')
    const tried = await parse('page.html', '--url', `${url}product`)

    expect(tried.stdout).toBe('{"title":"recorded","shelf":"tea","handler":"product"}\n')
    expect(asked).toEqual([])
  })

  it('requests it as it is typed, and knows it by its method and body', async () => {
    const alone = await parse(`${url}search`)
    const typed = await parse(`${url}search`, '--body', 'q=tea')

    expect(asked).toEqual(['GET /search', 'POST /search'])
    expect(firstLine(alone)).not.toContain('.avocet/shop.db')
    expect(firstLine(typed)).toBe('handler found from .avocet/shop.db')
    expect(typed.stdout).toBe('{"title":"/search","method":"POST","body":"q=tea"}\n')
  })

  it('lets the handler that is typed count, without the data that is for another', async () => {
    const renamed = await parse(`${url}product`, '--handler', 'start', '--limit', '0')

    expect(renamed.stderr).not.toContain('.avocet/shop.db')
  })

  it('takes the first handler where there are several, and names the others', async () => {
    const tried = await parse(`${url}both`, '--limit', '0')
    const named = await parse(`${url}both`, '--handler', 'product')

    expect(firstLine(tried)).toBe('handler start from .avocet/shop.db; other handlers of this URL: product')
    expect(named.stdout).toBe('{"title":"/both","shelf":"both","handler":"product"}\n')
  })

  it('says nothing of a URL that the store does not know, or with no store', async () => {
    const unknown = await parse(`${url}none`, '--handler', 'product')
    const without = await parse(`${url}product`, '--store', ':memory:', '--limit', '0')

    expect(firstLine(unknown)).toBe('1 item, 0 links')
    expect(without.stderr).not.toContain('.avocet/shop.db')
    expect(without.stderr).toContain('\n0 items, 4 links')
  })

  it('says which handler the store names where the spider has it no longer', async () => {
    await writeFile(join(folder, 'renamed.mjs'), SPIDER.replace('SITE', url).replace('*product', '*offer'))
    const { code, stderr } = await run('parse', `${url}product`, '--spider', 'renamed.mjs')

    expect(stderr).toContain(
      "expected a handler of spider shop (start, offer, found), got 'product' from .avocet/shop.db; name another with --handler",
    )
    expect([code, asked]).toEqual([2, []])
  })
})

describe('avocet parse', () => {
  it('requests the URL that is typed, also where the crawl knows it without its tracking parameters', async () => {
    const tried = await parse(`${url}product?utm_source=mail`)

    expect(asked).toEqual(['GET /product?utm_source=mail'])
    expect(tried.stdout).toContain('"shelf":"tea","handler":"product"')
  })

  it('says which handler runs where the store does not know the URL, and which others there are', async () => {
    const tried = await parse(`${url}none`, '--limit', '0')

    expect(firstLine(tried)).toBe('handler start, not product, found; choose another with --handler NAME')
  })

  it('takes a page from a file in no session', async () => {
    await writeFile(join(folder, 'page.html'), '<title>recorded</title>')
    const { code, stderr } = await parse('page.html', '--session', 'alice')

    expect([code, stderr]).toEqual([2, expect.stringContaining('parse: expected a URL for --session, got a file')])
  })
})

describe('avocet shell of a URL that the crawl knows', () => {
  const shell = (page: string, code: string): Promise<CliRun> => run('shell', page, '--spider', 'shop.mjs', '-c', code)

  it('has its handler and data for items(), and for each page that is fetched there', async () => {
    expect((await shell(`${url}product`, 'items()')).stdout).toBe("[ { title: '/product', shelf: 'tea', handler: 'product' } ]\n")
    expect((await shell(`${url}none`, "await fetch('/product'); (await items())[0].shelf")).stdout).toBe('tea\n')
  })

  it('takes another handler, and other data', async () => {
    const tried = await shell(`${url}none`, "items('product', { shelf: 'ink' })")

    expect(tried.stdout).toBe("[ { title: '/none', shelf: 'ink', handler: 'product' } ]\n")
  })
})
