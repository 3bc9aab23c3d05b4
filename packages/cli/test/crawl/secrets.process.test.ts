// Nothing that is secret is written or printed: the command, over loopback, against a site that hands secrets out in every way.
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL, fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { spawnCli, type CliRun } from '../run-cli.ts'

/** In each secret, and in nothing else. */
const MARK = 's3cr3t'
const CORE = pathToFileURL(fileURLToPath(new URL('../../../core/src/index.ts', import.meta.url))).href

/** Gets its secrets from the environment, so that no file of the project holds them. */
const SPIDER = `
import { link } from '${CORE}'
const { SITE, MARK } = process.env
export default {
  name: 'hunt',
  seeds: [
    { url: SITE + '?token=' + MARK + '-seed', headers: { Authorization: 'Bearer ' + MARK + '-seed', 'Proxy-Authorization': 'Basic ' + MARK + '-proxy' } },
    SITE.replace('//', '//user:' + MARK + '-userinfo@') + 'userinfo',
  ],
  accepts: (status) => status === 200,
  handlers: {
    *start(page) {
      yield { url: page.url.href, asked: page.response.url, parent: page.request.parent ?? null }
      if (page.url.pathname === '/') yield link('/own-header', { headers: { Cookie: 'sid=' + MARK + '-cookie' } })
      if (page.url.pathname === '/throws') throw new Error('no price behind ' + [...page.links()][0].url + ' for ' + JSON.stringify(page.request))
      const next = new URL(page.url)
      if (page.url.pathname === '/derive') { next.pathname = '/derived'; yield link(next, { headers: page.request.headers }) }
      yield* page.links()
    },
  },
}`

let folder: string
let server: Server
let site: string
const asked = new Map<string, IncomingMessage[]>()

function answers(
  path: string,
  token: string | null,
): { status?: number; location?: string; links?: readonly string[]; waitMs?: number } {
  switch (path) {
    case '/':
      return {
        links: [
          `/page?Token=${MARK}-page&b=2`,
          `//user:${MARK}-linked@${site.slice('http://'.length)}linked-userinfo`,
          '/moved',
          `/gone?token=${MARK}-gone`,
          `/busy?token=${MARK}-busy`,
          `/throws?token=${MARK}-throws`,
          `/derive?token=${MARK}-derive`,
          '/odd',
        ],
      }
    case '/moved':
      return { status: 302, location: `/session?token=${MARK}-session-1&x=1` }
    case '/session':
      return token === `${MARK}-session-1` ? { status: 302, location: `/session?token=${MARK}-session-2&x=1` } : {}
    case '/odd':
      return { status: 302, location: `app://user:${MARK}-odd@back?token=${MARK}-odd` }
    case '/robots.txt':
      return { status: 302, location: site.replace('//', `//user:${MARK}-robots@`) + `rules.txt?token=${MARK}-robots` }
    case '/gone':
      return { status: 404 }
    case '/busy':
      return { status: 500 }
    case '/derived':
      return { links: Array.from({ length: 12 }, (_, n) => `/slow-${n}?token=${MARK}-seed`) }
    case '/throws':
      return { links: [`/unseen?x=1&token=${MARK}-unseen`] }
    default:
      return path.startsWith('/slow') ? { waitMs: 300 } : {}
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'avocet-secrets-'))
  asked.clear()
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', site)
    asked.set(pathname, [...(asked.get(pathname) ?? []), request])
    const { status = 200, location, links = [], waitMs = 0 } = answers(pathname, searchParams.get('token'))
    const plain = pathname === '/rules.txt'
    setTimeout(() => {
      response.writeHead(status, {
        'content-type': plain ? 'text/plain' : 'text/html',
        ...(location !== undefined && { location }),
      })
      response.end(
        plain
          ? 'User-agent: *\nDisallow: /private'
          : links.map((url) => `<a href="${url.replaceAll('&', '&amp;')}">x</a>`).join(''),
      )
    }, waitMs)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  site = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await writeFile(join(folder, 'spider.ts'), SPIDER)
  await writeFile(join(folder, 'package.json'), '{}')
  await writeFile(
    join(folder, 'avocet.config.ts'),
    `export default { secretParameters: ['TOKEN'], delayMs: 20, patienceMs: 3000 }`,
  )
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
  await rm(folder, { recursive: true })
})

function avocet(words: readonly string[], meanwhile?: (child: { kill(signal: 'SIGKILL'): unknown }) => void): Promise<CliRun> {
  return spawnCli(words, {
    folder,
    env: { SITE: site, MARK, NODE_OPTIONS: '--no-warnings' },
    ...(meanwhile && { meanwhile }),
  })
}

