// Whole crawls on virtual time: each way in which a robots.txt can be answered, and what the site felt of it.
import { definePlugin, memoryFrontier, type CrawlConfig, type Plugin } from 'avocet'
import { reasonOf } from '@avocet/core/plugin'
import { atRest } from '@avocet/at-rest'
import { robots } from '@avocet/plugin-robots'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'

const SHOP = 'http://shop.test'
const HOUR = 3_600_000
const PAGES = ['/a', '/private/b', '/c']
const pages = Object.fromEntries(PAGES.map((path) => [SHOP + path, { body: 'ok' }]))
const seeds = PAGES.map((path) => SHOP + path)
const DISALLOWS = 'User-agent: *\nDisallow: /private/\n'

type Script = Readonly<Record<string, Answer | readonly Answer[]>>

/** Crawls the three pages of a shop that answers for its robots.txt as `answer` says. */
function shop(
  answer: Answer | readonly Answer[],
  config: Partial<CrawlConfig> & { readonly script?: Script } = {},
): Promise<Ran> {
  const { script = {}, ...rest } = config
  return run({ ...pages, [`${SHOP}/robots.txt`]: answer, ...script }, { spider: pathSpider(seeds), plugins: [robots()], ...rest })
}

/** In place of core's politeness, which has pauses of its own. */
const unpaced: Plugin = { name: 'unpaced', policy: 'rate' }

const paths = ({ asked }: Ran): string[] => asked.map((line) => line.split(' ')[1] ?? '')

/** The first waits between two requests, each as a share of so many seconds. */
const shares = ({ seen }: Ran, seconds: readonly number[]): number[] =>
  seconds.map((second, n) => ((seen[n + 1]?.at ?? Infinity) - (seen[n]?.at ?? 0)) / second / 1_000)

