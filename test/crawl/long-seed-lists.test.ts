// A list of seeds that takes long to offer: a limit or a stop does not wait for it, and no link to a seed takes what the seed says of the page.
import { crawl, link, memoryFrontier, type CrawlConfig, type CrawlReport, type Scope, type Seed } from 'avocet'
import { sleepUntil, systemClock, type Clock, type Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider } from './harness.ts'
import { scriptedWeb } from './scripted-web.ts'

const SEEDS = Array.from({ length: 10_000 }, (_, n) => `http://shop.test/${String(n)}`)
const FIRST = 'http://shop.test/0'
const LAST = 'http://shop.test/9999'
const WITH_DATA = SEEDS.map((url, n) => ({ url, data: { sku: n } }))
const MOVED = 'http://shop.test/moved'
const script = {
  ...Object.fromEntries(SEEDS.map((url) => [url, { body: url === FIRST ? `<a href="${LAST}">last</a>` : 'ok' }])),
  'http://shop.test/to-moved': { body: `<a href="${MOVED}">moved</a>` },
  [MOVED]: { status: 301, headers: { location: 'http://new.test/moved' } },
  'http://new.test/moved': { body: 'ok' },
  'http://shop.test/first': { body: '<a href="http://other.test/linked">of another seed</a>' },
  'http://other.test/linked': { body: 'ok' },
  'http://other.test/': { body: 'ok' },
}

/** A store that takes 200 ms for each thousand seeds. */
function slow(frontier: Frontier, clock: Clock): Frontier {
  const add: Frontier['add'] = async (requests) => {
    if (requests.length === 1_000) await sleepUntil(clock, clock.now() + 200)
    return frontier.add(requests)
  }
  return new Proxy(frontier, { get: (of, key) => (key === 'add' ? add : Reflect.get(of, key, of)) })
}

/** Time goes on while seeds are offered. */
function passing(clock: VirtualClock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    at: (epochMs, call) => clock.at(epochMs, call),
    hold: (name) => (name === 'seeds' ? { [Symbol.dispose]: () => {} } : clock.hold(name)),
  }
}

/** What a run is made of; `stopAfterMs` its start. */
type Given = Partial<CrawlConfig> & {
  readonly seeds?: readonly (string | Seed)[]
  readonly scope?: Scope
  readonly stopAfterMs?: number
}

/** A page as its handler met it. */
interface Met {
  readonly url: string
  readonly depth: number
  readonly parent: string | undefined
  readonly data: unknown
}

/** Runs of a crawl on one store; each page has its links followed before all else. */
async function runs(
  ...given: readonly Given[]
): Promise<{ readonly reports: readonly CrawlReport[]; readonly met: readonly Met[] }> {
  const virtual = new VirtualClock()
  const clock = passing(virtual)
  const frontier = memoryFrontier()
  const reports: CrawlReport[] = []
  const met: Met[] = []
  for (const { seeds = SEEDS, scope, stopAfterMs, ...config } of given) {
    const spider = pathSpider([], {
      seeds,
      ...(scope && { scope }),
      handlers: {
        *start({ url, request: { depth, parent, data }, anchors }) {
          met.push({ url: url.href, depth, parent, data })
          for (const anchor of anchors) yield link(anchor.url, { priority: 9 })
        },
      },
    })
    const fetcher = scriptedWeb(clock, script)
    const parts = { spider, policies: [], delayMs: 1, randomSeed: 'seeds', maxPerHost: 10, clock, fetcher }
    const made = crawl({ ...parts, ...config, frontier: slow(frontier, clock) })
    if (stopAfterMs !== undefined) clock.at(clock.now() + stopAfterMs, () => made.stop())
    reports.push(await virtual.run(() => made.run()))
  }
  return { reports, met }
}

