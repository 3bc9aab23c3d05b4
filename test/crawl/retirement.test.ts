// Hosts that are given up, and how they come back: one request now and then, and everything once it is answered.
import { definePlugin, memoryFrontier, type CrawlConfig } from 'avocet'
import { retry } from '@avocet/plugin-retry'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'
import type { Answer } from './scripted-web.ts'

const DEAD = 'http://dead.test'
const LIVE = 'http://live.test'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const refuses: Answer = { fails: 'AVO_CONNECT_REFUSED' }
const seeds = [1, 2, 3, 4, 5, 6].map((n) => `${DEAD}/${n}`)
/** Refuses until `untilMs` after the start of the clock, and answers as `answer` says from then on. */
function deadUntil(clock: VirtualClock, untilMs: number, answer: Answer = { body: 'back' }): Record<string, Answer> {
  const backAt = clock.now() + untilMs
  const site = { [`${LIVE}/`]: { body: 'live' } as Answer }
  for (const url of seeds)
    Object.defineProperty(site, url, {
      enumerable: true,
      configurable: true,
      get: () => (clock.now() < backAt ? refuses : answer),
    })
  return site
}

/** When the dead host was asked, in days from `from`. */
function asksOf({ seen }: Ran, from: number): number[] {
  const asks = seen.filter(({ outbound }) => outbound.url.startsWith(DEAD))
  return asks.map(({ at }) => Math.round(((at - from) / DAY_MS) * 100) / 100)
}

/** A crawl that watches the living host, with pages that are tried four times. */
const watching: Partial<CrawlConfig> = { recrawl: [{ everyMs: HOUR_MS, match: /live/ }], plugins: [retry()] }

describe('a crawl that watches', () => {
  it('asks a host that it gave up once a day, then less often, and at last once a week', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const ran = await run(deadUntil(clock, Infinity), {
      ...watching,
      spider: pathSpider([...seeds, `${LIVE}/`]),
      clock,
      maxTimeMs: 40 * DAY_MS,
    })

    expect(asksOf(ran, startedAt).slice(3)).toEqual([1, 3, 7, 14, 21, 28, 35])
    expect(ran.report.counts).toMatchObject({ failed: 0, waiting: 6, retired: 6, retiredHosts: 1 })
  })

  it('brings the host and all its requests back with the first answer', async () => {
    const clock = new VirtualClock()
    const ran = await run(deadUntil(clock, 2 * DAY_MS), {
      ...watching,
      spider: pathSpider([...seeds, `${LIVE}/`]),
      clock,
      maxTimeMs: 4 * DAY_MS,
    })

    expect(ran.report.counts).toMatchObject({ done: 7, failed: 0, waiting: 0, retired: 0, retiredHosts: 0 })
  })

  it.each([403, 404, 429, 500, 503])('takes status %i for an answer too', async (status) => {
    const clock = new VirtualClock()
    const { report } = await run(deadUntil(clock, DAY_MS / 2, { status }), {
      ...watching,
      spider: pathSpider([...seeds, `${LIVE}/`]),
      clock,
      maxTimeMs: 1.9 * DAY_MS,
    })

    expect(report.counts).toMatchObject({ retired: 0, retiredHosts: 0 })
  })

  it('asks for another page each time: the first may be the one that never answers', async () => {
    const clock = new VirtualClock()
    const site = deadUntil(clock, 10 * 60_000)
    Object.defineProperty(site, `${DEAD}/1`, { value: refuses, enumerable: true })
    const { report } = await run(site, {
      ...watching,
      spider: pathSpider([...seeds, `${LIVE}/`]),
      clock,
      maxTimeMs: 4 * DAY_MS,
    })

    expect(report.counts).toMatchObject({ done: 6, retired: 0 })
  })

  it('asks for nothing that may not be repeated while there is something else: no order is lost to a host that is down', async () => {
    const clock = new VirtualClock()
    const orders = [1, 2, 3, 4, 5].map((n) => ({ url: `${DEAD}/order/${n}`, method: 'POST' as const, body: 'a=1' }))
    const pages = [1, 2, 3].map((n) => ({ url: `${DEAD}/${n}`, priority: 10 }))
    const refusing = Object.fromEntries(orders.map(({ url }) => [url, refuses]))
    const { seen, report } = await run(
      { ...refusing, ...deadUntil(clock, Infinity) },
      { ...watching, spider: pathSpider([], { seeds: [...orders, ...pages, `${LIVE}/`] }), clock, maxTimeMs: 40 * DAY_MS },
    )

    const probes = seen.filter(({ outbound }) => outbound.url.startsWith(DEAD)).slice(3)
    expect(probes.map(({ outbound }) => outbound.method)).toEqual(['GET', 'GET', 'GET', 'GET', 'GET', 'GET', 'GET'])
    expect(report.counts).toMatchObject({ failed: 0, waiting: 8, retired: 8 })
  })

  it('does not end while the only host is given up', async () => {
    const clock = new VirtualClock()
    const ran = await run(deadUntil(clock, 2 * DAY_MS), {
      recrawl: [{ everyMs: HOUR_MS }],
      plugins: [retry()],
      spider: pathSpider(seeds),
      clock,
      maxTimeMs: 4 * DAY_MS,
    })

    expect(ran.report).toMatchObject({ ended: 'limit', counts: { done: 6, again: 6 } })
  })
})