describe('a robots.txt', () => {
  it('is requested first; what it disallows is not requested, and is settled as failed', async () => {
    const ran = await shop({ body: DISALLOWS })

    expect(paths(ran)).toEqual(['/robots.txt', '/a', '/c'])
    expect(ran.report).toMatchObject({
      ended: 'done',
      counts: { done: 2, failed: 1 },
      failures: [{ reason: 'robots', count: 1 }],
    })
  })

  it('is read by our name', async () => {
    const body = 'User-agent: *\nDisallow: /\n\nUser-agent: price-watch\nDisallow: /c\n'
    const ran = await shop({ body }, { plugins: [robots({ agent: 'Price-Watch/1.0 (+https://example.org/bot)' })] })

    expect(paths(ran)).toEqual(['/robots.txt', '/a', '/private/b'])
  })

  it.each<readonly [string, Answer]>([
    ['404', { status: 404 }],
    ['401', { status: 401 }],
    ['403', { status: 403 }],
    ['410', { status: 410 }],
    ['a page of HTML', { body: '<!doctype html><title>Shop</title><p>Disallow: /private/' }],
    ['nothing', { body: '' }],
    ['a redirect to nowhere', { status: 301, headers: { location: 'gopher://x' } }],
    ['a redirect to itself', { status: 301, headers: { location: '/robots.txt' } }],
    ['an address that may not be connected to', { fails: 'AVO_ADDRESS_REFUSED' }],
    ['a port that is not for HTTP', { fails: 'AVO_PORT_REFUSED' }],
  ])('that is %s allows everything', async (_what, answer) => {
    expect(paths(await shop(answer)).filter((path) => path !== '/robots.txt')).toEqual(PAGES)
  })

  it('is followed through five redirects, also to another host', async () => {
    const to = (location: string): Answer => ({ status: 302, headers: { location } })
    const script = {
      [`${SHOP}/1`]: to('/2'),
      [`${SHOP}/2`]: to('/3'),
      [`${SHOP}/3`]: to('/4'),
      [`${SHOP}/4`]: to('http://cdn.test/robots.txt'),
      'http://cdn.test/robots.txt': { body: DISALLOWS },
    }

    expect(paths(await shop(to('/1'), { script }))).toEqual(['/robots.txt', '/1', '/2', '/3', '/4', '/robots.txt', '/a', '/c'])
  })

  it.each([
    [500, [5, 30, 300, 600, 1_200]],
    [502, [5, 30, 300, 600, 1_200]],
    [503, [5, 30, 300, 600, 1_200]],
    [429, [5, 30, 300, 300, 300]],
  ])('that is %i parks the URLs, and is requested again after about %j s', async (status, seconds) => {
    const ran = await shop({ status }, { plugins: [robots(), unpaced], patienceMs: HOUR })

    expect(shares(ran, seconds)).toEqual(seconds.map(() => expect.closeTo(1, 0.29)))
    expect(new Set(paths(ran))).toEqual(new Set(['/robots.txt']))
    expect(ran.report.counts).toMatchObject({ waiting: 3, failed: 0, done: 0 })
  })

  it('that comes back lets the URLs go', async () => {
    const ran = await shop([{ status: 500 }, { fails: 'AVO_RESET' }, { body: DISALLOWS }])

    expect(paths(ran)).toEqual(['/robots.txt', '/robots.txt', '/robots.txt', '/a', '/c'])
  })

  it('is not requested again before its Retry-After', async () => {
    const ran = await shop([{ status: 503, headers: { 'retry-after': '120' } }, { body: '' }])

    expect(ran.asked[0]).toBe('+0 /robots.txt')
    expect(shares(ran, [120])).toEqual([expect.closeTo(1.05, 1.01)])
  })

  it('that never comes has its host given up after a day, with that reason, its URLs kept', async () => {
    const ran = await shop({ status: 500 }, { patienceMs: 7 * 24 * HOUR })

    expect(paths(ran).length).toBe(12)
    expect(ran.report.ended).toBe('given-up')
    expect(ran.report.retiredHosts[0]?.reason).toBe('held for ever with nothing in flight (robots: robots.txt unreachable (500))')
    expect(ran.report.counts).toMatchObject({ waiting: 3, failed: 0 })
  })

  it('that never came is requested once a day while the crawl watches, and its URLs go once it is there', async () => {
    const answers = [...Array.from({ length: 15 }, () => ({ status: 500 })), { body: DISALLOWS }]
    const ran = await shop(answers, { recrawl: [{ everyMs: 365 * 24 * HOUR }], maxTimeMs: 10 * 24 * HOUR })

    const askedAt = ran.seen.map(({ at }) => (at - ran.report.startedAt) / HOUR)
    expect(askedAt.slice(12, 16).map((hours, n) => Math.round(hours - (askedAt[11 + n] ?? 0)))).toEqual([24, 24, 24, 24])
    expect(paths(ran).slice(16)).toEqual(['/a', '/c'])
  })

  it.each(['AVO_CONNECT_REFUSED', 'AVO_DNS_NOT_FOUND', 'AVO_FIRST_BYTE_TIMEOUT', 'AVO_TOO_SLOW', 'AVO_TLS_CERTIFICATE'] as const)(
    'of a dead host (%s) is asked for three times within a minute, and then the host is given up',
    async (fails) => {
      const ran = await shop({ fails })

      expect(paths(ran)).toEqual(['/robots.txt', '/robots.txt', '/robots.txt'])
      expect(shares(ran, [5, 30])).toEqual([expect.closeTo(1, 0.29), expect.closeTo(1, 0.29)])
      expect(ran.report.retiredHosts).toEqual([
        expect.objectContaining({ reason: `never answered, 3 times in a row (last: ${reasonOf(fails)})` }),
      ])
    },
  )

  it.each(['AVO_DECODE_RATIO', 'AVO_TRUNCATED', 'AVO_DECODE_FAILED'] as const)(
    'that cannot be read (%s) parks the URLs',
    async (fails) => {
      expect(new Set(paths(await shop({ fails })))).toEqual(new Set(['/robots.txt']))
    },
  )

  it("of one's own is not requested: by the option of the plugin, or of the host", async () => {
    const all = await shop({ body: DISALLOWS }, { plugins: [robots({ ignore: true })] })
    const one = await shop({ body: DISALLOWS }, { hosts: { 'shop.test': { ignoreRobots: true } } })

    expect([paths(all), paths(one)]).toEqual([PAGES, PAGES])
  })
})

