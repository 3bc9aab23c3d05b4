// Proxies in whole crawls on virtual time: what becomes of pages, hosts and proxies while proxies fail, and what the hosts feel.
import { crawl, definePlugin, link, memoryFrontier, spider, type CrawlReport, type Plugin } from 'avocet'
import { sleepUntil, type Frontier } from '@avocet/core/store'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, siteModel, VirtualClock, type HostSpec, type SimulatedWeb } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { proxies, proxyServer, type ProxyRoutes } from '@avocet/plugin-proxies'
import { proxiedWeb, type Asked, type Weather } from './proxied-web.ts'

const MINUTE = 60_000
const A = 'http://a.test:8080'
const B = 'http://b.test:8080'
const DEAD: Weather = () => 'AVO_PROXY_UNREACHABLE'

interface World {
  readonly routes: ProxyRoutes
  readonly weather?: Readonly<Record<string, Weather>>
  readonly hosts?: readonly HostSpec[]
  readonly plugins?: readonly Plugin[]
  readonly patienceMs?: number
  readonly maxTimeMs?: number
  readonly robots?: boolean
  /** How much later than the other runs it begins. */
  readonly from?: number
  readonly frontier?: Frontier
  readonly hostKeying?: 'host' | 'domain'
  /** Proxies by session: each seed is one of each session. */
  readonly sessions?: Readonly<Record<string, string>>
  /** A host where they log in; no seed is on it, unless it is the only one. */
  readonly login?: string
}

interface Ran {
  readonly report: CrawlReport
  readonly asked: readonly Asked[]
  readonly direct: readonly string[]
  readonly web: SimulatedWeb
  readonly frontier: Frontier
  readonly tookMs: number
  /** Failures that plugins heard of. */
  readonly errors: number
}

const SMALL = { pages: { kind: 'list', pages: 5 }, latency: { law: 'fixed', ms: 20 } } as const
const until =
  (endMs: number, weather: Weather): Weather =>
  (atMs) =>
    atMs < endMs ? weather(atMs) : undefined
const hostsOf = (count: number, pages = 5): readonly HostSpec[] =>
  Array.from({ length: count }, (_, n) => ({ ...SMALL, name: `h${n}.test`, pages: { kind: 'list', pages } }))

async function crawled({ routes, weather = {}, hosts = hostsOf(4), plugins = [], ...more }: World): Promise<Ran> {
  const clock = new VirtualClock()
  const { sessions = {}, login } = more
  await clock.run(() => sleepUntil(clock, clock.now() + (more.from ?? 0)))
  const model = siteModel({ seed: 'proxies', hosts })
  const web = simulatedWeb(model, { clock })
  const form = model.seeds().find((url) => new URL(url).hostname === login)
  const others = model.seeds().filter((url) => new URL(url).hostname !== login)
  const seeds = others.length === 0 ? model.seeds() : others
  const fetcher = proxiedWeb(web, { clock, weather })
  const frontier = more.frontier ?? memoryFrontier()
  let errors = 0
  const heard = definePlugin({ name: 'heard', onError: () => void errors++ })
  const subject = crawl({
    policies: more.robots === true ? polite() : polite({ robots: false }),
    spider: spider({
      name: 'proxies',
      ...(form !== undefined && { login: { url: form, submit: () => link(form), isLoggedOut: () => false } }),
      seeds:
        more.sessions === undefined
          ? seeds.map((url) => ({ url }))
          : seeds.flatMap((url) => Object.keys(sessions).map((session) => ({ url, session }))),
      handlers: {
        *start(page) {
          yield* page.links()
        },
      },
    }),
    plugins: [proxies(routes, { sessions }), heard, ...plugins],
    frontier,
    clock,
    fetcher,
    randomSeed: 'proxies',
    ...(more.hostKeying !== undefined && { hostKeying: more.hostKeying }),
    ...(more.patienceMs !== undefined && { patienceMs: more.patienceMs }),
    ...(more.maxTimeMs !== undefined && { maxTimeMs: more.maxTimeMs }),
  })
  const startedAt = clock.now()
  const report = await clock.run(() => subject.run())
  return { report, asked: fetcher.asked, direct: fetcher.direct, web, frontier, tookMs: clock.now() - startedAt, errors }
}