describe('a crawl that ends', () => {
  it('says that what is left waits at hosts that were given up: it is not done', async () => {
    const clock = new VirtualClock()
    const { report } = await run(deadUntil(clock, Infinity), {
      plugins: [retry()],
      spider: pathSpider([...seeds, `${LIVE}/`]),
      clock,
    })

    expect(report).toMatchObject({
      ended: 'given-up',
      why: 'all that is left, 6 requests, waits at 1 host that was given up; the next run asks it again',
      counts: { done: 1, waiting: 6, retired: 6 },
      retiredHosts: [{ hostKey: 'dead.test', waiting: 6, reason: 'never answered, 3 times in a row (last: connect-refused)' }],
    })
    expect(report.retiredHosts[0]).not.toHaveProperty('probeAt')
  })

  it('is done when nothing waits at the hosts that were given up', async () => {
    const { report } = await run(
      { [`${DEAD}/1`]: refuses, [`${DEAD}/2`]: refuses, [`${DEAD}/3`]: refuses },
      {
        spider: pathSpider(seeds.slice(0, 3)),
      },
    )

    expect(report).toMatchObject({ ended: 'done', counts: { failed: 3, waiting: 0, retiredHosts: 1 } })
  })

  it('asks each host that was given up once when it is run again, and goes on where one answers', async () => {
    const clock = new VirtualClock()
    const frontier = memoryFrontier()
    const site = deadUntil(clock, HOUR_MS)
    const config = { plugins: [retry()], spider: pathSpider(seeds), clock, frontier }
    const first = await run(site, config)
    const second = await run(site, config)
    clock.at(clock.now() + HOUR_MS, () => {})
    await clock.run(() => new Promise<void>((resume) => clock.at(clock.now() + HOUR_MS, resume)))
    const third = await run(site, config)

    expect([first, second, third].map(({ report }) => report.ended)).toEqual(['given-up', 'given-up', 'done'])
    expect(first.seen).toHaveLength(3)
    expect(second.seen).toHaveLength(1)
    expect(third.report.counts).toMatchObject({ done: 6, failed: 0, retiredHosts: 0 })
  })

  it('never drops a page for probes in vain, however many', async () => {
    const clock = new VirtualClock()
    const frontier = memoryFrontier()
    const site = deadUntil(clock, Infinity)
    const config = { plugins: [retry()], spider: pathSpider(seeds.slice(0, 1)), clock, frontier }
    let ran = await run(site, config)
    for (let runs = 0; runs < 30; runs++) ran = await run(site, config)

    expect(ran.report).toMatchObject({ ended: 'given-up', counts: { failed: 0, waiting: 1, retired: 1 } })
  })

  it('asks nobody for whom a plugin holds it for ever, and asks the plugin again in the next run', async () => {
    const frontier = memoryFrontier()
    let closed = true
    const shut = definePlugin({
      name: 'shut',
      admit: (ask) => {
        if (closed) ask.notBefore(Infinity, 'closed')
      },
    })
    const config = { plugins: [shut], spider: pathSpider([`${LIVE}/`]), frontier }
    const runs = [await run({ [`${LIVE}/`]: {} }, config), await run({ [`${LIVE}/`]: {} }, config)]
    closed = false
    const last = await run({ [`${LIVE}/`]: {} }, config)

    expect(runs.map(({ seen }) => seen.length)).toEqual([0, 0])
    expect(runs[1]?.report).toMatchObject({
      ended: 'given-up',
      retiredHosts: [{ reason: 'held for ever with nothing in flight (shut: closed)' }],
    })
    expect(last.report).toMatchObject({ ended: 'done', counts: { done: 1, retiredHosts: 0 } })
  })

  it('lets a plugin that gave the host up for trouble see that it is to allow a probe', async () => {
    const frontier = memoryFrontier()
    const asked: boolean[] = []
    const fussy = definePlugin({
      name: 'fussy',
      hostMemory: () => ({ failures: 0 }),
      admit(ask, host) {
        asked.push(ask.probing)
        if (host.failures > 0 && !ask.probing) ask.notBefore(Infinity, 'failed once')
      },
      onError: (failed, host) => {
        host.failures++
        failed.retry(failed.now, 'again')
      },
      onResponse: (_answer, host) => {
        host.failures = 0
      },
    })
    const config = { plugins: [fussy], spider: pathSpider([`${LIVE}/1`, `${LIVE}/2`]), frontier }
    const first = await run({ [`${LIVE}/1`]: refuses }, config)
    const second = await run({ [`${LIVE}/1`]: {}, [`${LIVE}/2`]: {} }, config)

    expect(first.report).toMatchObject({ ended: 'given-up', counts: { waiting: 2 } })
    expect(second.report).toMatchObject({ ended: 'done', counts: { done: 2 } })
    expect(new Set(asked)).toEqual(new Set([true, false]))
  })

  it('takes a fault of its own during the probe for no verdict', async () => {
    const frontier = memoryFrontier()
    const config = { plugins: [retry()], spider: pathSpider(seeds), frontier }
    await run(Object.fromEntries(seeds.map((url) => [url, refuses])), config)
    const site = Object.fromEntries(seeds.map((url) => [url, [{ fails: 'AVO_LOCAL_RESOURCES' as const }, { body: 'back' }]]))
    const { report } = await run(site, config)

    expect(report).toMatchObject({ ended: 'done', counts: { done: 6, retiredHosts: 0 } })
  })

  it.each([
    ['its patience', { patienceMs: 60_000 }, 'patience'],
    ['a limit', { maxPages: 1 }, 'limit'],
  ] as const)('names %s where that is why it ended', async (_what, more, ended) => {
    const site = {
      ...Object.fromEntries(seeds.map((url) => [url, refuses])),
      [`${LIVE}/`]: {},
      [`${LIVE}/2`]: { status: 429, headers: { 'retry-after': '3600' } },
    }
    const { report } = await run(site, { ...more, spider: pathSpider([...seeds, `${LIVE}/`, `${LIVE}/2`]) })

    expect(report.ended).toBe(ended)
  })
})
