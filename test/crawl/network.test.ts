// Trouble of ours that looks like the hosts', and the other way: no host may pay for our network, and no crawl for one odd host.
import { crawl, definePlugin, memoryFrontier, spider, type CrawlConfig, type CrawlReport, type Plugin } from 'avocet'
import { breaker } from '@avocet/plugin-breaker'
import { retry } from '@avocet/plugin-retry'
import { simulatedWeb, siteModel, VirtualClock, type ClientOutage, type HostSpec } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** `count` hosts of `pages` pages that answer after 200 ms; the first `odd` of them are as `how` says. */
function web(count: number, how: Partial<HostSpec> = {}, odd = count, pages = 20): readonly HostSpec[] {
  return Array.from({ length: count }, (_, n) => ({
    name: `host-${n}.test`,
    pages: { kind: 'list', pages } as const,
    latency: { law: 'fixed', ms: 200 } as const,
    ...(n < odd && how),
  }))
}

interface World {
  readonly hosts: readonly HostSpec[]
  readonly outages?: readonly ClientOutage[]
  readonly scheme?: 'http' | 'https'
  readonly plugins?: readonly Plugin[]
  readonly config?: Partial<CrawlConfig>
}

async function crawled({ hosts, outages = [], scheme = 'http', plugins = [], config = {} }: World) {
  const model = siteModel({ seed: 'network', hosts, clientOutages: outages }).withBase((host) => `${scheme}://${host}`)
  const clock = new VirtualClock()
  const failures: string[] = []
  const watch = definePlugin({
    name: 'watch',
    onError: ({ exchange, failure }) => void failures.push(`${exchange.host.key} ${failure.code}`),
  })
  const site = spider({ name: 'network', seeds: model.seeds(), handlers: { *start() {} } })
  const fetcher = simulatedWeb(model, { clock })
  const startedAt = clock.now()
  const made = crawl({ policies: [], spider: site, clock, fetcher, plugins: [watch, ...plugins], randomSeed: 'a', ...config })
  const said = new Set<string>()
  const look = (): void => {
    const { pausedFor, phase } = made.status()
    if (pausedFor !== undefined) said.add(pausedFor.replace(/AVO_\w+/, '…'))
    if (phase !== 'closed') clock.at(clock.now() + 500, look)
  }
  clock.at(startedAt, look)
  const report = await clock.run(() => made.run())
  const tookMs = clock.now() - startedAt
  const requests = model.hosts.map(({ name }) => fetcher.felt(name).attempts)
  return { report, failures, said: [...said], tookMs, requests }
}

function problemsOf({ problems }: CrawlReport): string[] {
  return problems.map(({ message, count }) => `${count} × ${message}`)
}

describe('when all hosts fall silent at once', () => {
  const blackhole = { outages: [{ style: 'blackhole' as const, fromMs: 5_000, untilMs: 35_000 }] }

  it('blames none of them beyond what was under way, and loses no page', async () => {
    const { report, failures } = await crawled({ hosts: web(40, blackhole) })

    expect(report.run.pages).toBeGreaterThanOrEqual(40 * 20 - 10)
    expect(failures.length).toBeLessThan(10)
    expect(report.retiredHosts).toEqual([])
  })

  it('says so once, however often it feels for the network', async () => {
    const { report } = await crawled({
      hosts: web(40),
      outages: [{ style: 'blackhole', fromMs: 5_000, untilMs: 25 * MINUTE }],
      plugins: [retry()],
    })

    expect(problemsOf(report)).toEqual([
      '1 × many hosts stopped responding at once: the network of this machine seems to be down; the crawl pauses until something is received',
    ])
    expect(report).toMatchObject({ ended: 'done', run: { pages: 800 } })
  })

  it('leases three more hosts at a time: another process may reach them', async () => {
    const store = memoryFrontier()
    const wanted: { readonly now: number; readonly hosts: number }[] = []
    const lease: typeof store.lease = (want) => {
      wanted.push(want)
      return store.lease(want)
    }
    const frontier = new Proxy(store, { get: (target, key) => (key === 'lease' ? lease : Reflect.get(target, key, target)) })
    await crawled({
      hosts: web(300),
      outages: [{ style: 'blackhole', fromMs: 5_000, untilMs: HOUR }],
      config: { frontier, concurrency: 20, maxTimeMs: 10 * MINUTE },
    })

    const from = wanted[0]?.now ?? 0
    const later = wanted.flatMap(({ now, hosts }) => (now > from + MINUTE ? [hosts] : []))
    expect(later.length).toBeGreaterThan(5)
    expect(Math.max(...later)).toBe(3)
  })

  it('without a route to any of them blames none at all', async () => {
    const { report, failures } = await crawled({
      hosts: web(40),
      outages: [{ style: 'no-route', fromMs: 5_000, untilMs: 35_000 }],
    })

    expect(failures).toEqual([])
    expect(report).toMatchObject({ ended: 'done', run: { pages: 800 }, retiredHosts: [] })
  })
})

