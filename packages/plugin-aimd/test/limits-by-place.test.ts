// Limits by where hosts answer from, configured and learned: whole crawls on virtual time.
import { activePlugins, crawl, definePlugin, memoryFrontier, type CrawlConfig, type Plugin } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { atRest } from '@avocet/at-rest'
import { aimd } from '@avocet/plugin-aimd'
import { proxies } from '@avocet/plugin-proxies'
import { retry } from '@avocet/plugin-retry'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { blockOf } from '../src/limits-of-hosts.ts'
import { Neighbours } from '../src/neighbours.ts'
import { pathSpider, run } from '../../../test/crawl/harness.ts'
import type { Answer } from '../../../test/crawl/scripted-web.ts'
import { proxiedWeb, type Weather } from '../../../test/proxies/proxied-web.ts'

const START = Date.UTC(2026, 0, 1)

function hosts(count: number, spec: Partial<HostSpec>, { named = 'shop', pages = 200 } = {}): readonly HostSpec[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `${named}-${n}.test`,
    pages: { kind: 'plain', pages, branching: 8 },
    latency: { law: 'lognormal', medianMs: 200, spread: 0.2 },
    ...spec,
  }))
}

interface Crawled {
  readonly web: SimulatedWeb
  readonly frontier: Frontier
}

/** `minutes` of a crawl of the hosts; those with `sharedCapacity` are behind one limiter of so many a second. */
async function crawled(
  specs: readonly HostSpec[],
  {
    minutes = 2,
    perSecond = 6,
    processes = 1,
    config = {},
  }: { minutes?: number; perSecond?: number; processes?: number; config?: Partial<CrawlConfig> } = {},
): Promise<Crawled> {
  const clock = new VirtualClock({ startAt: START })
  const model = siteModel({
    seed: 'place',
    hosts: specs,
    sharedCapacities: { platform: { law: 'bucket', perSecond, burst: perSecond } },
  })
  const web = simulatedWeb(model, { clock })
  const spider = pathSpider(model.seeds(), {
    handlers: {
      *start(page) {
        yield* page.links()
      },
    },
  })
  using folder = mkdtempDisposableSync(join(tmpdir(), 'avocet-limits-'))
  // Several processes share one in a file.
  const store = (): Frontier => sqlite(join(folder.path, 'store.db'), { clock, synchronous: 'normal' })
  const memory = memoryFrontier()
  const frontiers = Array.from({ length: processes }, () => (processes > 1 ? store() : memory))
  const subjects = frontiers.map((frontier) =>
    crawl({ policies: [], plugins: [aimd(), retry()], spider, frontier, clock, fetcher: web, randomSeed: 'place', ...config }),
  )
  using _end = clock.at(START + minutes * 60_000, () => subjects.forEach((subject) => subject.abort()))
  await clock.run(() => Promise.all(subjects.map((subject) => subject.run())))
  return { web, frontier: memory }
}

function sum(web: SimulatedWeb, specs: readonly HostSpec[], what: 'served' | 'refused' | 'requests'): number {
  return specs.reduce((total, { name }) => total + web.felt(name)[what], 0)
}

async function explained(frontier: Frontier, hostKey: string, limits: CrawlConfig['limits'] & {} = []): Promise<unknown> {
  const [record] = await frontier.reader.hosts({ hostKey })
  if (record === undefined) throw new Error('the host is not known')
  const plugins = activePlugins({ policies: [aimd()], limits })
  return (await atRest(frontier.reader)).explain(record, { plugins, now: START }).values['limits']
}