describe('a copy of a robots.txt', () => {
  const later = (ms: number): VirtualClock => new VirtualClock({ startAt: new VirtualClock().now() + ms })

  it('outlives the run, and is good for a day', async () => {
    const frontier = memoryFrontier()
    await shop({ body: DISALLOWS }, { frontier, maxPages: 1 })
    const ran = await shop({ status: 500 }, { frontier, clock: later(HOUR) })

    expect(paths(ran)).toEqual(['/c'])
    expect(ran.report.counts).toMatchObject({ done: 2, failed: 1 })
  })

  it('that an earlier version of the plugin kept, in another order of rules, is requested anew', async () => {
    const frontier = memoryFrontier()
    const copy = {
      kind: 'rules',
      fetchedAt: new VirtualClock().now(),
      refreshAt: new VirtualClock().now() + 24 * HOUR,
      failures: 0,
      last: 200,
    }
    const earlier = definePlugin({
      name: 'robots',
      policy: 'robots',
      hostMemory: () => ({ copies: [{ origin: SHOP, copy }], lastStartAt: 0, beforeAt: 0, bookedAt: 0, agent: 'avocet' }),
      onAdmit: ({ host }) => host.keepBlob(`robots ${SHOP}`, 'User-agent: *\nDisallow: /c\nDisallow: /a/b'),
    })
    await shop({ status: 500 }, { frontier, plugins: [earlier], maxPages: 1 })
    const ran = await shop({ body: 'User-agent: *\nDisallow: /a/b\nDisallow: /c' }, { frontier })

    expect(paths(ran)).toEqual(['/robots.txt', '/private/b'])
  })

  it('is renewed after a day', async () => {
    const frontier = memoryFrontier()
    await shop({ body: DISALLOWS }, { frontier, maxPages: 1 })
    const ran = await shop({ body: 'User-agent: *\nDisallow: /c' }, { frontier, clock: later(25 * HOUR) })

    expect(paths(ran)).toEqual(['/robots.txt', '/private/b'])
  })

  it('is used on while it cannot be renewed', async () => {
    const frontier = memoryFrontier()
    await shop({ body: DISALLOWS }, { frontier, maxPages: 1 })
    const ran = await shop({ fails: 'AVO_RESET' }, { frontier, clock: later(25 * HOUR) })

    expect(paths(ran)).toEqual(['/robots.txt', '/c'])
    expect(ran.report.failures).toEqual([{ reason: 'robots', count: 1 }])
  })

  it('belongs to an origin: http and https of one host have one each', async () => {
    const script = {
      'https://shop.test/robots.txt': { body: 'User-agent: *\nDisallow: /a' },
      'https://shop.test/a': { body: 'ok' },
    }
    const ran = await shop({ body: DISALLOWS }, { script, spider: pathSpider([...seeds, 'https://shop.test/a']) })

    expect(ran.seen.map(({ outbound }) => outbound.url)).toEqual([
      `${SHOP}/robots.txt`,
      `${SHOP}/a`,
      `${SHOP}/c`,
      'https://shop.test/robots.txt',
    ])
  })

  it('that is missing of one origin does not hold up another', async () => {
    const script = { 'https://shop.test/robots.txt': { fails: 'AVO_CONNECT_REFUSED' } as const }
    const mixed = [`${SHOP}/a`, 'https://shop.test/1', 'https://shop.test/2', `${SHOP}/c`]
    const ran = await shop({ body: DISALLOWS }, { script, spider: pathSpider(mixed), patienceMs: 3_000 })

    expect(ran.report.counts).toMatchObject({ done: 2, waiting: 2, failed: 0 })
  })
})

