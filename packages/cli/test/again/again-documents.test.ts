// `--again` of a crawl that follows sitemaps: they have no items to keep, and no handler of the spider.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

it('--again says nothing of sitemaps, which stay as they are, and takes none of them for a page', async () => {
  const server = createServer(({ url, headers: { host } }, response) => {
    if (url === '/sitemap.xml') response.end(`http://${host}/listed`)
    else if (url === '/robots.txt') response.writeHead(404).end()
    else response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'avocet-again-documents-'))
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true })
  })
  const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const spider = `{ name: 'shop', seeds: ['${seed}'], handlers: { *start(page) { yield { title: page.title } } } }`
  await writeFile(join(folder, 'shop.mjs'), `export default ${spider}`)
  const words = ['crawl', 'shop.mjs', '--sitemaps', '-O', '-']
  await runCli([...words, '--cache', '--rate', 'none'], { folder })

  const { stdout, stderr } = await runCli([...words, '--again'], { folder })

  expect(stdout).toBe('{"title":"/"}\n{"title":"/listed"}\n')
  expect(stderr).not.toMatch(/keeps its items|keep their items/)
  const { stdout: report } = await runCli(['crawl', 'shop.mjs', '--sitemaps', '--again', '--json'], { folder })
  expect(JSON.parse(report)).toMatchObject({ counts: { done: 3 }, documents: 1 })
})