describe('a list of 10,000 URLs, for which the store takes two seconds,', () => {
  it('holds up neither its first pages nor --max-time nor a stop, and each short run makes progress', async () => {
    const { reports } = await runs({ maxTimeMs: 1_500 }, { maxTimeMs: 1_500 }, { stopAfterMs: 1_500 })

    expect(reports.map(({ ended }) => ended)).toEqual(['limit', 'limit', 'stopped'])
    expect(Math.max(...reports.map(({ startedAt, endedAt }) => endedAt - startedAt))).toBeLessThan(2_000)
    expect(reports[0]?.seeds).toEqual({ offered: 8_000, of: SEEDS.length })
    const done = reports.map(({ counts }) => counts.done)
    expect(done.every((pages, n) => pages > (done[n - 1] ?? 0))).toBe(true)
  })

  it('is in the store in the end, also where runs were stopped before', async () => {
    const { reports } = await runs({ maxTimeMs: 1_500 }, {})

    expect(reports.map(({ ended, counts }) => [ended, counts.known < SEEDS.length])).toEqual([
      ['limit', true],
      ['done', false],
    ])
    expect(reports[1]?.counts.done).toBe(SEEDS.length)
    expect(reports.map(({ seeds }) => seeds)).toEqual([{ offered: 8_000, of: SEEDS.length }, undefined])
  })

  it('is offered by one of several processes', async () => {
    const { reports } = await runs({ offersSeeds: false }, { offersSeeds: true })

    expect(reports.map(({ ended, seeds }) => [ended, seeds])).toEqual([
      ['done', undefined],
      ['done', undefined],
    ])
    expect(reports.map(({ counts }) => counts.done)).toEqual([5_001, SEEDS.length])
  })

  it('is offered by each of them where a seed says more: each must know what is hidden in it', async () => {
    const { reports } = await runs({ offersSeeds: false, seeds: [...SEEDS.slice(0, -1), { url: LAST }] })

    expect(reports[0]?.counts.done).toBe(SEEDS.length)
  })

  it('has the hosts of all in the scope from the first page on', async () => {
    const other = 'http://other.test/linked'
    const seeds = [...SEEDS.with(0, 'http://shop.test/first'), 'http://other.test/']
    const { met } = await runs({ seeds })

    expect(met.slice(0, 100)).toContainEqual({ url: other, depth: 1, parent: 'http://shop.test/first', data: undefined })
  })

  it.each<[string, Given, string]>([
    ['as its page says', {}, LAST],
    ['where there is a maxDepth', { scope: { maxDepth: 1 } }, LAST],
    ['in another spelling', { seeds: SEEDS.with(9_999, 'HTTP://shop.test:80/a/../9999?utm_source=mail#top') }, LAST],
    ['also where it moved', { seeds: [...SEEDS.with(0, 'http://shop.test/to-moved'), MOVED] }, 'http://new.test/moved'],
  ])('has a URL be a seed though a page links to it first, %s', async (_, given, url) => {
    const { met } = await runs({ maxTimeMs: 800, ...given }, given)

    expect(met.filter((page) => page.url === url)).toMatchObject([{ depth: 0, parent: undefined }])
    expect(met.findIndex((page) => page.url === url)).toBeLessThan(8_000)
  })

  it.each([
    [
      'left out',
      'no URL',
      undefined,
      "a seed (number 10002) is left out: expected every seed to be an absolute http(s) URL, got 'no URL'",
    ],
    [
      'refused',
      'http://shop.test/a.pdf',
      { deny: [/pdf$/] },
      'a seed is refused and not requested (denied: http://shop.test/a.pdf)',
    ],
  ])('tells once of what is %s behind the first 5,000, and counts it', async (_, bad, scope, told) => {
    const seeds = [
      ...SEEDS,
      `${FIRST}?more`,
      ...Array.from({ length: 60_000 }, (_, n) => (n === 0 ? bad : bad.replace('a', `${n}a`))),
    ]
    const { reports } = await runs({ seeds, ...(scope && { scope }) })

    expect(reports[0]?.problems).toMatchObject([{ message: expect.stringContaining(told), count: 60_000 }])
  })

  it('hears a stop while rows are left out', async () => {
    const virtual = new VirtualClock()
    const seeds = [...SEEDS.slice(0, 5_000), ...Array.from({ length: 100_000 }, (_, n) => `shop.test/${n}`)]
    const parts = { clock: virtual, fetcher: scriptedWeb(virtual, script), frontier: memoryFrontier() }
    const made = crawl({ spider: pathSpider([], { seeds }), policies: [], ...parts })
    made.hooks.onTrace.tap('test', ({ kind }) => void (kind === 'problem' && setImmediate(() => made.stop())))

    const { ended, problems } = await virtual.run(() => made.run())

    expect(ended).toBe('stopped')
    expect(problems.reduce((sum, { count }) => sum + count, 0)).toBeLessThan(20_000)
  })
})

describe('a list of 10,000 seeds, for which the store takes two seconds,', () => {
  it.each<[string, Given, Partial<Met>]>([
    ['data', { seeds: WITH_DATA }, { data: { sku: 9_999 } }],
    ['depths, where there is a maxDepth', { scope: { maxDepth: 1 } }, { depth: 0 }],
  ])('keeps its %s, though the first page links to the last seed', async (_, given, kept) => {
    const { met } = await runs(given)

    expect(met.filter(({ url }) => url === LAST)).toMatchObject([kept])
  })

  it('holds up neither --max-time nor a stop, which keep what was offered', async () => {
    const { reports } = await runs({ seeds: WITH_DATA, maxTimeMs: 900 }, { seeds: WITH_DATA, stopAfterMs: 1_500 })

    expect(reports.map(({ ended }) => ended)).toEqual(['limit', 'stopped'])
    expect(Math.max(...reports.map(({ startedAt, endedAt }) => endedAt - startedAt))).toBeLessThan(2_000)
    expect(reports.map(({ counts }) => counts.waiting)).toEqual([5_000, 8_000])
  })
  it('is offered no further after a stop that comes while the store answers at once', async () => {
    const frontier = memoryFrontier()
    const spider = pathSpider([], { seeds: WITH_DATA })
    const real = systemClock()
    let workMs = 0
    // Each thousand takes 10 ms of the turn of the event loop, however fast the machine is.
    const clock: Clock = {
      now: () => real.now(),
      monotonic: () => real.monotonic() + workMs,
      at: (epochMs, call) => real.at(epochMs, call),
      hold: (name) => real.hold(name),
    }
    const add: Frontier['add'] = async (requests) => {
      setImmediate(() => made.stop())
      workMs += 10
      return frontier.add(requests)
    }
    const made = crawl({ spider, policies: [], clock, frontier: { ...frontier, add }, fetcher: scriptedWeb(clock, script) })

    const { ended, counts } = await made.run()

    expect(ended).toBe('stopped')
    expect(counts.known).toBeLessThan(SEEDS.length)
  })
})
