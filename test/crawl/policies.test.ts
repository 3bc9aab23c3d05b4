// Policies and plugins: what is added, what is replaced, and what is kept whatever the plugins say.
import {
  AvocetError,
  crawl,
  definePlugin,
  fixedDelay,
  memoryFrontier,
  unpaced,
  type CrawlConfig,
  type HostOptions,
  type Plugin,
} from 'avocet'
import { activePlugins } from 'avocet'
import { aimd, fixedRate } from '@avocet/plugin-aimd'
import { robots } from '@avocet/plugin-robots'
import { retry } from '@avocet/plugin-retry'
import { polite } from '@avocet/preset-polite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const HOST = 'http://shop.test'
const seeds = Array.from({ length: 6 }, (_, n) => `${HOST}/${n + 1}`)
const spider = pathSpider(seeds)
const pages = Object.fromEntries(seeds.map((url) => [url, { body: 'ok' }]))
const DISALLOWS = { body: 'User-agent: *\nDisallow: /2\n' }

/** Paces nothing, and obeys nothing. */
const reckless = definePlugin({ name: 'reckless', policy: 'rate' })
const startsOf = (asked: readonly string[]): number[] => asked.map((line) => Number(/\d+/.exec(line)?.[0]))

describe('a plugin', () => {
  it('is added to the policies: robots.txt is still obeyed', async () => {
    const mine = definePlugin({ name: 'mine', onResponse: () => {} })
    const { asked, report } = await run(
      { ...pages, [`${HOST}/robots.txt`]: DISALLOWS },
      { spider, policies: polite(), plugins: [mine] },
    )

    expect(asked[0]).toBe('+0 /robots.txt')
    expect(asked.some((line) => line.endsWith(' /2'))).toBe(false)
    expect(report.failures).toEqual([{ reason: 'robots', count: 1 }])
  })

  it('replaces the policy that it implements, and no other', () => {
    const names = (plugins: readonly Plugin[]): string[] =>
      activePlugins({ policies: polite(), plugins })
        .map(({ name }) => name)
        .toSorted()

    expect(names([reckless])).toEqual(['adaptive-timeout', 'breaker', 'reckless', 'retry', 'robots'])
    expect(names([fixedDelay()])).toEqual(['adaptive-timeout', 'breaker', 'fixed-delay', 'retry', 'robots'])
    expect(names([definePlugin({ name: 'own-robots', policy: 'robots' })])).toEqual([
      'adaptive-timeout',
      'aimd',
      'breaker',
      'limits',
      'own-robots',
      'retry',
    ])
  })

  it('with a policy that there is not is refused, with those that there are', async () => {
    const wrong = { name: 'wrong', policy: 'rates' } as unknown as Plugin

    await expect(run(pages, { spider, plugins: [wrong] })).rejects.toMatchObject({
      code: 'AVO_PLUGIN_INVALID',
      message:
        "expected plugin wrong: policy to be 'robots', 'rate', 'breaker', 'timeouts', 'retry' or 'recrawl', got 'rates' (did you mean 'rate'?)",
    })
  })

  it.each([
    [['maxRps'], /expected plugin wrong: options to be named values of plain JSON, which reports show, got /],
    [{ since: new Date(0) }, /expected plugin wrong: options to be named values of plain JSON, .*options\.since/],
  ])('that says %j of its options is refused: reports could not show them', async (options, message) => {
    const wrong = { name: 'wrong', options } as unknown as Plugin

    await expect(run(pages, { spider, plugins: [wrong] })).rejects.toMatchObject({
      code: 'AVO_PLUGIN_INVALID',
      message: expect.stringMatching(message),
    })
  })
})

