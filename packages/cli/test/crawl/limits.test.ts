// Limits that are typed, under each way to set the rate, as a server on loopback feels them. All of them: test/crawl/limits-matrix.test.ts.
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run-cli.ts'

const PRESET = new URL('../../../preset-polite/src/index.ts', import.meta.url).href
const TAKES_MS = 150

interface Felt {
  readonly at: number
  readonly headers: IncomingHttpHeaders
  readonly beside: number
}

let folder: string
let server: Server
let url: string
let felt: Felt[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-limits-'))
  felt = []
  let open = 0
  server = createServer((request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end()
    felt.push({ at: performance.now(), headers: request.headers, beside: open++ })
    setTimeout(() => {
      open--
      const links = Array.from({ length: 20 }, (_, n) => `<a href="/${n}">${n}</a>`).join('')
      response.writeHead(200, { 'content-type': 'text/html' }).end(links)
    }, TAKES_MS)
    return undefined
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})

const POLITE = `import { polite } from '@avocet/preset-polite'; export default { policies: polite(RATE) }`
const WAYS: readonly { readonly way: string; readonly words?: readonly string[]; readonly config?: string }[] = [
  { way: 'a configuration that names polite()', config: POLITE.replace('RATE', '') },
  { way: '--rate none', words: ['--rate', 'none'] },
  { way: 'a rate plugin of your own', config: `export default { plugins: [{ name: 'own', policy: 'rate' }] }` },
]

describe.each(WAYS)('with $way', ({ words = [], config }) => {
  /** Ms from the first request to the last. A request that a busy machine felt late makes the gap behind it shorter, so single gaps tell nothing. */
  async function spanOf(...typed: readonly string[]): Promise<number> {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    if (config !== undefined)
      await writeFile(join(folder, 'avocet.config.js'), config.replace(/'@avocet\/preset-polite'/, `'${PRESET}'`))
    const { code, stderr } = await runCli(['crawl', url, '--store', ':memory:', '--max-pages', '5', ...words, ...typed], {
      folder,
    })
    expect({ code, stderr }).toMatchObject({ code: 5, stderr: expect.stringContaining('maxPages is reached') as string })
    expect(felt).toHaveLength(5)
    return (felt.at(-1)?.at ?? 0) - (felt[0]?.at ?? 0)
  }

  it('--delay and --max-per-host bind, and --user-agent and --header are sent', async () => {
    const spanMs = await spanOf(
      '--delay',
      '400ms',
      '--max-per-host',
      '1',
      '--user-agent',
      'me/1 (+https://m.example)',
      '--header',
      'x-who: me',
    )

    // Four gaps of 400 ms; without them, four answers of 150 ms.
    expect(spanMs).toBeGreaterThan(1_300)
    expect(Math.max(...felt.map(({ beside }) => beside))).toBe(0)
    expect(new Set(felt.map(({ headers }) => `${headers['user-agent']} ${String(headers['x-who'])}`))).toEqual(
      new Set(['me/1 (+https://m.example) me']),
    )
  })

  it('--max-rps binds', async () => {
    const spanMs = await spanOf('--max-rps', '2')

    // Four gaps of 500 ms.
    expect(spanMs).toBeGreaterThan(1_600)
  })
})