describe('when a quarter of the hosts falls silent', () => {
  it('takes it for what it is: their fault', async () => {
    const blackhole = { outages: [{ style: 'blackhole' as const, fromMs: 5_000, untilMs: 35_000 }] }
    const { report, failures } = await crawled({ hosts: web(40, blackhole, 10) })

    expect(new Set(failures.map((line) => line.split(' ')[0])).size).toBe(10)
    expect(report.run.pages).toBeGreaterThanOrEqual(30 * 20)
  })
})

describe('one host that no route leads to', () => {
  it.each([
    ['says ENETUNREACH', 'no-route', 'AVO_UNREACHABLE'],
    ['cannot be connected to', 'refuse', 'AVO_CONNECT_REFUSED'],
  ] as const)('and %s costs its own pages, and not one of the others', async (_what, death, code) => {
    const { report, failures, tookMs, said } = await crawled({ hosts: web(20, { death }, 1), config: { delayMs: 100 } })

    expect(report).toMatchObject({ ended: 'given-up', run: { pages: 19 * 20 } })
    expect(tookMs).toBeLessThan(30_000)
    expect(new Set(failures)).toEqual(new Set([`host-0.test ${code}`]))
    expect(report.retiredHosts.map(({ hostKey }) => hostKey)).toEqual(['host-0.test'])
    expect(said).toEqual([])
  })

  it('alone in its crawl is given up after three probes', async () => {
    const { report, tookMs } = await crawled({ hosts: web(1, { death: 'no-route' }) })

    expect(report).toMatchObject({ ended: 'given-up', retiredHosts: [{ hostKey: 'host-0.test' }] })
    expect(tookMs).toBeLessThan(MINUTE)
  })
})

describe('a few hosts that no route leads to', () => {
  it('do not hold up a crawl of a hundred hosts', async () => {
    const { report, said, tookMs } = await crawled({
      hosts: web(100, { death: 'no-route' }, 3, 1),
      plugins: [breaker(), retry()],
    })

    expect(report).toMatchObject({ ended: 'given-up', run: { pages: 97 } })
    expect(said).toEqual([])
    expect(tookMs).toBeLessThan(2 * MINUTE)
  })

  it.each([
    [3, 60],
    [10, 60],
    [3, 9],
  ])('any more (%i of %i) look like no network of ours, where the others are due once an hour', async (lost, count) => {
    const outages = [{ style: 'no-route', fromMs: 55 * MINUTE, untilMs: 24 * HOUR }] as const
    const { said } = await crawled({
      hosts: web(count, { outages }, lost, 1),
      plugins: [breaker(), retry()],
      config: { recrawl: [{ everyMs: HOUR }], maxTimeMs: 4 * HOUR },
    })

    expect(said).toEqual([])
  })

  it('use up no excuse of an outage that comes later', async () => {
    const { failures } = await crawled({
      hosts: web(100, { death: 'no-route' }, 3, 1),
      outages: [{ style: 'blackhole', fromMs: 70 * MINUTE, untilMs: 130 * MINUTE }],
      plugins: [breaker(), retry()],
      config: { recrawl: [{ everyMs: HOUR }], maxTimeMs: 3 * HOUR, patienceMs: Infinity },
    })

    const blamed = failures.filter((line) => !/^host-[012]\./.test(line))
    expect(blamed.length).toBeLessThan(10)
  })
})