describe('a limit by address', () => {
  const limits = [{ match: '*', by: 'address', maxRps: 2 }] as const
  const [here, there] = [hosts(8, { address: '192.0.2.7' }), hosts(8, { address: '2001:db8:1::7' }, { named: 'there' })]

  it('is one for each block of addresses, and holds from the first request on', async () => {
    const { web, frontier } = await crawled([...here, ...there], { config: { limits } })

    for (const specs of [here, there]) {
      expect(sum(web, specs, 'requests')).toBeGreaterThan(225)
      expect(sum(web, specs, 'requests')).toBeLessThanOrEqual(241)
    }
    expect(await explained(frontier, 'shop-3.test', limits)).toMatchObject({ limit: '* by address 192.0.2.0/24', limitRps: 2 })
    expect(await explained(frontier, 'there-3.test', limits)).toMatchObject({ limit: '* by address 2001:db8:1::/48' })
  })

  it('holds no host without an address, such as behind a proxy', async () => {
    const proxies = definePlugin({ name: 'own-proxies', exitOf: () => 'a' })
    const direct = hosts(4, {})
    const { web } = await crawled(direct, { config: { limits } })
    const { web: asked } = await crawled(here, { config: { limits, plugins: [aimd(), retry(), proxies] }, minutes: 0.01 })

    expect(sum(web, direct, 'requests')).toBeGreaterThan(600)
    // Its name was not looked up: all of them began at once.
    expect(sum(asked, here, 'requests')).toBe(8)
  })

  it('is shared by those that are refused together, and spares their own rates', async () => {
    const specs = hosts(20, { address: '192.0.2.7', sharedCapacity: 'platform' })
    const shared = [{ match: '*', by: 'address', share: true, maxRps: 6 }] as const
    const { web } = await crawled(specs, { config: { limits: shared }, minutes: 5 })

    expect(sum(web, specs, 'refused')).toBeLessThanOrEqual(2)
    expect(sum(web, specs, 'served')).toBeGreaterThan(0.9 * 6 * 300)
  })
})

it('a limit by header field is one for each value of it', async () => {
  const answer = (shard: string): Answer => ({ body: 'ok', headers: { 'x-shard': shard } })
  const pages = ['a', 'b', 'c', 'd'].flatMap((name) => Array.from({ length: 20 }, (_, n) => `http://${name}.test/${n}`))
  const script = Object.fromEntries(pages.map((url) => [url, answer(url < 'http://c' ? 'one' : 'two')]))
  const limits = [{ match: '*', by: { header: 'X-Shard' }, maxRps: 1 }] as const
  const { seen, frontier } = await run(script, { spider: pathSpider(pages), plugins: [aimd()], limits, patienceMs: 86_400_000 })

  const at = (shard: RegExp): readonly number[] => seen.filter(({ outbound }) => shard.test(outbound.url)).map((each) => each.at)
  for (const times of [at(/[ab]\.test/), at(/[cd]\.test/)]) {
    expect(times).toHaveLength(40)
    expect((times.at(-1) ?? 0) - (times[2] ?? 0)).toBeGreaterThanOrEqual(36_000)
    expect((times.at(-1) ?? 0) - (times[2] ?? 0)).toBeLessThan(45_000)
  }
  expect(await explained(frontier, 'd.test', limits)).toMatchObject({ limit: '* by x-shard two' })
})