describe('a crawl in code', () => {
  it('says what it is missing without policies, in place of crawling without robots.txt', () => {
    const config = { spider, frontier: memoryFrontier() }

    // @ts-expect-error: they are required
    expect(() => crawl(config)).toThrow(AvocetError)
    // @ts-expect-error: they are required
    expect(() => crawl(config)).toThrow(
      'expected policies, which decide how each host is treated, got none; use policies: polite()',
    )
  })

  it('takes no list for what is none', async () => {
    await expect(run(pages, { spider, policies: false as unknown as Plugin[] })).rejects.toThrow('policies to be a list')
    await expect(run(pages, { spider, plugins: reckless as unknown as Plugin[] })).rejects.toThrow('plugins to be a list')
  })

  it.each([
    ['a name that no field can carry', 'my-bot – me@example.org'],
    ['a line break', 'my-bot\nx: y'],
    ['nothing', ' '],
  ])('takes no user agent that is %s', async (_what, userAgent) => {
    await expect(run(pages, { spider, userAgent })).rejects.toMatchObject({ code: 'AVO_CONFIG_INVALID' })
    await expect(run(pages, { spider, userAgent })).rejects.toThrow('expected userAgent to be a name')
  })

  it.each([
    [null, 'expected plugins[0] to be a plugin, definePlugin({ name, … }), got null'],
    [undefined, 'expected plugins[0] to be a plugin, definePlugin({ name, … }), got nothing'],
    [{ name: 'core' }, "got 'core', which is the crawl's; choose another"],
    [{ name: 'mine', hostMemory: { a: 1 } }, 'expected plugin mine: hostMemory to be a function, got'],
    [{ name: 'mine', version: '2' }, "expected plugin mine: version to be a whole number, got '2'"],
    [
      { name: 'mine', admit: async () => {} },
      'expected plugin mine: admit to answer at once, got an async function; remove async',
    ],
    [{ name: 'mine', onRespons() {} }, "plugin mine has no option 'onRespons' (did you mean 'onResponse'?)"],
  ])('says what is wrong with a plugin: %j', async (plugin, message) => {
    await expect(run(pages, { spider, plugins: [plugin as unknown as Plugin] })).rejects.toThrow(message)
  })

  it('has every page although a plugin sends its alerts from async hooks, and says that nobody waits for them', async () => {
    const alert = async (): Promise<void> => {}
    const alerts = { name: 'alerts', onSettled: alert, onTrace: alert } as unknown as Plugin

    const { report } = await run(pages, { spider, plugins: [alerts] })

    expect(report.counts.done).toBe(seeds.length)
    expect(report.problems.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('plugin alerts returned a promise from onSettled, which is not waited for'),
    )
  })

  it.each([
    [{ 'bad name': 'x' }, 'expected each name in headers to be the name of a header field'],
    [{ 'x-note': 's3cret\r\nx: y' }, "expected headers['x-note'] to be a text without line breaks"],
  ])('takes no header that no request can carry, and never quotes its value: %j', async (headers, message) => {
    const refused = run(pages, { spider, headers })

    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.not.toThrow('s3cret')
  })

  it('names its user agent once', async () => {
    const config = { spider, headers: { 'User-Agent': 'other' }, userAgent: 'mine' }

    await expect(run(pages, config)).rejects.toThrow('expected the user agent in userAgent (--user-agent), got it among headers')
  })
})