describe('a dead proxy', () => {
  it('costs no page and no host: all go through the other one', async () => {
    const { report, asked, errors } = await crawled({ routes: { '*': [A, B] }, weather: { [A]: DEAD } })

    expect(errors).toBe(0)
    expect(report).toMatchObject({ ended: 'done', counts: { failed: 0, retiredHosts: 0 } })
    expect(report.counts.done).toBeGreaterThanOrEqual(20)
    expect(asked.filter(({ proxy }) => proxy === A).every(({ failed }) => failed)).toBe(true)
    expect(asked.filter(({ proxy }) => proxy === A).length).toBeLessThan(15)
  })

  it('may be one of hundreds, of which memory has no room for all: the crawl goes on', async () => {
    const dead = Array.from({ length: 300 }, (_, n) => `http://proxy-${String(n)}.dead.test:8080`)

    const { report, asked } = await crawled({
      routes: { '*': [...dead, B] },
      weather: Object.fromEntries(dead.map((proxy) => [proxy, DEAD])),
      hosts: hostsOf(250, 1),
      maxTimeMs: 2 * MINUTE,
    })

    expect(report.error).toBeUndefined()
    expect(new Set(asked.filter(({ failed }) => failed).map(({ proxy }) => proxy)).size).toBeGreaterThan(150)
  })

  it('is told once, by name', async () => {
    const { report } = await crawled({ routes: { '*': [A, B] }, weather: { [A]: DEAD } })

    expect(report.problems.map(({ message }) => message)).toEqual([
      `proxy ${A} does not work: no connection to the proxy (AVO_PROXY_UNREACHABLE); its requests wait and no host is blamed: check the proxy, or use another`,
    ])
  })

  it('that is the only one holds its hosts, and is felt for by one request at a time, ever less often, until it is back', async () => {
    const { report, asked, errors } = await crawled({
      routes: { '*': A },
      weather: { [A]: (atMs) => (atMs >= 5_000 && atMs < 30 * MINUTE ? 'AVO_PROXY_UNREACHABLE' : undefined) },
      hosts: hostsOf(20, 20),
    })
    const trials = asked.filter(({ failed, atMs }) => failed && atMs > 7_000)

    expect(errors).toBe(0)
    expect(report).toMatchObject({ ended: 'done', counts: { failed: 0, retiredHosts: 0 } })
    expect(report.counts.done).toBeGreaterThanOrEqual(400)
    // At 1, 2, 4, … 512 and 600 s after each other: ten of them fit into half an hour.
    expect(trials.length).toBeLessThanOrEqual(12)
    trials.slice(1).forEach(({ atMs }, n) => expect(atMs - (trials[n]?.atMs ?? 0)).toBeGreaterThan(1_000))
  })

  it('that opens five tunnels a second, and refuses all others, costs no page and no host', async () => {
    const openedAt: number[] = []
    const limited: Weather = (atMs) => {
      while ((openedAt[0] ?? Infinity) < atMs - 1_000) openedAt.shift()
      if (openedAt.length >= 5) return 'AVO_PROXY_LIMIT'
      openedAt.push(atMs)
      return undefined
    }
    const { report, errors } = await crawled({ routes: { '*': A }, weather: { [A]: limited }, hosts: hostsOf(20, 20) })

    expect(errors).toBe(0)
    expect(report).toMatchObject({ ended: 'done', counts: { done: 400, failed: 0, retiredHosts: 0 } })
  })

  it('never comes back: the crawl ends for lack of patience, an hour later, with every page still waiting', async () => {
    const { report, frontier, tookMs } = await crawled({ routes: { '*': A }, weather: { [A]: DEAD } })

    expect(report).toMatchObject({ ended: 'patience', counts: { done: 0, failed: 0, retiredHosts: 0 } })
    expect(tookMs).toBeGreaterThan(60 * MINUTE)
    expect(tookMs).toBeLessThan(120 * MINUTE)
    const waiting = await frontier.reader.requests({ state: 'waiting', limit: 99 })
    expect(waiting).toHaveLength(20)
    expect(waiting.every(({ attempts }) => attempts === 0)).toBe(true)
  })

  it('that refuses our credentials ends the crawl once its patience is over, and costs nothing; begun with the right ones it goes on within a minute', async () => {
    const first = await crawled({ routes: { '*': A }, weather: { [A]: () => 'AVO_PROXY_AUTH' } })
    const second = await crawled({ routes: { '*': A }, frontier: first.frontier, from: first.tookMs })

    expect(first.tookMs).toBeLessThan(17 * MINUTE)
    expect(first.report).toMatchObject({ ended: 'patience', counts: { done: 0, failed: 0, retiredHosts: 0 } })
    expect(first.report.why).toMatch(/^all that is left has waited for 1\d min.*: /)
    expect(first.asked.length).toBeLessThan(20)
    expect(second.report).toMatchObject({ ended: 'done', counts: { done: 20, failed: 0 } })
    expect(second.tookMs).toBeLessThan(2 * MINUTE)
  })

  it('holds robots.txt as it holds pages, and no page goes before it', async () => {
    const { report, asked, web, errors } = await crawled({
      routes: { '*': A },
      weather: { [A]: (atMs) => (atMs < 5 * MINUTE ? 'AVO_PROXY_TIMEOUT' : undefined) },
      robots: true,
    })

    expect(errors).toBe(0)
    expect(report).toMatchObject({ ended: 'done', counts: { done: 20, failed: 0, retiredHosts: 0 } })
    expect(asked.filter(({ failed }) => failed).length).toBeLessThan(40)
    for (const { name } of hostsOf(4)) expect(web.felt(name).log[0]?.path).toBe('/robots.txt')
  })

  it('is no reason to think that the network is down', async () => {
    const { report } = await crawled({
      routes: { '*': 'direct', ...Object.fromEntries(hostsOf(12).map(({ name }) => [name, A])) },
      weather: { [A]: (atMs) => (atMs < 5 * MINUTE ? 'AVO_PROXY_TIMEOUT' : undefined) },
      hosts: [...hostsOf(12), { name: 'direct.test', pages: { kind: 'list', pages: 60 }, latency: { law: 'fixed', ms: 20 } }],
    })

    expect(report).toMatchObject({ ended: 'done', counts: { failed: 0, retiredHosts: 0 } })
    expect(report.problems.some(({ message }) => /network of this machine/.test(message))).toBe(false)
  })
})

