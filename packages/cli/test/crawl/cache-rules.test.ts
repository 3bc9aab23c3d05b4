// `--cache-rules http`: what the site felt over two runs, and the options that it contradicts.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli, type CliRun } from '../run-cli.ts'

let folder: string
let asked: string[]
const server = createServer((request, response) => {
  const path = request.url ?? ''
  if (path === '/robots.txt') {
    response.writeHead(404).end()
    return
  }
  const condition = request.headers['if-none-match']
  asked.push(path + (condition === undefined ? '' : ` ${condition}`))
  response.setHeader('content-type', 'text/html').setHeader('etag', '"1"')
  response.setHeader('cache-control', path === '/fresh' ? 'max-age=600' : 'no-cache')
  if (condition === '"1"') response.writeHead(304).end()
  else response.end(`<title>tea</title><a href="/fresh">fresh</a>`)
})

beforeEach(async () => {
  asked = []
  folder = await mkdtemp(join(tmpdir(), 'avocet-cache-rules-'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await writeFile(
    join(folder, 'shop.mjs'),
    `export default { name: 'shop', seeds: ['${url}'], handlers: { *start(page) { yield { title: page.title }; yield* page.links('a') } } }`,
  )
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})

const run = (...words: string[]): Promise<CliRun> => runCli(words, { folder })
const TEA = '{"title":"tea"}\n'

describe('--cache-rules', () => {
  it('http requests only what is not fresh, in a store that is new: stale pages with their validators', async () => {
    const crawl = ['crawl', 'shop.mjs', '--rate', 'none', '-O', '-', '--cache-rules', 'http']
    const first = await run(...crawl)
    const before = asked
    asked = []
    await rm(join(folder, '.avocet', 'shop.db'))

    const second = await run(...crawl)

    expect(before).toEqual(['/', '/fresh'])
    expect(asked).toEqual(['/ "1"'])
    expect([first.stdout, second.stdout]).toEqual([TEA + TEA, TEA + TEA])
  })

  it('none says that nothing is, over the configuration; --fresh keeps nothing to use', async () => {
    await writeFile(join(folder, 'avocet.config.mjs'), `export default { cache: { rules: 'http' } }`)
    const crawl = ['crawl', 'shop.mjs', '--rate', 'none', '-O', '-']
    await run(...crawl)
    await rm(join(folder, '.avocet', 'shop.db'))
    asked = []

    await run(...crawl, '--cache-rules', 'none')
    await run(...crawl, '--fresh', '--yes')

    expect(asked).toEqual(['/', '/fresh', '/', '/fresh'])
  })

  it('http contradicts a store in memory', async () => {
    expect(await run('crawl', 'shop.mjs', '--cache-rules', 'http', '--store', ':memory:')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--cache-rules'),
    })
  })
})