describe('a Crawl-delay', () => {
  const many = Array.from({ length: 6 }, (_, n) => `${SHOP}/${n}`)
  const script = Object.fromEntries(many.map((url, n) => [url, { body: 'ok', afterMs: 10, sentAfterMs: n % 2 === 0 ? 900 : 0 }]))
  const config = { script, spider: pathSpider(many), delayMs: 0, maxPerHost: 5 }
  const delayed = (delay: string): Answer => ({ body: `User-agent: *\nCrawl-delay: ${delay}\nDisallow: /private/` })
  const gapsOf = ({ seen }: Ran): number[] => seen.slice(1).map(({ at }, n) => at - (seen[n]?.at ?? 0))

  it('keeps starts as far apart as the host sees them, robots.txt included', async () => {
    const ran = await shop(delayed('3'), config)

    expect(ran.seen.length).toBe(7)
    expect(Math.min(...gapsOf(ran))).toBeGreaterThanOrEqual(3_000)
    expect(ran.report.ended).toBe('done')
  })

  it('has one exchange at a time, however long the answers take', async () => {
    const slow = Object.fromEntries(many.map((url) => [url, { body: 'ok', afterMs: 10_000 }]))
    const ran = await shop(delayed('3'), { ...config, script: slow, plugins: [robots(), unpaced] })

    expect(gapsOf(ran)).toEqual([3_000, 10_000, 10_000, 10_000, 10_000, 10_000])
  })

  it.each(['AVO_BROWSER_GONE', 'AVO_NETWORK_DOWN'] as const)(
    'is kept after %s, which is ours: the host was asked',
    async (fails) => {
      const again = Object.fromEntries(many.map((url) => [url, [{ fails }, { body: 'ok', afterMs: 10 }]]))
      const ran = await shop(delayed('30'), { ...config, script: again, plugins: [robots(), unpaced] })

      expect(ran.report.counts).toMatchObject({ done: 6, failed: 0 })
      expect(Math.min(...gapsOf(ran))).toBeGreaterThanOrEqual(30_000)
    },
  )

  it('is kept across a restart', async () => {
    const frontier = memoryFrontier()
    const clock = new VirtualClock()
    const first = await shop(delayed('30'), { ...config, frontier, clock, maxPages: 2 })
    const second = await shop(delayed('30'), { ...config, frontier, clock })

    expect(first.seen.length + second.seen.length).toBe(7)
    expect((second.seen[0]?.at ?? 0) - (first.seen.at(-1)?.at ?? 0)).toBeGreaterThanOrEqual(30_000)
  })

  it('is not spent on what is disallowed', async () => {
    const secret = Array.from({ length: 50 }, (_, n) => `${SHOP}/private/${n}`)
    const ran = await shop(delayed('20'), { ...config, spider: pathSpider([...secret, `${SHOP}/1`]) })

    expect(ran.asked).toEqual(['+0 /robots.txt', '+20000 /1'])
    expect(ran.report.failures).toEqual([{ reason: 'robots', count: 50 }])
  })

  it.each([
    ['0.0001', 100],
    ['-1', 100],
    ['NaN', 100],
    ['1e9', 100],
  ])('of %s slows nobody down', async (delay, withinMs) => {
    const quick = Object.fromEntries(many.map((url) => [url, { body: 'ok' }]))
    const ran = await shop(delayed(delay), { ...config, script: quick })

    expect((ran.seen.at(-1)?.at ?? 0) - (ran.seen[0]?.at ?? 0)).toBeLessThan(withinMs)
    expect(ran.report.ended).toBe('done')
  })

  it('of five minutes is kept, of more the host is given up with that reason', async () => {
    const kept = await shop(delayed('300'), { ...config, spider: pathSpider(many.slice(0, 2)) })
    const given = await shop(delayed('900'), config)
    const told = await shop(delayed('10'), { ...config, plugins: [robots({ maxCrawlDelayMs: 5_000 })] })

    expect(kept.asked.map((line) => line.split(' ')[0])).toEqual(['+0', '+300900', '+600900'])
    expect(given.report.retiredHosts[0]?.reason).toBe(
      'held for ever with nothing in flight (robots: asks for 15 min between requests)',
    )
    expect(told.report.retiredHosts[0]?.reason).toBe(
      'held for ever with nothing in flight (robots: asks for 10 s between requests)',
    )
    expect([paths(given), paths(told)]).toEqual([['/robots.txt'], ['/robots.txt']])
  })
})

describe('what is known of a host', () => {
  it('is explained origin by origin', async () => {
    const body = 'Sitemap: /map.xml\nUser-agent: *\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 2\nNonsense\n'
    const { frontier } = await shop({ body })
    const [record] = await frontier.reader.hosts({ hostKey: 'shop.test' })
    const now = new VirtualClock().now()
    const crawl = await atRest(frontier.reader)
    const known = record && crawl.explain(record, { plugins: [robots()], now }).values

    expect(known?.['robots']).toEqual({
      [SHOP]: {
        state: 'rules',
        last: 200,
        fetchedAt: now + 10,
        refreshAt: now + 10 + 24 * HOUR,
        rules: 2,
        crawlDelayMs: 2_000,
        ignoredLines: 1,
        sitemaps: [`${SHOP}/map.xml`],
      },
    })
  })

  it.each([
    ['/private/a', { disallowsUrlBy: '/private/' }],
    ['/private/open/a', { allowsUrlBy: '/private/open' }],
    ['/a', {}],
  ])('says which rule decides about %s', async (path, expected) => {
    const { frontier } = await shop({ body: 'User-agent: *\nDisallow: /private/\nAllow: /private/open\n' })
    const record = (await frontier.reader.hosts({ hostKey: 'shop.test' }))[0] ?? expect.fail('expected a host')
    const crawl = await atRest(frontier.reader)
    const ofUrl = crawl.explain(record, { plugins: [robots()], now: 0, url: SHOP + path }).values['robots']?.[SHOP]
    const ofHost = crawl.explain(record, { plugins: [robots()], now: 0 }).values['robots']?.[SHOP]

    expect(ofUrl).toEqual({ ...(ofHost as object), ...expected })
  })

  it('is of a few hundred characters', async () => {
    const { frontier } = await shop({ body: DISALLOWS })
    const memory = (await frontier.reader.hosts({ hostKey: 'shop.test' }))[0]?.memory ?? {}

    expect(memory['robots']?.length).toBeLessThan(250)
    expect(memory[`#robots ${SHOP}`]).toBe('User-agent: *\nDisallow: /private/')
  })
})
