// What a seed's redirect opens: its own site's other host, or one URL of another site.
import { memoryFrontier } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from '../harness.ts'
import type { Answer } from '../scripted-web.ts'

const SHOP = 'http://shop.com'
const to = (location: string): Answer => ({ status: 301, headers: { location } })
const page = (...hrefs: readonly string[]): Answer => ({
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: hrefs.map((href) => `<a href="${href}">x</a>`).join(''),
})

/** Yields the URL of each page and follows all its links. */
const following = (seeds: readonly string[], rest: Parameters<typeof pathSpider>[1] = {}): ReturnType<typeof pathSpider> =>
  pathSpider(seeds, {
    handlers: {
      *start(visited) {
        yield { url: visited.url.href }
        yield* visited.links()
      },
    },
    ...rest,
  })

describe('a redirect of a seed', () => {
  it('opens the host that it leads to when that is of the same registrable domain', async () => {
    const { items, report } = await run(
      {
        [`${SHOP}/`]: to('https://www.shop.com/home'),
        'https://www.shop.com/home': page('/in', 'http://cdn.shop.com/'),
        'https://www.shop.com/in': page(),
      },
      { spider: following([`${SHOP}/`]) },
    )

    expect(items).toEqual([{ url: 'https://www.shop.com/home' }, { url: 'https://www.shop.com/in' }])
    expect(report.run.refusedLinks).toBe(1)
    expect(report.problems).toEqual([])
  })

  it('leaves a link to that host refused that was met before, and follows it from a page that has it later', async () => {
    const { items, report } = await run(
      {
        [`${SHOP}/`]: { ...to('https://www.shop.com/home'), afterMs: 5_000 },
        'https://www.shop.com/home': page(),
        'http://guide.test/': page('https://www.shop.com/early', 'https://www.shop.com/both', 'http://guide.test/later'),
        'http://guide.test/later': { ...page('https://www.shop.com/both'), afterMs: 10_000 },
        'https://www.shop.com/both': page(),
      },
      { spider: following([`${SHOP}/`, 'http://guide.test/']) },
    )

    expect(items).toEqual([
      { url: 'http://guide.test/' },
      { url: 'https://www.shop.com/home' },
      { url: 'http://guide.test/later' },
      { url: 'https://www.shop.com/both' },
    ])
    expect(report).toMatchObject({ ended: 'done', run: { refusedLinks: 2 } })
  })

  it('to another site admits that one URL, not the site', async () => {
    const { items, report } = await run(
      {
        [`${SHOP}/`]: to('https://www.shop.co.uk/'),
        'https://www.shop.co.uk/': page('/in', `${SHOP}/kept`),
        'https://www.shop.co.uk/in': page(),
        [`${SHOP}/kept`]: page('https://www.shop.co.uk/too'),
        'https://www.shop.co.uk/too': page(),
      },
      { spider: following([`${SHOP}/`]) },
    )

    expect(items).toEqual([{ url: 'https://www.shop.co.uk/' }, { url: `${SHOP}/kept` }])
    expect(report.run.refusedLinks).toBe(2)
  })

  it('to another site says so, and how to crawl that site', async () => {
    const { report } = await run(
      { [`${SHOP}/`]: to('https://www.shop.co.uk/'), 'https://www.shop.co.uk/': page('/in') },
      { spider: following([`${SHOP}/`]) },
    )

    expect(report.problems).toEqual([
      {
        message:
          "seed http://shop.com/ redirects to another site, https://www.shop.co.uk/: that page is crawled, the site is not; to crawl it, add 'www.shop.co.uk' to scope.hosts, or make it the seed",
        count: 1,
      },
    ])
  })

  it('to other sites says so of twenty seeds, and counts the others', async () => {
    const seeds = Array.from({ length: 30 }, (_, n) => `http://shop${n}.com/`)
    const script = Object.fromEntries(
      seeds.flatMap((seed, n) => [
        [seed, to(`http://new${n}.com/`)],
        [`http://new${n}.com/`, page()],
      ]),
    )
    const { report } = await run(script, { spider: following(seeds) })

    expect(report.problems).toHaveLength(21)
    expect(report.problems.at(-1)).toEqual({
      message: 'further seeds redirect to other sites: their targets are in the history of each seed',
      count: 10,
    })
  })

  it('through several other sites admits each URL on the way, and none of the sites', async () => {
    const { items, report } = await run(
      {
        [`${SHOP}/`]: to('http://other.com/a'),
        'http://other.com/a': to('http://www.other.com/b'),
        'http://www.other.com/b': page('/c', 'http://other.com/d'),
        'http://www.other.com/c': page(),
        'http://other.com/d': page(),
      },
      { spider: following([`${SHOP}/`]) },
    )

    expect(items).toEqual([{ url: 'http://www.other.com/b' }])
    expect(report.run.refusedLinks).toBe(2)
  })

  it('to another site and back opens the host of its own site', async () => {
    const { items } = await run(
      {
        [`${SHOP}/`]: to('http://login.test/'),
        'http://login.test/': to('http://www.shop.com/'),
        'http://www.shop.com/': page('/in'),
        'http://www.shop.com/in': page(),
      },
      { spider: following([`${SHOP}/`]) },
    )

    expect(items).toEqual([{ url: 'http://www.shop.com/' }, { url: 'http://www.shop.com/in' }])
  })

  it('to a host that the scope names, or in a crawl of the whole web, is no news', async () => {
    const script = { [`${SHOP}/`]: to('http://b.test/'), 'http://b.test/': page('/in'), 'http://b.test/in': page() }
    const named = await run(script, { spider: following([`${SHOP}/`], { scope: { hosts: ['b.test'] } }) })
    const any = await run(script, { spider: following([`${SHOP}/`], { scope: { within: 'any' } }) })

    for (const { items, report } of [named, any]) {
      expect(items).toHaveLength(2)
      expect(report.problems).toEqual([])
    }
  })

  it.each([
    { scope: { blockedHosts: ['b.test'] }, reason: 'blocked-host' },
    { scope: { deny: [/b\.test/] }, reason: 'denied' },
    { scope: { allow: [/shop\.com/] }, reason: 'not-allowed' },
  ])('that the scope refuses ($reason) is counted and said', async ({ scope, reason }) => {
    const { items, report } = await run(
      { [`${SHOP}/`]: to('http://b.test/'), 'http://b.test/': page() },
      { spider: following([`${SHOP}/`], { scope }) },
    )

    expect(items).toEqual([])
    expect(report.run.refusedLinks).toBe(1)
    expect(report.problems).toEqual([
      {
        message: `seed http://shop.com/ redirects to http://b.test/, which is refused (${reason}): nothing of that seed is crawled; allow the target in the scope, or make it the seed`,
        count: 1,
      },
    ])
  })

  it('to a port of another protocol says that it is never requested, for no scope allows it', async () => {
    const { report } = await run({ [`${SHOP}/`]: to('http://shop.com:22/') }, { spider: following([`${SHOP}/`]) })

    expect(report.problems).toEqual([
      {
        message:
          'seed http://shop.com/ redirects to http://shop.com:22/, which is refused (bad-port): nothing of that seed is crawled; ports of protocols other than HTTP are never requested',
        count: 1,
      },
    ])
  })

  it('of a link still admits nothing', async () => {
    const { items, report } = await run(
      { [`${SHOP}/`]: page('/out'), [`${SHOP}/out`]: to('http://www.shop.com/'), 'http://www.shop.com/': page() },
      { spider: following([`${SHOP}/`]) },
    )

    expect(items).toEqual([{ url: `${SHOP}/` }])
    expect(report.run.refusedLinks).toBe(1)
  })
})