describe('while nothing was ever received', () => {
  it.each([
    ['no route', 'no-route'],
    ['no connection', 'blackhole'],
    ['no network device', 'unreachable'],
  ] as const)('%s for two minutes retires no host, and no plugin hears of it', async (_what, style) => {
    const { report, failures, said } = await crawled({
      hosts: web(100),
      outages: [{ style, fromMs: 0, untilMs: 2 * MINUTE }],
      plugins: [breaker(), retry()],
    })

    expect(failures).toEqual([])
    expect(report).toMatchObject({ ended: 'done', run: { pages: 2_000 }, retiredHosts: [], counts: { failed: 0 } })
    expect(said).toHaveLength(1)
    expect(problemsOf(report)).toHaveLength(1)
  })

  it('five hosts that are dead are given up as ever', async () => {
    const { report, tookMs } = await crawled({ hosts: web(5, { death: 'blackhole' }) })

    expect(report.retiredHosts).toHaveLength(5)
    expect(tookMs).toBeLessThan(2 * MINUTE)
  })

  it('an hour of silence of all hosts is the end of the excuse', async () => {
    const { report, tookMs, requests } = await crawled({
      hosts: web(30, { death: 'blackhole' }),
      config: { patienceMs: 24 * HOUR },
    })

    expect(report).toMatchObject({ ended: 'given-up' })
    expect(report.retiredHosts).toHaveLength(30)
    expect(tookMs).toBeGreaterThan(HOUR)
    expect(tookMs).toBeLessThan(1.2 * HOUR)
    // Round and round, not again and again at the same three.
    expect(Math.max(...requests) - Math.min(...requests)).toBeLessThanOrEqual(4)
  })
})

describe('a network of ours that is gone', () => {
  const goneFor = (hours: number): Promise<Awaited<ReturnType<typeof crawled>>> =>
    crawled({
      hosts: web(30),
      outages: [{ style: 'blackhole', fromMs: 5_000, untilMs: 5_000 + hours * HOUR }],
      plugins: [breaker(), retry()],
      config: { patienceMs: Infinity },
    })

  it('for a night is ours for an hour and the breakers’ after that: no host is given up, and no page is lost', async () => {
    const { report, requests } = await goneFor(12)

    expect(report).toMatchObject({ ended: 'done', retiredHosts: [] })
    expect(report.run.pages).toBe(600)
    expect(requests.reduce((a, b) => a + b, 0)).toBeLessThan(3_000)
  })

  it('and of which the kernel says so is probed by three requests a minute, not by all slots at once', async () => {
    const { report, requests } = await crawled({
      hosts: web(60),
      outages: [{ style: 'unreachable', fromMs: 5_000, untilMs: 5_000 + 50 * MINUTE }],
    })

    expect(report.run.pages).toBe(1_200)
    expect(requests.reduce((a, b) => a + b, 0)).toBeLessThan(1_200 + 3 * 60 + 60)
  })

  it.each(['unreachable', 'no-route'] as const)(
    'and of which the kernel says so (%s) costs four hosts no page either, in half an hour',
    async (style) => {
      const { report } = await crawled({ hosts: web(4), outages: [{ style, fromMs: 5_000, untilMs: 5_000 + 30 * MINUTE }] })

      expect(report.run.pages).toBe(80)
    },
  )

  it('for ten days costs hardly a request', async () => {
    const { requests } = await goneFor(240)

    expect(requests.reduce((a, b) => a + b, 0)).toBeLessThan(3_000)
  })
})

