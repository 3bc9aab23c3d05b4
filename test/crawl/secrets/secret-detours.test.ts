// The request that asks a site again for a secret that it hands out: what counts as its answer, and what it may ask.
import { setImmediate } from 'node:timers/promises'
import type { CrawlConfig, Plugin, Spider } from '@avocet/core'
import type { FailureCode } from '@avocet/core/plugin'
import { polite } from '@avocet/preset-polite'
import { describe, expect, it } from 'vitest'
import { pathSpider, type Ran } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'
import { emptyStore, links, page, pages, ran, sentUrls, SHOP, site, type Script, type Store } from '../sessions/session-shop.ts'

const DAY = 86_400_000
const noRobots: Script = { '/robots.txt': { status: 404 } }

/** A run that finds 40 pages, and stops. */
async function stopped(config: Partial<CrawlConfig> = {}): Promise<Store> {
  const store = emptyStore()
  await ran(store, site({ '/': page(...links('old')), ...noRobots }), { maxPages: 1, ...config })
  return store
}

/** The run after it: the page that hands values out answers with `answers` first. */
async function resumed(answers: readonly Answer[], config: Partial<CrawlConfig> = {}): Promise<Ran> {
  const script = site({ '/': [...answers, page(...links('new'))], ...pages('new'), '/?sid=new': {}, ...noRobots })
  return ran(await stopped(), script, { policies: polite(), patienceMs: DAY, ...config })
}

const times = (count: number, answer: Answer): readonly Answer[] => Array.from({ length: count }, () => answer)
const askedHome = (done: Ran): number => sentUrls(done).filter((path) => path === '/').length

describe('trouble while a site is asked again for a secret', () => {
  it.each([
    ['our network is down', 'AVO_NETWORK_DOWN'],
    ['the host cannot be reached', 'AVO_CONNECT_FAILED'],
  ] as const)('loses nothing, however often %s', async (_what: string, fails: FailureCode) => {
    const second = await resumed(times(8, { fails, unsent: true }))

    expect(second.report.failures).toEqual([])
    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
  })

  it('does not count what failed for want of our own memory', async () => {
    const second = await resumed(times(8, { fails: 'AVO_BODY_BUDGET' }))

    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
  })

  it.each<readonly [string, Answer]>([
    ['its status is 500', { status: 500 }],
    ['its status is 403', { status: 403 }],
    ['its status is 429', { status: 429 }],
    ['it refuses until later', { status: 503, headers: { 'retry-after': '30' } }],
    ['its connections are reset', { fails: 'AVO_RESET' }],
  ])('passes where %s four times, with and without policies', async (_what: string, answer: Answer) => {
    const plain = await resumed(times(4, answer), { policies: [] })
    const polite = await resumed(times(4, answer))

    for (const { report } of [plain, polite]) expect(report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
    expect([plain, polite].map(askedHome)).toEqual([5, 5])
  })

  it.each<readonly [string, Answer, string]>([
    ['answers 500', { status: 500 }, 'answered 500'],
    ['answers 403', { status: 403 }, 'answered 403'],
    ['answers 429', { status: 429 }, 'answered 429'],
    ['resets connections', { fails: 'AVO_RESET' }, 'could not be read (AVO_RESET)'],
  ])(
    'asks a page that %s five times in a run, in longer and longer intervals',
    async (_what: string, answer: Answer, end: string) => {
      for (const plugins of [[], polite()]) {
        const store = await stopped()
        const trouble = await ran(store, site({ '/': answer, ...pages('new'), ...noRobots }), { plugins, patienceMs: DAY })
        const well = await ran(store, site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {}, ...noRobots }))

        const at = trouble.seen.filter(({ outbound }) => outbound.url === `${SHOP}/`).map((seen) => seen.at)
        const waits = at.slice(1).map((each, n) => each - (at[n] ?? 0))
        expect(waits).toHaveLength(4)
        for (const [n, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(60_000 * 2 ** n)
        expect(trouble.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
        expect(trouble.report.problems.map(({ message }) => message).join()).toContain(
          `${SHOP}/ was tried 5 times, and the last time it ${end}`,
        )
        expect(well.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
      }
    },
  )

  it('counts as trouble of its host, and as no attempt of what waits', async () => {
    const store = await stopped()
    const heard: string[] = []
    const listener: Plugin = {
      name: 'listener',
      onResponse: ({ response, exchange }) => void heard.push(`${exchange.request.attempts} ${response.status}`),
      onError: ({ failure, exchange }) => void heard.push(`${exchange.request.attempts} ${failure.code}`),
    }
    const home = [{ status: 500 }, { fails: 'AVO_RESET' as const }, { status: 502 }, page(...links('new'))]
    const script = site({ '/': home, ...pages('new'), '/?sid=new': {} })
    await ran(store, script, { plugins: [listener] })

    expect(heard.slice(0, 4)).toEqual(['0 500', '0 AVO_RESET', '0 502', '0 200'])
  })

  it('keeps no page waiting that needs no secret', async () => {
    const store = emptyStore()
    await ran(store, site({ '/': page('/a?sid=old', '/b', '/c') }), { maxPages: 1 })
    const second = await ran(store, site({ '/': [{ status: 500 }, page('/a?sid=new')], '/a?sid=new': {}, '/b': {}, '/c': {} }))

    expect(sentUrls(second)).toEqual(['/', '/b', '/c', '/', '/a?sid=new'])
  })

  it('costs a vote to drop, or a throw, no page that waits', async () => {
    const judge: Plugin = {
      name: 'judge',
      onResponse(answer) {
        if (answer.response.status === 500) answer.drop('bad')
        if (answer.response.status === 502) throw new Error('bad')
      },
    }
    const second = await resumed([{ status: 500 }, { status: 502 }], { policies: [], plugins: [judge] })

    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
  })

  it.each([500, 502, 504, 408, 429, 503])('waits and asks again after a status %i', async (status) => {
    const second = await resumed([{ status }])

    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0, done: 42 })
    expect(askedHome(second)).toBe(2)
  })

  it('shows no handler an answer that is not of its page, though the spider accepts the status', async () => {
    const spider = pathSpider([], {
      seeds: [`${SHOP}/`],
      accepts: (status) => status === 200 || status === 503,
      handlers: {
        *start(visited) {
          yield { path: visited.url.pathname, status: visited.response.status }
          yield* visited.links()
        },
      },
    })
    const store = await stopped({ spider })
    const script = site({ '/': [{ status: 503 }, page(...links('new'))], ...pages('new'), '/?sid=new': {}, ...noRobots })
    const second = await ran(store, script, { spider, policies: polite(), patienceMs: DAY })

    expect(second.items.filter((item) => (item as { status: number }).status === 503)).toEqual([])
  })

  it.each([400, 404, 410])('takes no value from a page that says %i, and asks it once', async (status) => {
    const second = await resumed([{ ...page(...links('wrong')), status }], { policies: [] })

    expect(sentUrls(second)).toEqual(['/'])
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 40 }])
  })

  it('asks five pages at most', async () => {
    const store = emptyStore()
    // A chain of pages without a session, and one below them that has it.
    const chain = Array.from({ length: 9 }, (_, n) => `/c${n}`)
    const first = Object.fromEntries(chain.map((path, n) => [path, page(chain[n + 1] ?? '/last?sid=old')]))
    const spider = pathSpider([], { seeds: [`${SHOP}/c0`], handlers: { start: (visited) => visited.links() } })
    await ran(store, site(first), { maxPages: 9, spider })
    const second = await ran(store, site(Object.fromEntries(chain.map((path) => [path, page()]))), { spider })

    expect(sentUrls(second)).toEqual(['/c8', '/c7', '/c6', '/c5', '/c4'])
    expect(second.report.failures).toEqual([{ reason: 'secret-unknown', count: 1 }])
  })
})

