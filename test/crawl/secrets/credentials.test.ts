// Credentials of the configuration: whom they are sent to, where they come from, and where they never are.
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, definePlugin, link, type CrawlConfig } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import { scriptedWeb } from '../scripted-web.ts'

const A = 'https://a.test'
const HTML = { 'content-type': 'text/html' }
const TOKEN = 'tok-4711-abcdef'
const BEARER = { bearer: { env: 'TEST_TOKEN' } }

function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-credentials-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function fileOf(text: string, mode = 0o600): string {
  const path = join(folderOf(), 'secret')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

function withToken(): void {
  vi.stubEnv('TEST_TOKEN', TOKEN)
  onTestFinished(() => void vi.unstubAllEnvs())
}

const follow = (...links: readonly string[]): ReturnType<typeof pathSpider> =>
  pathSpider([`${A}/`], {
    scope: { within: 'any' },
    handlers: {
      *start(page) {
        yield { path: page.url.pathname, headers: { ...page.request.headers } }
        if (page.url.pathname === '/') for (const to of links) yield link(to)
      },
    },
  })

/** What each URL was sent as `authorization`. */
async function sent(script: Parameters<typeof run>[0], config: Parameters<typeof run>[1]): Promise<Record<string, string>> {
  const { seen } = await run(script, config)
  return Object.fromEntries(seen.map(({ outbound: { url, headers } }) => [url, headers['authorization'] ?? 'none']))
}

const problemOf = async (config: object): Promise<string> => {
  try {
    await crawl({ policies: [], spider: follow(), ...config }).run()
  } catch (error) {
    return `${(error as { code: string }).code}: ${(error as Error).message}`
  }
  return 'fine'
}

describe('credentials', () => {
  it('go to all requests of their origin, robots.txt and redirects within it too, and to no other', async () => {
    withToken()
    const elsewhere = ['http://a.test/plain', 'https://a.test:8443/port', 'https://sub.a.test/sub', 'https://b.test/']
    const script = {
      [`${A}/`]: { headers: HTML },
      [`${A}/robots.txt`]: { status: 404 },
      [`${A}/moved`]: { status: 302, headers: { location: '/target' } },
      [`${A}/away`]: { status: 307, headers: { location: 'https://b.test/caught' } },
      [`${A}/target`]: { headers: HTML },
    }
    const spider = follow('/moved', '/away', ...elsewhere)
    const got = await sent(script, { spider, policies: polite({ rate: 'fixed' }), credentials: { [A]: BEARER } })

    const ofOrigin = Object.entries(got).filter(([url]) => url.startsWith(`${A}/`))
    expect(ofOrigin.map(([url]) => new URL(url).pathname).toSorted()).toEqual(['/', '/away', '/moved', '/robots.txt', '/target'])
    expect(new Set(ofOrigin.map(([, value]) => value))).toEqual(new Set([`Bearer ${TOKEN}`]))
    const others = Object.entries(got).filter(([url]) => !url.startsWith(`${A}/`))
    expect(others.map(([url]) => url)).toEqual(expect.arrayContaining([...elsewhere, 'https://b.test/caught']))
    expect(new Set(others.map(([, value]) => value))).toEqual(new Set(['none']))
  })

  it('are a user with a password from a file, as RFC 7617 writes it', async () => {
    const credentials = { [A]: { user: 'mé', password: { file: fileOf('päss wörd\n') } } }
    const got = await sent({ [`${A}/`]: {} }, { spider: follow(), credentials })

    expect(got[`${A}/`]).toBe(`Basic ${Buffer.from('mé:päss wörd').toString('base64')}`)
  })

  it('go before headers of the configuration, and behind those of a link', async () => {
    withToken()
    const spider = pathSpider([`${A}/`], {
      handlers: {
        *start({ url }) {
          if (url.pathname === '/') yield link('/own', { headers: { Authorization: 'Bearer own' } })
        },
      },
    })
    const headers = { Authorization: 'Bearer of-headers' }
    const got = await sent({ [`${A}/`]: {}, [`${A}/own`]: {} }, { spider, headers, credentials: { [A]: BEARER } })

    expect(got).toEqual({ [`${A}/`]: `Bearer ${TOKEN}`, [`${A}/own`]: 'Bearer own' })
  })

  it('do not take the place of what a seed sends', async () => {
    withToken()
    const spider = pathSpider([], {
      seeds: [{ url: `${A}/`, headers: { authorization: 'Bearer of-seed' } }],
      handlers: { *start() {} },
    })
    const got = await sent({ [`${A}/`]: {} }, { spider, credentials: { [A]: BEARER } })

    expect(got).toEqual({ [`${A}/`]: 'Bearer of-seed' })
  })

  it('are reported once for an origin that refuses them', async () => {
    withToken()
    const script = { [`${A}/`]: { headers: HTML }, [`${A}/x`]: { status: 401 }, [`${A}/y`]: { status: 401 } }
    const { report } = await run(script, { spider: follow('/x', '/y'), credentials: { [A]: BEARER } })

    const told = report.problems.filter(({ message }) => message.includes('credentials'))
    expect(told).toEqual([
      { message: `${A} refused the credentials (status 401): check the environment variable TEST_TOKEN`, count: 2 },
    ])
  })

  it('are in no store, event, item, problem or plugin', async () => {
    withToken()
    const folder = folderOf()
    const events: unknown[] = []
    const spy = definePlugin({ name: 'spy', beforeRequest: ({ given }) => void events.push(given) })
    const spider = pathSpider([`${A}/`], {
      handlers: {
        start: ({ title }) => {
          throw new Error(`no price on ${title}`)
        },
      },
    })
    const clock = new VirtualClock()
    const frontier = sqlite(join(folder, 'store.db'), { clock })
    const fetcher = scriptedWeb(clock, { [`${A}/`]: { headers: HTML, body: `<title>${TOKEN}</title>` } })
    const config: CrawlConfig = { spider, clock, frontier, fetcher, plugins: [spy], credentials: { [A]: BEARER } }
    const made = crawl({ ...config, policies: [], delayMs: 0 })
    made.hooks.onTrace.tap('test', (event) => void events.push(structuredClone(event)))
    const report = await clock.run(() => made.run())
    await frontier.close()

    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
    const kept = [JSON.stringify(events), JSON.stringify(report), ...files]
    expect(fetcher.seen[0]?.outbound.headers['authorization']).toBe(`Bearer ${TOKEN}`)
    expect(kept.filter((text) => text.includes('__secret__'))).not.toEqual([])
    expect(kept.filter((text) => text.includes(TOKEN)).length).toBe(0)
  })
})

describe('a credential that cannot be used', () => {
  it.each([
    ['a variable that is not set', () => ({ bearer: { env: 'TEST_UNSET' } }), 'the environment variable TEST_UNSET'],
    ['a file that is not there', () => ({ bearer: { file: '/nowhere/token' } }), '/nowhere/token'],
    ['a file that others can read', () => ({ bearer: { file: fileOf(TOKEN, 0o644) } }), 'chmod 600'],
    ['a file that its group can read', () => ({ bearer: { file: fileOf(TOKEN, 0o640) } }), 'mode 0640'],
    ['an empty file', () => ({ bearer: { file: fileOf('\n') } }), 'an empty one'],
    ['a folder', () => ({ bearer: { file: folderOf() } }), 'to be a file'],
    ['a token of two lines', () => ({ bearer: { file: fileOf(`${TOKEN}\n${TOKEN}`) } }), 'visible ASCII'],
    ['a user with a colon', () => ({ user: 'a:b', password: { file: fileOf(TOKEN) } }), 'without a colon'],
    ['a key that is none', () => ({ cert: { file: fileOf(TOKEN) }, key: { file: fileOf(TOKEN) } }), 'TLS refuses'],
  ])('is one line before the crawl begins: %s', async (_name, credential, said) => {
    const problem = await problemOf({ credentials: { [A]: credential() } })

    expect(problem).toContain('AVO_CONFIG_CREDENTIALS: expected')
    expect(problem).toContain(said)
    expect(problem).not.toContain('\n')
    expect(problem).not.toContain(TOKEN)
  })

  it.each([
    ['a secret in the configuration', { [A]: { bearer: TOKEN } }],
    ['a secret in the place of a credential', { [A]: TOKEN }],
    ['two sources', { [A]: { bearer: { env: 'A', file: 'b' } } }],
    ['a password alone', { [A]: { password: { env: 'A' } } }],
    ['two credentials', { [A]: { bearer: { env: 'A' }, user: 'x' } }],
    ['no origin', { 'a.test': BEARER }],
    ['a path', { [`${A}/api`]: BEARER }],
    ['a password in the URL', { [`https://me:${TOKEN}@a.test`]: BEARER }],
    ['a pattern', { 'https://*.members.test': BEARER }],
    ['an origin twice', { [A]: BEARER, [`${A}:443/`]: BEARER }],
    ['a certificate without TLS', { 'http://a.test': { cert: { env: 'A' }, key: { env: 'B' } } }],
    ['nothing', { [A]: {} }],
    ['null', { [A]: null }],
    ['a list', []],
  ])('is refused as written: %s', async (_name, credentials) => {
    const problem = await problemOf({ credentials })

    expect(problem).toContain('AVO_CONFIG_INVALID')
    expect(problem).not.toContain(TOKEN)
  })
})