describe('hosts that are down while no other is due', () => {
  it('delay the next round of the others by two minutes at most, though they look like a network of ours', async () => {
    const down = [{ style: 'dns-not-found', fromMs: 30 * MINUTE, untilMs: 3 * HOUR }] as const
    const { requests } = await crawled({
      hosts: web(60, { outages: down }, 20, 1),
      config: {
        recrawl: [{ everyMs: 5 * MINUTE, match: /host-1?\d\./ }, { everyMs: HOUR }],
        maxTimeMs: HOUR + 2 * MINUTE,
      },
    })

    expect(requests.slice(20)).toEqual(Array.from({ length: 40 }, () => 2))
  })

  it('look like no network of ours, where others answered when they failed first', async () => {
    const downFrom = (minutes: number): Partial<HostSpec> => ({
      outages: [{ style: 'blackhole', fromMs: minutes * MINUTE, untilMs: 24 * HOUR }],
    })
    const [first, then] = [web(8, downFrom(55), 8, 1), web(16, downFrom(115), 16, 1).slice(8)]
    const { report, said } = await crawled({
      hosts: [...first, ...then, ...web(60, {}, 0, 1).slice(16)],
      plugins: [breaker(), retry()],
      config: { recrawl: [{ everyMs: HOUR }], maxTimeMs: 12 * HOUR },
    })

    expect(report.run.pages).toBe(8 + 8 * 2 + 44 * 12)
    expect({ said, problems: problemsOf(report) }).toEqual({ said: [], problems: [] })
  })
})

describe('certificates that fail', () => {
  it.each([
    ['from the beginning', 0],
    ['in the middle', 5_000],
  ])(
    'at a hundred hosts at once, %s, are a captive portal or our clock: no host is retired, no page lost',
    async (_when, fromMs) => {
      const { report, failures, said } = await crawled({
        hosts: web(100),
        scheme: 'https',
        outages: [{ style: 'certificate', fromMs, untilMs: fromMs + 30_000 }],
        plugins: [breaker(), retry()],
        // Each on a new connection, as after a minute of rest.
        config: { patienceMs: HOUR },
      })

      expect(failures).toEqual([])
      expect(report).toMatchObject({ ended: 'done', run: { pages: 2_000 }, retiredHosts: [], counts: { failed: 0 } })
      expect(problemsOf(report).length).toBeLessThanOrEqual(1)
      if (fromMs === 0) expect(said).toHaveLength(1)
    },
  )

  it('are reported as what they look like, once', async () => {
    const { report } = await crawled({
      hosts: web(100),
      scheme: 'https',
      outages: [{ style: 'certificate', fromMs: 0, untilMs: 30_000 }],
    })

    expect(problemsOf(report)).toEqual([
      "1 × certificates of many hosts failed at once: a captive portal, or this machine's clock is wrong? Their requests wait, and no host is blamed",
    ])
  })

  it('at ten hosts beside a hundred that answer without one are their own: nobody waits for them', async () => {
    const named = (count: number, name: string, death: object): HostSpec[] =>
      web(count, death, count).map((host, n) => ({ ...host, name: `${name}-${n}.test` }))
    const hosts = [...named(10, 'bad', { death: 'tls-certificate' }), ...named(100, 'well', {})]
    const { report } = await crawled({ hosts, plugins: [breaker(), retry()], config: { maxTimeMs: 2 * MINUTE } })

    expect(report.counts.done).toBe(2_000)
  })

  it('at one host are its own', async () => {
    const { report, failures, tookMs } = await crawled({
      hosts: web(20, { death: 'tls-certificate' }, 1),
      scheme: 'https',
    })

    expect(new Set(failures)).toEqual(new Set(['host-0.test AVO_TLS_CERTIFICATE']))
    expect(report).toMatchObject({ ended: 'given-up', run: { pages: 19 * 20 } })
    expect(tookMs).toBeLessThan(MINUTE)
  })

  it('for a day are the hosts’', async () => {
    const { report, tookMs } = await crawled({
      hosts: web(20, { death: 'tls-certificate' }),
      scheme: 'https',
      config: { patienceMs: 24 * HOUR },
    })

    expect(report.retiredHosts).toHaveLength(20)
    expect(tookMs).toBeLessThan(1.2 * HOUR)
  })
})