describe('proxies that share host and port', () => {
  it('rest by user name: credentials that are refused for one cost the hosts of the other nothing', async () => {
    const [good, bad] = ['http://good@p.test:8080', 'http://bad@p.test:8080']
    const { report, asked } = await crawled({
      routes: { '*': [good, bad] },
      hosts: hostsOf(8, 20),
      weather: { [bad]: () => 'AVO_PROXY_AUTH' },
    })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 160, failed: 0 } })
    expect(asked.filter(({ proxy }) => proxy === bad).length).toBeLessThan(20)
  })
})

describe('what may be the fault of the host', () => {
  it.each([[[A]], [[A, B]]])('is the fault of the host where the proxy works for others: %j', async (all) => {
    const { report, errors } = await crawled({
      routes: { '*': all },
      hosts: [
        ...hostsOf(4, 400),
        { name: 'dead.test', pages: { kind: 'list', pages: 3 }, death: 'refuse', latency: { law: 'fixed', ms: 20 } },
      ],
    })

    expect(errors).toBeGreaterThan(0)
    expect(report.counts.done).toBeGreaterThanOrEqual(1_600)
  })

  it.each([[[A]], [[A, B]]])('is the fault of the host also where it is alone, after three times: %j', async (all) => {
    const { report, tookMs, errors } = await crawled({
      routes: { '*': all },
      hosts: [{ name: 'dead.test', pages: { kind: 'list', pages: 3 }, death: 'refuse', latency: { law: 'fixed', ms: 20 } }],
    })

    expect(errors).toBeGreaterThan(0)
    expect(report.ended).not.toBe('done')
    expect(tookMs).toBeLessThan(24 * 60 * MINUTE)
  })
})

