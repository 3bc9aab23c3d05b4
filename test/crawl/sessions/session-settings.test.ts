// What the configuration says of a session: what its requests send, to whom, and what the others send.
import { crawl, link } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { pathSpider, run } from '../harness.ts'

const A = 'https://a.test'
const B = 'https://b.test'
const SITE = { [`${A}/`]: {}, [`${A}/robots.txt`]: { status: 404 }, [`${B}/x`]: {}, [`${B}/robots.txt`]: { status: 404 } }
const SEEDS = [`${A}/`, { url: `${A}/`, session: 'alice' }, { url: `${A}/`, session: 'bob' }, { url: `${A}/`, session: 'carol' }]

/** The first page of each session leads to another site. */
const spider = pathSpider([], {
  seeds: SEEDS,
  scope: { within: 'any' },
  handlers: {
    *start({ url }) {
      if (url.pathname === '/') yield link(`${B}/x`)
    },
  },
})

/** What was sent in `field`, by session and URL. */
async function sent(field: string, config: object): Promise<Record<string, string | undefined>> {
  const { seen } = await run(SITE, { spider, policies: polite({ rate: 'fixed' }), ...config })
  return Object.fromEntries(
    seen.map(({ outbound: { url, session = '', headers } }) => [`${session} ${url.slice('https://'.length)}`, headers[field]]),
  )
}

describe('a session of the configuration', () => {
  it('sends its header fields to the origins of seeds, over those of the crawl', async () => {
    const sessions = { alice: { headers: { 'X-Shop': 'alice' } }, bob: {} }
    const got = await sent('x-shop', { headers: { 'x-shop': 'all' }, sessions })

    expect(got).toEqual({
      ...{
        ' a.test/': 'all',
        ' a.test/robots.txt': 'all',
        'alice a.test/': 'alice',
        'bob a.test/': 'all',
        'carol a.test/': 'all',
      },
      ...{ ' b.test/robots.txt': undefined, ' b.test/x': undefined },
      ...{ 'alice b.test/x': undefined, 'bob b.test/x': undefined, 'carol b.test/x': undefined },
    })
  })

  it('has a user agent of its own everywhere, but for robots.txt', async () => {
    const got = await sent('user-agent', { userAgent: 'crawl', sessions: { alice: { userAgent: 'phone' } } })

    expect(got['alice a.test/']).toBe('phone')
    expect(got['alice b.test/x']).toBe('phone')
    expect([' a.test/', ' a.test/robots.txt', ' b.test/robots.txt', 'bob a.test/'].map((key) => got[key])).toEqual(
      Array.from({ length: 4 }, () => 'crawl'),
    )
  })

  it("has credentials of its own in place of the crawl's", async () => {
    vi.stubEnv('TEST_ALL', 'token-of-all').stubEnv('TEST_ALICE', 'token-of-alice')
    onTestFinished(() => void vi.unstubAllEnvs())
    const bearer = (env: string) => ({ bearer: { env } })
    const got = await sent('authorization', {
      credentials: { [A]: bearer('TEST_ALL') },
      sessions: { alice: { credentials: { [A]: bearer('TEST_ALICE') } }, bob: { credentials: { [B]: bearer('TEST_ALICE') } } },
    })

    expect(got).toMatchObject({
      ...{ ' a.test/': 'Bearer token-of-all', ' a.test/robots.txt': 'Bearer token-of-all' },
      ...{ 'alice a.test/': 'Bearer token-of-alice', 'alice b.test/x': undefined },
      ...{ 'bob a.test/': 'Bearer token-of-all', 'bob b.test/x': 'Bearer token-of-alice' },
    })
  })

  it.each([
    ['a name that is none', { 'a b': {} }, 'each name in sessions to be letters'],
    ['an option that there is not', { alice: { cookies: 'a=b' } }, "sessions['alice'] has no option 'cookies'"],
    ['a user agent among the header fields', { alice: { headers: { 'user-agent': 'x' } } }, 'user agent'],
    ['a proxy in a program', { alice: { proxy: 'http://proxy.test' } }, 'plugins: [proxies('],
    ['a credential that is none', { alice: { credentials: { [A]: {} } } }, "sessions['alice'].credentials['https://a.test']"],
    ['null', { alice: null }, "sessions['alice'] to be an object"],
  ])('is refused: %s', (_name, sessions, said) => {
    const make = () => crawl({ policies: [], spider, ...({ sessions } as object) })

    expect(make).toThrow(expect.objectContaining({ code: 'AVO_CONFIG_INVALID', message: expect.stringContaining(said) }))
  })
})