describe('a page that hands out a secret and is visited again before it is requested for it', () => {
  const revisits = { recrawl: [{ everyMs: DAY, match: /test\/$/ }] }
  const etag = { 'content-type': 'text/html', etag: '"1"' }
  const later = async (store: Store): Promise<void> => {
    const { clock } = store
    const at = clock.now() + 2 * DAY
    await clock.run(() => new Promise<void>((resolve) => void clock.at(at, resolve)))
  }
  const listFirst = (handlers: Spider['handlers']): Spider =>
    pathSpider([], { seeds: [{ url: `${SHOP}/`, priority: 10 }], scope: { within: 'any' }, handlers })
  const following: Spider['handlers'] = { start: (visited) => visited.links() }

  it('is asked without conditions where it was as it had been (304)', async () => {
    const config = { ...revisits, spider: listFirst(following) }
    const store = emptyStore()
    await ran(store, site({ '/': { ...page(...links('old')), headers: etag } }), { maxPages: 1, ...config })
    await later(store)
    const list = [
      { status: 304, headers: etag },
      { ...page(...links('new')), headers: etag },
    ]
    const second = await ran(store, site({ '/': list, ...pages('new'), '/?sid=new': {} }), { ...config, maxTimeMs: DAY / 2 })

    expect(second.report.counts.failed).toBe(0)
    expect(second.seen.slice(0, 2).map(({ outbound }) => outbound.headers['if-none-match'])).toEqual(['"1"', undefined])
  })

  it('is asked though its handler has not yielded its links yet', async () => {
    const store = emptyStore()
    const slow: Spider['handlers'] = {
      async *start(visited) {
        for (let turns = 0; turns < 20 && visited.url.pathname === '/'; turns++) await setImmediate()
        yield* visited.links()
      },
    }
    const config = { ...revisits, spider: listFirst(slow) }
    await ran(store, site({ '/': page(...links('old')) }), { maxPages: 1, ...config })
    await later(store)
    const script = site({ '/': page(...links('new')), ...pages('new'), '/?sid=new': {} })
    const second = await ran(store, script, { ...config, maxTimeMs: DAY / 2 })

    expect(second.report.counts).toMatchObject({ failed: 0, waiting: 0 })
    expect(askedHome(second)).toBe(2)
  })
})