describe('politeness', () => {
  it('stays by host: ten proxies do not raise its rate', async () => {
    const ten = Array.from({ length: 10 }, (_, n) => `http://p${n}.test:8080`)
    const hosts: readonly HostSpec[] = [
      { name: 'shop.test', pages: { kind: 'list', pages: 120 }, latency: { law: 'fixed', ms: 20 } },
    ]
    const rate = definePlugin({ name: 'slow', admit: (ask) => ask.notBefore(ask.host.lastStartAt + 500, 'slow') })
    const peak = async (routes: ProxyRoutes): Promise<{ most: number; used: number; done: number }> => {
      const { web, asked, report } = await crawled({ routes, hosts, plugins: [rate] })
      const starts = web.felt('shop.test').log.map(({ at }) => at)
      const most = Math.max(...starts.map((from) => starts.filter((at) => at >= from && at < from + 9_990).length))
      return { most, used: new Set(asked.map(({ proxy }) => proxy)).size, done: report.counts.done }
    }

    const [one, many, none] = [await peak({ '*': A }), await peak({ '*': ten }), await peak({ '*': 'direct' })]

    expect(none.most).toBe(20)
    expect(one.most).toBe(none.most)
    expect(many.most).toBe(none.most)
    expect(many.used).toBe(1)
    expect(many.done).toBe(none.done)
  })
})

describe('a host', () => {
  it.each([
    'AVO_PROXY_UNREACHABLE',
    'AVO_PROXY_REFUSED',
    'AVO_PROXY_TIMEOUT',
    'AVO_TLS_CERTIFICATE',
    'AVO_FIRST_BYTE_TIMEOUT',
  ] as const)('that is alone with a proxy of which it meets %s goes through the other one at once', async (code) => {
    for (const dead of [A, B]) {
      const { report, errors, asked, tookMs } = await crawled({
        routes: { '*': [A, B] },
        weather: { [dead]: () => code },
        hosts: hostsOf(1, 20),
      })

      expect(errors).toBe(0)
      expect(report).toMatchObject({ ended: 'done', counts: { done: 20, failed: 0, retiredHosts: 0 } })
      expect(asked.filter(({ failed }) => failed).length).toBeLessThan(6)
      expect(tookMs).toBeLessThan(MINUTE)
    }
  })

  it('below the domain that hosts are keyed by goes the way that its own pattern says', async () => {
    const hosts = ['shop.test', 'www.shop.test', 'api.shop.test'].map((name) => ({ ...SMALL, name }))
    const routes = { '*': A, 'www.shop.test': B, 'api.shop.test': 'direct' }

    const { asked, direct, report } = await crawled({ routes, hosts, hostKeying: 'domain', weather: { [A]: until(5_000, DEAD) } })

    const used = (name: string): ReadonlySet<string> =>
      new Set(asked.filter(({ host }) => host === name).map(({ proxy }) => proxy))
    expect([used('shop.test'), used('www.shop.test'), used('api.shop.test')]).toEqual([new Set([A]), new Set([B]), new Set()])
    expect(new Set(direct)).toEqual(new Set(['api.shop.test']))
    expect(report).toMatchObject({ ended: 'done', counts: { failed: 0, hosts: 1 } })
  })

  it('keeps to its proxy, moves on while that rests, and returns', async () => {
    const { asked } = await crawled({
      routes: { '*': [A, B] },
      hosts: hostsOf(12, 40),
      weather: { [A]: (atMs) => (atMs >= 4_000 && atMs < 10_000 ? 'AVO_PROXY_UNREACHABLE' : undefined) },
    })
    const used = (host: string, from: number, to: number): ReadonlySet<string> =>
      new Set(
        asked
          .filter((each) => !each.failed && each.host === host && each.atMs >= from && each.atMs < to)
          .map(({ proxy }) => proxy),
      )
    const ofA = new Set(asked.filter(({ proxy, atMs }) => proxy === A && atMs < 4_000).map(({ host }) => host))

    expect(ofA.size).toBeGreaterThan(0)
    for (const host of ofA) {
      expect(used(host, 0, 4_000)).toEqual(new Set([A]))
      expect(used(host, 4_100, 10_000)).not.toContain(A)
    }
    expect(asked.some(({ proxy, atMs, failed }) => proxy === A && atMs > 10_000 && !failed)).toBe(true)
  })

  it('that goes directly waits for no proxy', async () => {
    const { report, direct, asked } = await crawled({
      routes: { '*': A, 'h0.test': 'direct' },
      weather: { [A]: DEAD },
      patienceMs: 5_000,
    })

    expect(new Set(direct)).toEqual(new Set(['h0.test']))
    expect(asked.some(({ host }) => host === 'h0.test')).toBe(false)
    expect(report.counts.done).toBeGreaterThanOrEqual(5)
  })
})