describe('a limit by session or exit', () => {
  const PROXIES = ['http://a.proxy.test:80', 'http://b.proxy.test:80', 'http://c.proxy.test:80']
  const NAMES = Array.from({ length: 6 }, (_, n) => `account-${n}`)

  /** Starts of each session and of each exit, ms since the first; and how often hosts were asked about. */
  async function ways(
    {
      limits,
      hosts: count = 40,
      minutes = 5,
      processes = 1,
      named = NAMES,
      frontier: kept,
    }: {
      limits: CrawlConfig['limits'] & {}
      hosts?: number
      minutes?: number
      processes?: number
      named?: readonly string[]
      frontier?: Frontier
    },
    config: Partial<CrawlConfig> = {},
  ): Promise<{ starts: ReadonlyMap<string, readonly number[]>; asks: number; frontier: Frontier }> {
    const clock = new VirtualClock({ startAt: START })
    const model = siteModel({ seed: 'way', hosts: hosts(count, {}) })
    const web = simulatedWeb(model, { clock })
    // Each proxy is out of order for half a minute of two, one after the other.
    const weather =
      (turn: number): Weather =>
      (atMs) =>
        Math.floor(atMs / 30_000) % 4 === turn ? 'AVO_PROXY_UNREACHABLE' : undefined
    const fetcher = proxiedWeb(web, { clock, weather: Object.fromEntries(PROXIES.map((proxy, n) => [proxy, weather(n)])) })
    const starts = new Map<string, number[]>()
    let asks = 0
    const begun = (name: string, at: number): void => void starts.set(name, [...(starts.get(name) ?? []), at - START])
    const watching = (): Plugin =>
      definePlugin({
        name: 'watching',
        admit: () => void asks++,
        onTrace: (event) => event.kind === 'begun' && begun(event.exchange.request.session ?? 'none', event.at),
      })
    using folder = mkdtempDisposableSync(join(tmpdir(), 'avocet-ways-'))
    const shared = processes > 1 ? sqlite(join(folder.path, 'store.db'), { clock, synchronous: 'normal' }) : memoryFrontier()
    const frontier = kept ?? shared
    const seeds = model.seeds().map((url, n) => ({ url, ...(named.length > 0 && { session: named[n % named.length] ?? '' }) }))
    const spider = pathSpider([], {
      seeds,
      handlers: {
        *start(page) {
          yield* page.links()
        },
      },
    })
    const subjects = Array.from({ length: processes }, () =>
      crawl({
        policies: [],
        plugins: [aimd(), retry(), proxies({ '*': PROXIES }), watching()],
        ...{ spider, frontier, clock, fetcher, limits, randomSeed: 'way', ...config },
      }),
    )
    using _end = clock.at(START + minutes * 60_000, () => subjects.forEach((subject) => subject.abort()))
    await clock.run(() => Promise.all(subjects.map((subject) => subject.run())))
    for (const { proxy, atMs } of fetcher.asked) begun(proxy, START + atMs)
    return { starts, asks, frontier }
  }

  /** The most that came within ten seconds. */
  const mostIn10s = (times: readonly number[] = []): number => {
    let first = 0
    return Math.max(
      ...times.map((at, n) => {
        while ((times[first] ?? at) <= at - 10_000) first++
        return n - first + 1
      }),
    )
  }

  it('is exceeded by none of them, whatever else holds and while proxies fail and come back', async () => {
    const limits = [
      { match: '*', by: 'exit', maxRps: 8 },
      { match: '*', by: 'session', maxRps: 3 },
      { match: '*.test', maxRps: 16 },
      { match: 'shop-1.test', share: true, maxRps: 2 },
    ] as const
    const { starts, asks } = await ways({ limits, minutes: 20 })

    expect(asks).toBeGreaterThan(100_000)
    for (const proxy of PROXIES) expect(mostIn10s(starts.get(proxy))).toBeLessThanOrEqual(81)
    for (const session of NAMES) expect(mostIn10s(starts.get(session))).toBeLessThanOrEqual(31)
    // All pages, by session and by exit.
    expect([...starts.values()].flat().length).toBeGreaterThan(2 * 40 * 200)
  })

  it('is one for each: three exits take three times as much', async () => {
    const { starts, frontier } = await ways({ limits: [{ match: '*', by: 'exit', maxRps: 2 }], named: [], minutes: 2 })

    expect(starts.get('none')?.length).toBeGreaterThan(0.9 * 3 * 2 * 90)
    expect(await explained(frontier, 'shop-3.test', [{ match: '*', by: 'exit', maxRps: 2 }])).toMatchObject({
      limit: expect.stringMatching(/^\* by exit http:\/\/[abc]\.proxy\.test:80$/) as string,
      limitRps: 2,
    })
  })

  it('pauses all that belongs to a session, at each host, for the Retry-After that it got, and nobody else', async () => {
    const pausing: Answer = { status: 429, headers: { 'retry-after': '600' } }
    const pages = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 10 }, (_, n) => `http://${name}.test/${n}`))
    const script = {
      ...Object.fromEntries(pages.map((url) => [url, { body: 'ok' }])),
      'http://a.test/5': [pausing, { body: 'ok' }],
    }
    const seeds = pages.map((url) => ({ url, session: url < 'http://c' ? 'one' : 'two' }))
    const { seen } = await run(script, {
      spider: pathSpider([], { seeds }),
      plugins: [aimd(), retry()],
      limits: [{ match: '*', by: 'session', share: true }],
      patienceMs: 86_400_000,
    })

    const first = seen[0]?.at ?? 0
    const late = seen.filter(({ at }) => at > first + 300_000).map(({ outbound }) => new URL(outbound.url).hostname)
    expect(seen).toHaveLength(31)
    expect(new Set(late)).toEqual(new Set(['a.test', 'b.test']))
  })

  it('is one for several processes', async () => {
    const limits = [
      { match: '*', by: 'exit', maxRps: 5 },
      { match: '*', by: 'session', maxRps: 3 },
    ] as const
    const { starts } = await ways({ limits, processes: 2 })

    for (const proxy of PROXIES) expect(mostIn10s(starts.get(proxy))).toBeLessThanOrEqual(60)
    for (const session of NAMES) expect(mostIn10s(starts.get(session))).toBeLessThanOrEqual(35)
  })

  it('is one for several processes as well where there are more of them than are remembered', async () => {
    const named = Array.from({ length: 120 }, (_, n) => `account-${n}`)
    const { starts } = await ways({
      limits: [{ match: '*', by: 'session', maxRps: 0.5 }],
      hosts: 240,
      minutes: 2,
      processes: 2,
      named,
    })
    const perSecond = named.map((name) => (starts.get(name) ?? []).filter((at) => at > 60_000).length / 60)

    expect(Math.max(...perSecond)).toBeLessThan(0.55)
  })

  it('holds nothing without a named session, and all that goes directly together', async () => {
    const sessions = await ways({ limits: [{ match: '*', by: 'session', maxRps: 0.1 }], named: [], minutes: 1 })
    const exits = await ways({ limits: [{ match: '*', by: 'exit', maxRps: 2 }], named: [], minutes: 1 }, { plugins: [aimd()] })

    expect(sessions.starts.get('none')?.length).toBeGreaterThan(1_000)
    expect(await explained(exits.frontier, 'shop-3.test', [{ match: '*', by: 'exit', maxRps: 2 }])).toMatchObject({
      limit: '* by exit direct',
    })
  })
})

