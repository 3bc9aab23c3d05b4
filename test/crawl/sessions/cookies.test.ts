// Cookies in whole crawls: who gets which, what a restart keeps, and who never sees them.
import { link, memoryFrontier, type CrawlConfig, type Page } from 'avocet'
import { cookies } from '@avocet/plugin-cookies'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const A = 'http://a.test'
const sets = (...fields: readonly string[]): Answer => ({ headers: { 'content-type': 'text/html', 'set-cookie': fields } })

/** A spider whose first page leads to /1, /2 and /3, in turn. */
function chain(
  seeds: readonly { readonly url: string; readonly session?: string }[] = [{ url: `${A}/` }],
): ReturnType<typeof pathSpider> {
  return pathSpider([], {
    seeds,
    handlers: {
      *start({ url }: Page) {
        const number = Number(url.pathname.slice(1))
        if (number < 3) yield link(`/${number + 1}`)
      },
    },
  })
}

/** `path cookie` of each request. */
const felt = ({ seen }: Ran): string[] =>
  seen.map(({ outbound: { url, headers } }) => `${new URL(url).pathname} ${headers['cookie'] ?? '-'}`)

const crawled = (script: Readonly<Record<string, Answer | readonly Answer[]>>, config: Partial<CrawlConfig> = {}): Promise<Ran> =>
  run({ [`${A}/1`]: {}, [`${A}/2`]: {}, [`${A}/3`]: {}, ...script }, { spider: chain(), plugins: [cookies()], ...config })

describe('cookies', () => {
  it.each(['constructor', '__proto__', 'toString'])('are those of a session, also of one called %s', async (session) => {
    const ran = await crawled({ [`${A}/`]: sets('sid=1') }, { spider: chain([{ url: `${A}/`, session }]) })

    expect(felt(ran)).toEqual(['/ -', '/1 sid=1', '/2 sid=1', '/3 sid=1'])
  })

  it('are sent back until they expire, by the clock of the crawl', async () => {
    const ran = await crawled({ [`${A}/`]: sets('sid=1', 'short=1; Max-Age=2') })

    expect(felt(ran)).toEqual(['/ -', '/1 sid=1; short=1', '/2 sid=1; short=1', '/3 sid=1'])
  })

  it('may come with a redirect, and with an error', async () => {
    const ran = await crawled({
      [`${A}/`]: sets('a=1'),
      [`${A}/1`]: { status: 302, headers: { location: '/2', 'set-cookie': 'b=1' } },
      [`${A}/2`]: [{ status: 503, headers: { 'retry-after': '1', 'set-cookie': 'c=1' } }, {}],
    })

    expect(felt(ran).slice(0, 3)).toEqual(['/ -', '/1 a=1', '/2 a=1; b=1'])
  })

  it('of one host go to no other', async () => {
    const spider = { ...chain(), seeds: [`${A}/`, 'http://b.test/3'], scope: { within: 'any' as const } }
    const ran = await crawled({ [`${A}/`]: sets('sid=1; Domain=a.test; Path=/'), 'http://b.test/3': {} }, { spider })

    expect(felt(ran)).toContain('/3 -')
  })

  it('of two sessions are kept apart, and go to all hosts of their domain', async () => {
    const seeds = ['alice', 'bob'].map((session) => ({ url: 'http://www.a.test/', session }))
    const spider = pathSpider([], {
      seeds,
      scope: { within: 'seed-domains' },
      handlers: {
        *start({ url }: Page) {
          if (url.hostname.startsWith('www')) yield link('http://m.a.test/')
        },
      },
    })
    const root = [sets('sid=1; Domain=a.test'), sets('sid=2; Domain=a.test')]
    const ran = await crawled({ 'http://www.a.test/': root, 'http://m.a.test/': {} }, { spider })

    expect(felt(ran).toSorted()).toEqual(['/ -', '/ -', '/ sid=1', '/ sid=2'])
  })

  it.each([undefined, 'alice'])('of session %s are there in the next run', async (session) => {
    const frontier = memoryFrontier()
    const spider = chain([{ url: `${A}/`, ...(session && { session }) }])
    const script = { [`${A}/`]: sets('sid=1') }
    await crawled(script, { frontier, spider, maxPages: 2 })
    const ran = await crawled(script, { frontier, spider })

    expect(felt(ran)).toEqual(['/2 sid=1', '/3 sid=1'])
  })

  it('last as long as they were to when the clock was ahead', async () => {
    const frontier = memoryFrontier()
    const script = { [`${A}/`]: sets('sid=1; Max-Age=60', 'day=1; Max-Age=86400') }
    const startAt = Date.UTC(2026, 0, 1)
    await crawled(script, { frontier, maxPages: 1, clock: new VirtualClock({ startAt: startAt + 30 * 86_400_000 }) })
    const ran = await crawled(script, { frontier, clock: new VirtualClock({ startAt: startAt + 120_000 }) })

    expect(felt(ran).at(-1)).toBe('/3 sid=1; day=1')
  })

  it('add to the field of the configuration, and leave that of a link alone', async () => {
    const spider = { ...chain(), seeds: [`${A}/`, { url: `${A}/3`, headers: { cookie: 'own=1' } }] }
    const ran = await crawled(
      { [`${A}/`]: sets('sid=1', 'consent=no') },
      { spider, headers: { Cookie: 'consent=yes' }, concurrency: 1 },
    )

    expect(felt(ran)).toEqual(['/ consent=yes', '/3 own=1', '/1 consent=yes; sid=1', '/2 consent=yes; sid=1'])
  })

  it('are in no event', async () => {
    const shown: unknown[] = []
    const { report } = await run(
      { [`${A}/`]: sets('sid=s3cret'), [`${A}/1`]: {} },
      { spider: chain(), plugins: [cookies()], maxPages: 2 },
      (made) =>
        made.hooks.onTrace.tap('test', (event) => shown.push(event.kind === 'begun' ? event.headers['cookie'] : undefined)),
    )

    expect(shown.filter((cookie) => cookie !== undefined)).toEqual(['__secret__'])
    expect(JSON.stringify(report)).not.toContain('s3cret')
  })

  it('cost no site more than it sends: a thousand fields, and garbage, leave a jar of its bounds', async () => {
    const fields = Array.from({ length: 1_000 }, (_, n) => `c${n}=${'x'.repeat(n * 8)}`)
    const ran = await crawled({
      [`${A}/`]: sets(';;;', '=', '\u0000=1', 'a=\u0007', 'Domain=b.test', ...fields),
      [`${A}/1`]: sets('last=1'),
    })

    expect(ran.report.problems).toEqual([])
    const count = felt(ran).at(-1)?.split('; ').length ?? 0
    expect([count > 9, count <= 50]).toEqual([true, true])
    expect(felt(ran).at(-1)).toContain('last=1')
  })
})