describe('the documents of a host', () => {
  it('go through the proxy of the session whose request needs them, and never directly', async () => {
    const { report, direct, asked, web } = await crawled({ routes: {}, robots: true, hosts: hostsOf(2), sessions: { bob: B } })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 10, failed: 0 } })
    expect(direct).toEqual([])
    expect(asked.every(({ proxy }) => proxy === B)).toBe(true)
    expect(web.felt('h0.test').log[0]?.path).toBe('/robots.txt')
  })

  it('and those of a login on another host go through the proxy of the session that logs in', async () => {
    const hosts = [...hostsOf(1), ...hostsOf(1).map((host) => ({ ...host, name: 'login.h0.test' }))]
    const { report, direct, web } = await crawled({
      routes: {},
      robots: true,
      hosts,
      sessions: { bob: B },
      login: 'login.h0.test',
    })

    expect([report.ended, direct]).toEqual(['done', []])
    expect(web.felt('login.h0.test').log.map(({ path }) => path)).toEqual(['/item/1', '/item/1'])
  })

  it('go through the proxy of another session where the first one rests', async () => {
    const { report, direct } = await crawled({
      routes: {},
      robots: true,
      hosts: hostsOf(2),
      sessions: { bob: B, ann: A },
      weather: { [B]: DEAD },
      maxTimeMs: 10 * MINUTE,
    })

    expect(direct).toEqual([])
    expect(report.counts).toMatchObject({ done: 10, failed: 0 })
  })
})

it('a session whose proxy is dead does not hold others, where each has to log in', async () => {
  const { report, asked } = await crawled({
    routes: {},
    hosts: hostsOf(1),
    sessions: { ann: A, bob: B },
    weather: { [A]: DEAD },
    login: 'h0.test',
    maxTimeMs: 10 * MINUTE,
  })

  expect(report.counts).toMatchObject({ done: 5, waiting: 5, failed: 0 })
  expect(asked.filter(({ proxy }) => proxy === B).every(({ atMs }) => atMs < 3 * MINUTE)).toBe(true)
})

describe('another plugin', () => {
  it('that wants a different proxy makes the exchange fail, and one that wants the same does not', async () => {
    const wants = (url: string): Plugin =>
      definePlugin({ name: 'other', beforeRequest: (outgoing) => outgoing.setProxy(proxyServer(url)) })

    const same = await crawled({ routes: { '*': A }, plugins: [wants(A)], hosts: hostsOf(1) })
    const different = await crawled({ routes: { '*': A }, plugins: [wants('http://me:secret@b.test:8080')], hosts: hostsOf(1) })

    expect(same.report.counts).toMatchObject({ failed: 0 })
    expect(different.report.counts).toMatchObject({ done: 0, failed: 5 })
    expect(await different.frontier.reader.requests({ state: 'failed', limit: 1 })).toMatchObject([{ reason: 'plugin-conflict' }])
  })
})