describe('a limit that nobody named', () => {
  const inside = hosts(80, { address: '192.0.2.7', sharedCapacity: 'platform' })

  it('is learned where hosts of one address are refused together', async () => {
    const { web, frontier } = await crawled(inside, { minutes: 10 })

    expect(sum(web, inside, 'refused') / sum(web, inside, 'requests')).toBeLessThan(0.02)
    expect(sum(web, inside, 'served')).toBeGreaterThan(0.85 * 6 * 600)
    expect(inside.filter(({ name }) => web.felt(name).served < 20)).toEqual([])
    expect(await explained(frontier, 'shop-7.test')).toMatchObject({ limit: 'address 192.0.2.0/24' })
  })

  it('is one for several processes once one of them has learned it, and they are refused as seldom as one', async () => {
    const { web } = await crawled(inside, { minutes: 10, processes: 2 })

    expect(sum(web, inside, 'refused') / sum(web, inside, 'requests')).toBeLessThan(0.008)
    expect(sum(web, inside, 'served')).toBeGreaterThan(0.85 * 6 * 600)
  })

  it('is none where hosts of one address have limiters of their own', async () => {
    const own = { law: 'bucket', perSecond: 0.3, burst: 3 } as const
    const edge = hosts(80, { address: '192.0.2.7', capacity: own }, { pages: 2_000 })
    const apart = hosts(80, { capacity: own }, { pages: 2_000 })
    const { web, frontier } = await crawled(edge, { minutes: 20 })
    const { web: other } = await crawled(apart, { minutes: 20 })

    expect(await explained(frontier, 'shop-7.test')).toEqual({})
    expect(sum(web, edge, 'served')).toBeGreaterThan(0.98 * sum(other, apart, 'served'))
  })

  it('is none where some hosts of one address shut crawlers out, with a Retry-After', async () => {
    const shut = hosts(
      6,
      {
        address: '192.0.2.7',
        capacity: { law: 'bucket', perSecond: 0.0001, burst: 1 },
        refusal: { status: 429, retryAfter: 'seconds' },
      },
      { named: 'shut' },
    )
    const well = hosts(54, { address: '192.0.2.7' })
    const { web } = await crawled([...shut, ...well], { minutes: 3 })
    const { web: alone } = await crawled(well, { minutes: 3 })

    expect(sum(web, well, 'served')).toBeGreaterThan(0.9 * sum(alone, well, 'served'))
  })

  it('is none at a private address, where one machine of ours has many names', async () => {
    const ours = hosts(30, { address: '127.0.0.1' })
    const { web } = await crawled(ours, { minutes: 0.1 })

    expect(sum(web, ours, 'requests')).toBeGreaterThan(150)
  })
})

