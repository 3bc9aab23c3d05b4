// A replay of a spider with a login: the handlers run over what is kept, and nobody logs in.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from './run-cli.ts'

const COOKIES = pathToFileURL(fileURLToPath(new URL('../../plugin-cookies/src/index.ts', import.meta.url))).href
const FORM = '<p class=out></p><form id=login method=post action="/do"><input name=user></form>'

/** Five pages for members. */
async function membersSite(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(url)
    const html = (text: string): void => void response.writeHead(200, { 'content-type': 'text/html' }).end(text)
    if (url === '/login') return html(FORM)
    if (url === '/do') return void response.writeHead(302, { location: '/welcome', 'set-cookie': 'sid=1; Path=/' }).end()
    if (headers.cookie === undefined) return html('<p class=out>')
    html(`<h1>${url}</h1>${url === '/' ? [1, 2, 3, 4].map((n) => `<a href="/p${n}">x</a>`).join('') : ''}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

it('runs the handlers over the kept pages of members, and requests none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-replay-login-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { url, asked } = await membersSite()
  const write = (item: string): Promise<void> =>
    writeFile(
      join(folder, 'avocet.config.mjs'),
      `import { cookies } from '${COOKIES}'
const login = { url: '${url}login', submit: (page) => page.form('#login').fill({ user: 'ann' }).submit(), isLoggedOut: (page) => page.$('.out').length > 0 }
const handlers = { *start(page) { yield ${item}; yield* page.links() } }
export default { plugins: [cookies()], delayMs: 0, spider: { name: 'members', seeds: ['${url}'], login, handlers } }`,
    )
  await write('{ path: page.text("h1") }')
  await runCli(['crawl', '--rate', 'none', '--cache', '-O', 'items.jsonl'], { folder })
  await write('{ where: page.text("h1") }')
  const before = asked.length

  const { code, stderr } = await runCli(['replay', '-O', 'items.jsonl'], { folder })

  const items = readFileSync(join(folder, 'items.jsonl'), 'utf8').trim().split('\n').toSorted()
  expect(items).toEqual(['/', '/p1', '/p2', '/p3', '/p4'].map((where) => JSON.stringify({ where })))
  expect(asked.length).toBe(before)
  expect(stderr).toContain('no site is requested')
  expect(code).toBe(0)
}, 120_000)
