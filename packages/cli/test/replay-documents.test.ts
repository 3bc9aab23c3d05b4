// A replay of a crawl that follows sitemaps: they are kept, and lead to their pages.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from './run-cli.ts'

it('a replay finds the pages that kept sitemaps list', async () => {
  const server = createServer(({ url, headers: { host } }, response) => {
    if (url === '/sitemap.xml') response.end(`http://${host}/listed`)
    else if (url === '/robots.txt') response.writeHead(404).end()
    else response.setHeader('content-type', 'text/html').end(`<title>${url}</title>`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'avocet-replay-documents-'))
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true })
  })
  const seed = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const spider = `{ name: 'shop', seeds: ['${seed}'], handlers: { *start(page) { yield { title: page.title } } } }`
  await writeFile(join(folder, 'shop.mjs'), `export default ${spider}`)
  await runCli(['crawl', 'shop.mjs', '--sitemaps', '--cache', '--rate', 'none'], { folder })

  const { code, stdout } = await runCli(['replay', 'shop.mjs', '--sitemaps', '-O', '-'], { folder })

  expect(stdout).toBe('{"title":"/"}\n{"title":"/listed"}\n')
  expect(code).toBe(0)

  const without = await runCli(['replay', 'shop.mjs', '-O', '-'], { folder })
  expect(without.stdout).toBe('{"title":"/"}\n')
})