it('a host with a stricter limiter of its own does not slow the others of a shared limit', async () => {
  const limits = [{ match: '*', share: true, maxRps: 6 }]
  const own = hosts(1, { capacity: { law: 'bucket', perSecond: 0.02, burst: 1 } }, { named: 'strict' })
  const others = hosts(19, {})
  const { web } = await crawled([...own, ...others], { config: { limits }, minutes: 10 })

  expect(sum(web, others, 'served')).toBeGreaterThan(0.85 * 6 * 600)
})

describe('neighbours', () => {
  const answers = (all: readonly (readonly [host: string, isRefused: boolean])[], neighbours = new Neighbours()): Neighbours => {
    for (const [n, [host, isRefused]] of all.entries()) neighbours.heard(host, { isRefused, isPage: true, now: START + n * 100 })
    return neighbours
  }
  const now = START + 10_000

  it.each([
    ['four hosts are refused at their second request', [1, 1, 1, 1], true],
    ['three are', [1, 1, 1], false],
    ['four are at their first', [0, 0, 0, 0], true],
    ['four are refused after two pages', [2, 2, 2, 2], false],
  ])('have one limiter where %s: %j', (_title, pages, isShared) => {
    const all = pages.flatMap((before, host) => [
      ...Array.from({ length: before }, () => [`h${host}`, false] as const),
      [`h${host}`, true] as const,
    ])

    expect(answers(all).coincideAt(now)).toBe(isShared)
  })

  it('have none where those that were refused are not sent a page within a minute, and only such as are count from then on', () => {
    const refusals = ['a', 'b', 'c', 'd'].map((host) => [host, true] as const)
    const pages = ['a', 'b', 'c', 'd'].map((host) => [host, false] as const)
    const [shut, shared] = [answers(refusals), answers([...refusals, ...pages])]
    for (const neighbours of [shut, shared]) neighbours.doubt(START)

    expect([shut, shared].map((neighbours) => neighbours.isUnconfirmedAt(START + 60_000))).toEqual([true, false])
    const hour = START + 3_600_000
    for (const [host, isRefused] of refusals) shut.heard(host, { isRefused, isPage: true, now: hour })
    expect(shut.coincideAt(hour)).toBe(false)
    for (const [host, isRefused] of pages) shut.heard(host, { isRefused, isPage: true, now: hour })
    expect(shut.coincideAt(hour)).toBe(true)
  })

  it('are told from one that is refused five times as often', () => {
    const others = Array.from({ length: 200 }, (_, n) => [`h${n % 10}`, n % 51 === 0] as const)
    const neighbours = answers([...others, ...[true, false, true, false, true].map((each) => ['own', each] as const)])

    expect(neighbours.isOwn('own')).toBe(true)
    expect(neighbours.isOwn('h0')).toBe(false)
  })

  it('have none after all where three refusals more contradict its capacity than confirm it, and for a minute nobody looks', () => {
    const neighbours = new Neighbours()
    const refused = (agrees: boolean | undefined): boolean => neighbours.refused(agrees, now)
    const heard = [false, false, true, undefined, false].map(refused)
    const strangers = ['a', 'b', 'c', 'd'].map((host) => [host, true] as const)

    expect([...heard, refused(false)]).toEqual([false, false, false, false, false, true])
    expect(answers(strangers, neighbours).coincideAt(now + 59_000)).toBe(false)
  })
})

it.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2::7', '2001:db8:1::/48'],
  ['2001:db8::7', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
  ['', undefined],
  [undefined, undefined],
])('an address belongs to a block: %s to %s', (address, block) => {
  expect(blockOf(address)).toBe(block)
})