describe('a bound for all hosts', () => {
  it.each([
    ['a plugin that obeys nothing', reckless],
    ['the learned rate', aimd({ startRps: 10, maxRps: 50 })],
    ['a fixed delay', fixedDelay({ delayMs: 10 })],
    ['no pace', unpaced()],
  ])('is kept whatever sets the rate: a delay, by %s', async (_what, rate) => {
    const { asked } = await run(pages, { spider, policies: [rate], delayMs: 3_000 })

    const starts = startsOf(asked)
    expect(starts.slice(1).map((at, n) => at - (starts[n] ?? 0) >= 3_000)).toEqual([true, true, true, true, true])
  })

  it.each([
    ['a plugin that obeys nothing', reckless],
    ['the learned rate', aimd({ startRps: 50, maxRps: 50 })],
    ['no pace', unpaced()],
  ])('is kept whatever sets the rate: two in flight, by %s', async (_what, rate) => {
    const slow = Object.fromEntries(seeds.map((url) => [url, { body: 'ok', afterMs: 4_000 }]))
    const { seen } = await run(slow, { spider, policies: [rate], maxPerHost: 2 })

    const inFlightAt = (at: number): number => seen.filter((other) => other.at <= at && at < other.at + 4_000).length
    expect(Math.max(...seen.map(({ at }) => inFlightAt(at)))).toBe(2)
  })

  it.each([
    ['a plugin that obeys nothing', reckless],
    ['the learned rate', aimd({ startRps: 50, maxRps: 50 })],
    ['a fixed delay', fixedDelay({ delayMs: 10 })],
    ['no pace', unpaced()],
  ])('is kept whatever sets the rate: requests a second, by %s', async (_what, rate) => {
    const { asked } = await run(pages, { spider, policies: [rate], hosts: { '*': { maxRps: 0.5 } } })

    const starts = startsOf(asked)
    expect(starts.slice(1).map((at, n) => at - (starts[n] ?? 0) >= 1_950)).toEqual([true, true, true, true, true])
    expect(starts[5]).toBeGreaterThanOrEqual(9_950)
  })

  it('never makes a policy faster than it was told to be', async () => {
    const gapOf = async (config: Partial<CrawlConfig>): Promise<number> => {
      const [first = 0, second = 0] = startsOf((await run(pages, { spider, ...config })).asked)
      return second - first
    }

    expect(await gapOf({ policies: [aimd({ maxRps: 0.2 })], hosts: { '*': { maxRps: 5 } } })).toBeGreaterThanOrEqual(4_950)
    expect(await gapOf({ policies: [fixedDelay({ delayMs: 2_000 })], delayMs: 100 })).toBe(2_000)
    expect(await gapOf({ policies: [fixedDelay()], delayMs: 100, maxPerHost: 2 })).toBe(100)
  })

  it('lets a fast rate be what it is: four a second are four a second', async () => {
    const many = Array.from({ length: 41 }, (_, n) => `${HOST}/${n}`)
    const script = Object.fromEntries(many.map((url) => [url, { body: 'ok' }]))
    const fixed = { policies: [aimd({ law: fixedRate({ rps: 4 }) })], hosts: { '*': { maxRps: 4 } } }
    const { asked } = await run(script, { spider: pathSpider(many), ...fixed })

    expect(startsOf(asked).at(-1)).toBe(10_000)
  })

  it('leaves the rate to be learned below it', async () => {
    const { asked } = await run(pages, { spider, policies: [aimd()], delayMs: 10, maxPerHost: 8 })

    expect(startsOf(asked)[1]).toBeGreaterThanOrEqual(450)
  })

  it('raises the default of a fixed delay: four at a time, a tenth of a second apart', async () => {
    const slow = Object.fromEntries(seeds.map((url) => [url, { body: 'ok', afterMs: 4_000 }]))
    const { asked } = await run(slow, { spider, policies: [], delayMs: 100, maxPerHost: 4 })

    // The first alone: a host that never answered has one request at a time.
    expect(startsOf(asked).slice(0, 5)).toEqual([0, 4_000, 4_100, 4_200, 4_300])
  })
})

describe('options of a host', () => {
  it('that are undefined are left out: what is said of all hosts holds', async () => {
    const hosts = { 'shop.test': { delayMs: undefined } as unknown as HostOptions }
    const { asked } = await run(pages, { spider, policies: [unpaced()], delayMs: 3_000, hosts })

    expect(startsOf(asked)[1]).toBe(3_000)
  })

  it.each([
    ['a Map', new Map([['*', { delayMs: 5_000 }]])],
    ['inherited', { '*': Object.create({ delayMs: 5_000 }) as object }],
  ])('that nobody would read are refused: %s', async (_what, hosts) => {
    await expect(run(pages, { spider, hosts: hosts as unknown as NonNullable<CrawlConfig['hosts']> })).rejects.toThrow(
      'to be an object',
    )
  })
})