describe('hosts that joined the scope in an earlier run', () => {
  const script = {
    [`${SHOP}/`]: to('http://www.shop.com/'),
    'http://www.shop.com/': page('/in'),
    'http://www.shop.com/in': page(),
  }

  it('stay in it when they are of the site of a seed', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    await run(script, { spider: following([`${SHOP}/`]), frontier, clock, maxPages: 1 })
    const { items } = await run(script, { spider: following([`${SHOP}/`, `${SHOP}/2`]), frontier, clock })

    expect(items).toContainEqual({ url: 'http://www.shop.com/in' })
  })

  it('are kept for the runs after', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const more = { ...script, 'http://www.shop.com/in': page('/deeper'), 'http://www.shop.com/deeper': page() }
    await run(more, { spider: following([`${SHOP}/`]), frontier, clock, maxPages: 1 })
    const { items } = await run(more, { spider: following([`${SHOP}/`]), frontier, clock })

    expect(items).toContainEqual({ url: 'http://www.shop.com/deeper' })
  })

  it('leave it when no seed is of their site any more', async () => {
    const { items } = await run(
      { ...script, [`${SHOP}/`]: page('http://b.test/', 'http://www.shop.com/in'), 'http://b.test/': page() },
      { spider: following([`${SHOP}/`]), frontier: withScopeHosts(['www.shop.com', 'b.test']) },
    )

    expect(items).toEqual([{ url: `${SHOP}/` }, { url: 'http://www.shop.com/in' }])
  })
})

/** A store in which these hosts joined the scope. */
function withScopeHosts(scopeHosts: readonly string[]): Frontier {
  const frontier = memoryFrontier()
  const open: Frontier['open'] = async (spec, now) => ({
    ...(await frontier.open(spec, now)),
    crawlMemories: [{ core: JSON.stringify([1, { scopeHosts }]) }],
  })
  return { ...frontier, open }
}