/** Where the mark stands: names of files, and of runs. */
async function leaks(runs: Readonly<Record<string, CliRun>>): Promise<readonly string[]> {
  const found: string[] = []
  for (const [name, { stdout, stderr }] of Object.entries(runs)) {
    for (const line of `${stdout}\n${stderr}`.split('\n')) if (line.includes(MARK)) found.push(`${name}: ${line}`)
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.name.includes(MARK)) found.push(path)
    if (!entry.isFile()) continue
    const text = await readFile(path, 'latin1')
    for (let at = text.indexOf(MARK); at !== -1; at = text.indexOf(MARK, at + 1))
      found.push(`${entry.name}: …${JSON.stringify(text.slice(at - 40, at + 24))}`)
  }
  return found
}

const tokensOf = (path: string): readonly (string | null)[] =>
  (asked.get(path) ?? []).map(
    ({ url = '' }) => new URL(url, site).searchParams.get('token') ?? new URL(url, site).searchParams.get('Token'),
  )

describe('secrets of a crawl', () => {
  it('are in no file and in no output, through kill -9, resume, failures and every reader', { timeout: 180_000 }, async () => {
    const crawl = ['crawl', 'spider.ts', '--rate', 'fixed', '-o', 'items.jsonl', '--max-time', '8s']
    const killed = await avocet([...crawl, '--log-level', 'debug', '--log-format', 'json'], (child) => {
      const timer = setInterval(() => {
        if (!asked.has('/slow-2')) return
        clearInterval(timer)
        child.kill('SIGKILL')
      }, 10)
    })
    const afterKill = await leaks({ killed })
    const resumed = await avocet([...crawl, '--log-level', 'debug', '--log-format', 'json'])
    const ended = await avocet(['crawl', 'spider.ts', '--rate', 'fixed', '--max-time', '1s', '--json'])
    const url = `${site}gone?token=${MARK}-gone`
    const readers: Record<string, CliRun> = {}
    const read = async (...words: readonly string[]): Promise<void> => {
      readers[words.join(' ').replaceAll(MARK, 'S')] = await avocet(words)
    }
    await Promise.all([
      read('status', '--json'),
      read('hosts', '--json'),
      read('report'),
      read('report', '--html', 'report.html'),
    ])
    await Promise.all([
      read('failed', 'list', '--json'),
      read('export', '-O', 'all.csv'),
      read('why', url),
      read('why', url, '--json'),
    ])
    await Promise.all([read('report', '--json'), read('check', 'spider.ts', '--offline'), read('check', 'spider.ts', '--values')])

    expect(killed.code).toBeNull()
    expect(afterKill).toEqual([])
    const failing = Object.entries(readers).filter(([words, { code }]) => code !== 0 && !words.startsWith('check'))
    expect(failing).toEqual([])
    expect(await leaks({ resumed, ended, ...readers })).toEqual([])
    expect(ended.code).not.toBe(7)
    // What the servers were told is what it was before.
    expect(asked.get('/')?.[0]?.headers).toMatchObject({
      authorization: `Bearer ${MARK}-seed`,
      'proxy-authorization': `Basic ${MARK}-proxy`,
    })
    expect(asked.get('/own-header')?.[0]?.headers.cookie ?? 'lost with the process').toMatch(
      /^(sid=s3cr3t-cookie|lost with the process)$/,
    )
    expect(tokensOf('/')[0]).toBe(`${MARK}-seed`)
    for (const [path, token] of [
      ['/page', 'page'],
      ['/gone', 'gone'],
      ['/throws', 'throws'],
      ['/derive', 'derive'],
      ['/derived', 'derive'],
      ['/rules.txt', 'robots'],
    ] as const)
      expect([path, [...new Set(tokensOf(path))].filter((each) => each !== `${MARK}-seed`)]).toEqual([path, [`${MARK}-${token}`]])
    // After the kill, too, the pages that carry the secret of the seed get it.
    expect(Array.from({ length: 12 }, (_, n) => tokensOf(`/slow-${n}`).at(-1))).toEqual(
      Array.from({ length: 12 }, () => `${MARK}-seed`),
    )
    const why = readers[`why ${url} --json`.replaceAll(MARK, 'S')]
    expect((JSON.parse(why?.stdout ?? '') as { requests: readonly { status: number }[] }).requests).toMatchObject([
      { status: 404 },
    ])
  })
})