describe('a refusal', () => {
  it.each([
    ['a plugin that obeys nothing', reckless],
    ['the learned rate', aimd({ startRps: 10 })],
    ['a fixed delay', fixedDelay()],
    ['no pace', unpaced()],
  ])('is waited out whatever sets the rate, and whatever set it in the run before: %s', async (_what, rate) => {
    for (const before of [aimd(), fixedDelay(), unpaced(), reckless]) {
      const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
      const refusing = { ...pages, [`${HOST}/1`]: [{ status: 429, headers: { 'retry-after': '20' } }, { body: 'ok' }] }
      const first = await run(refusing, { spider, policies: [before, retry()], frontier, clock }, (made, at) => {
        at.at(at.now() + 5_000, () => made.abort())
      })
      const resumedAt = clock.now()
      const second = await run(pages, { spider, policies: [rate, retry()], frontier, clock })

      expect(first.seen).toHaveLength(1)
      expect((second.seen[0]?.at ?? 0) - resumedAt).toBeGreaterThanOrEqual(14_990)
      expect(second.items).toHaveLength(6)
    }
  })

  it('with a Retry-After that is over pauses the host all the same, under no pace too', async () => {
    const refusing = Object.fromEntries(seeds.map((url) => [url, { status: 429, headers: { 'retry-after': '0' } }]))
    const { asked } = await run(refusing, { spider, policies: polite({ robots: false, rate: 'none' }), maxTimeMs: 10_000 })

    expect(asked.length).toBeLessThan(4)
  })
})

describe('no pace', () => {
  it('still waits out a Retry-After', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '60' } }
    const script = { ...pages, [`${HOST}/1`]: [refusal, { body: 'ok' }] }
    const { asked, items } = await run(script, { spider, policies: polite({ robots: false, rate: 'none' }) })

    expect(startsOf(asked)[1]).toBeGreaterThanOrEqual(60_000)
    expect(items).toHaveLength(6)
  })

  it('asks at once for all that there is', async () => {
    const { asked } = await run(pages, { spider, policies: polite({ robots: false, rate: 'none' }) })

    expect(startsOf(asked).at(-1)).toBeLessThan(100)
  })
})

describe('the user agent', () => {
  const FOR_MINE = { body: 'User-agent: *\nDisallow: /\n\nUser-agent: mine\nDisallow: /2\n\nUser-agent: yours\nDisallow: /3\n' }
  const script = { ...pages, [`${HOST}/robots.txt`]: FOR_MINE }

  it('is the name by which robots.txt is read, without being named twice', async () => {
    const { report, asked } = await run(script, { spider, policies: polite(), userAgent: 'Mine/2.0 (+https://example.org/bot)' })

    expect(report.run).toMatchObject({ pages: 5, failed: 1 })
    expect(asked.some((line) => line.endsWith(' /2'))).toBe(false)
  })

  it('is that of the crawl, also where one polite() serves two', async () => {
    const shared = polite()
    await run(script, { spider, policies: shared, userAgent: 'mine/1' })
    const { asked } = await run(script, { spider, policies: shared, userAgent: 'yours/1' })

    const paths = asked.map((line) => line.split(' ')[1])
    expect(paths).toContain('/2')
    expect(paths).not.toContain('/3')
  })

  it('may be mistaken for one run without losing the copy of robots.txt that was read for the right one', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const config = { spider, policies: [robots()], frontier, clock, patienceMs: 60_000 }
    await run(script, { ...config, userAgent: 'mine', maxPages: 1 })
    const down = { ...pages, [`${HOST}/robots.txt`]: { status: 503 } }

    const mistaken = await run(down, { ...config, userAgent: 'typo' })
    const right = await run(down, { ...config, userAgent: 'mine', patienceMs: 86_400_000 })

    expect(mistaken.items).toHaveLength(1)
    expect(right.report.run).toMatchObject({ pages: 4, failed: 1 })
  })

  it('has robots.txt read again when it changed since the last run', async () => {
    const [frontier, clock] = [memoryFrontier(), new VirtualClock()]
    const config = { spider, policies: [robots()], frontier, clock }
    await run(script, { ...config, userAgent: 'mine', maxPages: 1 })

    const second = await run(script, { ...config, policies: [robots()], userAgent: 'yours' })

    const paths = second.asked.map((line) => line.split(' ')[1])
    expect(paths[0]).toBe('/robots.txt')
    expect(paths).toContain('/2')
    expect(paths).not.toContain('/3')
  })
})
