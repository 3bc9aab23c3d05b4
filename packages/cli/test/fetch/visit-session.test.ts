// `--session NAME`: a page is requested as the crawl would request it in that session, and the store is only read.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { runCli } from '../run-cli.ts'

const COOKIES = pathToFileURL(fileURLToPath(new URL('../../../plugin-cookies/src/index.ts', import.meta.url))).href

/** Hands out a cookie by the header field of the session, and tells what it was asked with. */
async function guardedSite(): Promise<{ readonly url: string; readonly asked: IncomingHttpHeaders[] }> {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer(({ url, headers }, response) => {
    if (url !== '/robots.txt') asked.push(headers)
    const who = headers['x-who'] ?? 'nobody'
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': `sid=of-${String(who)}` }).end('hello')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked }
}

it('sends the cookies of the session in the store and its header fields, and says that it does not log in', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'avocet-visit-session-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { url, asked } = await guardedSite()
  const login = `{ url: '${url}login', submit: () => { throw new Error('no login here') }, isLoggedOut: () => false }`
  const spider = `{ name: 'who', seeds: [{ url: '${url}', session: 'alice' }, '${url}'], login: ${login}, handlers: { *start() {} } }`
  await writeFile(
    join(folder, 'avocet.config.mjs'),
    `import { cookies } from '${COOKIES}'
export default { plugins: [cookies()], sessions: { alice: { headers: { 'x-who': 'alice' } } }, delayMs: 0, spider: ${spider} }`,
  )
  // Its login fails, so its pages wait; the cookies are those of the login page.
  await runCli(['crawl', '--max-time', '5s'], { folder })
  asked.length = 0

  const alice = await runCli(['fetch', url, '--session', 'alice'], { folder })
  const bob = await runCli(['fetch', url, '--session', 'bob'], { folder })
  const typo = await runCli(['fetch', url, '--session', 'alcie'], { folder })
  const wrong = await runCli(['fetch', url, '--session', 'a b'], { folder })

  expect(asked.map((headers) => [headers['x-who'], headers.cookie])).toEqual([
    ['alice', 'sid=of-alice'],
    [undefined, undefined],
    [undefined, undefined],
  ])
  expect([alice.code, bob.code, wrong.code]).toEqual([0, 0, 2])
  expect(alice.stderr).toContain(
    'this command does not: the page is requested with the cookies that session alice has in the store',
  )
  expect(alice.stderr).not.toContain('not logged in')
  expect(alice.stderr).not.toContain('is not among')
  expect(typo.stderr).toContain("session alcie is not among the sessions of the configuration (did you mean 'alice'?)")
  expect(alice.stdout + alice.stderr).not.toContain('sid=')
})
