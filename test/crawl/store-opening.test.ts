// A store that cannot be used when a crawl begins or ends: it waits as it does in between, says why, and can be stopped. On virtual time.
import { AvocetError, crawl, definePlugin, memoryFrontier, type CrawlConfig } from 'avocet'
import type { StoreChange, FatalCode, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'
import { scriptedWeb } from './scripted-web.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const SEEDS = Array.from({ length: 6 }, (_, n) => `http://shop-${n % 2}.test/${n}`)
const SCRIPT = Object.fromEntries(SEEDS.map((url) => [url, { body: 'ok' }]))
const EVERY = [{ match: /./, everyMs: 10 * MINUTE }]

type Changed = 'probe-retired' | 'revisit'
type Call = 'open' | 'add' | 'release' | 'mark' | Changed

interface Fault {
  readonly code?: FatalCode
  readonly forMs: number
  /** Counted from the first of these calls. */
  readonly calls: readonly Call[]
}

/** The frontier, with `calls` that fail from the first of them on. */
function failing(clock: VirtualClock, frontier: Frontier, { calls, code = 'AVO_FRONTIER_FULL', forMs }: Fault): Frontier {
  let since: number | undefined
  const faulty = { ...frontier, sinks: { ...frontier.sinks } }
  for (const name of calls) {
    const method = name === 'probe-retired' || name === 'revisit' ? 'change' : name
    const original = (method === 'mark' ? faulty.sinks.keep : faulty[method]) as (...args: readonly unknown[]) => Promise<never>
    const fails = async (...args: readonly unknown[]): Promise<never> => {
      if (method === 'change' && (args[0] as StoreChange).kind !== name) return original(...args)
      since ??= clock.now()
      if (clock.now() < since + forMs) throw new AvocetError(code, 'expected room for the store, got none; free some space')
      return original(...args)
    }
    if (method === 'mark') faulty.sinks.keep = fails
    else faulty[method] = fails
  }
  return faulty
}

interface Watched extends Ran {
  readonly tookMs: number
  readonly paused: readonly string[]
  readonly pausedBy: readonly string[]
}

async function crawled(
  fault: Fault,
  config: Partial<CrawlConfig> & { stopAt?: number; before?: boolean } = {},
): Promise<Watched> {
  const { stopAt, before = false, ...rest } = config
  const clock = new VirtualClock()
  const store = memoryFrontier()
  if (before) {
    await run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier: store })
    await store.close()
  }
  const startedAt = clock.now()
  const paused = new Set<string>()
  const pausedBy = new Set<string>()
  const frontier = failing(clock, store, fault)
  const ran = await run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier, ...rest }, (made) => {
    const look = (): void => {
      const { pausedFor, pausedBy: by, phase } = made.status()
      if (pausedFor !== undefined) paused.add(pausedFor)
      if (by !== undefined) pausedBy.add(by)
      if (phase !== 'closed' && clock.now() < startedAt + 2 * 60 * MINUTE) clock.at(clock.now() + 500, look)
    }
    clock.at(startedAt + 1, look)
    if (stopAt !== undefined) clock.at(startedAt + stopAt, () => made.stop())
  })
  return { ...ran, tookMs: clock.now() - startedAt, paused: [...paused], pausedBy: [...pausedBy] }
}

describe('a disk that is full when a crawl begins', () => {
  it.each([
    { call: 'open', before: false },
    { call: 'add', before: false },
    { call: 'probe-retired', before: true },
    { call: 'revisit', before: true },
  ] as const)('at $call is waited for, and told while it lasts', async ({ call, before }) => {
    const { report, paused, pausedBy, tookMs } = await crawled(
      { calls: [call], forMs: 10 * MINUTE },
      { before, ...(call === 'revisit' && { recrawl: EVERY, maxTimeMs: 60 * MINUTE }) },
    )

    expect(paused).toEqual([
      'the store cannot be used (AVO_FRONTIER_FULL): expected room for the store, got none; free some space; it is tried again until it can',
    ])
    expect(pausedBy).toEqual(['store'])
    expect(report.error).toBeUndefined()
    expect(report.counts.done).toBe(6)
    expect(report.problems).toContainEqual({
      message: 'the store was temporarily unusable (AVO_FRONTIER_FULL); the crawl waited for it',
      count: 1,
    })
    expect(tookMs).toBeGreaterThan(10 * MINUTE)
  })

  it('keeps the crawl from beginning once the patience with it is over', async () => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const frontier = failing(clock, memoryFrontier(), { calls: ['open'], forMs: MINUTE })

    await expect(run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier, storePatienceMs: 8 * SECOND })).rejects.toMatchObject({
      code: 'AVO_FRONTIER_FULL',
    })
    expect(clock.now() - startedAt).toBe(8 * SECOND)
    expect(clock.scheduled).toBe(0)
  })

  it.each([
    ['stop', 'stopped', {}, 20 * SECOND],
    ['the time limit', 'limit', { maxTimeMs: 20 * SECOND }, 0],
  ] as const)('is waited for no longer after %s: the run is %s, and has not failed', async (_what, how, limits, stopAt) => {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const frontier = failing(clock, memoryFrontier(), { calls: ['open'], forMs: Infinity })
    const ended = run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier, ...limits }, (made) => {
      if (stopAt > 0) clock.at(startedAt + stopAt, () => made.stop())
    })

    const { report } = await ended
    expect(report).toMatchObject({ ended: how, counts: { known: 0 } })
    expect(report.error).toBeUndefined()
    expect(report.problems).toContainEqual({
      message: 'the crawl had not begun: expected room for the store, got none; free some space',
      count: 1,
    })
    expect(clock.now() - startedAt).toBe(20 * SECOND)
    expect(clock.scheduled).toBe(0)
  })

  it.each(['AVO_FRONTIER_BUSY', 'AVO_FRONTIER_IO'] as const)('is one of the faults that may pass, like %s', async (code) => {
    const { report } = await crawled({ calls: ['open'], code, forMs: MINUTE })

    expect(report).toMatchObject({ ended: 'done', counts: { done: 6 } })
  })

  it.each(['AVO_FRONTIER_FOREIGN', 'AVO_FRONTIER_VERSION', 'AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_UNUSABLE'] as const)(
    'is none of those that cannot pass, such as %s: they end it at once',
    async (code) => {
      const clock = new VirtualClock()
      const startedAt = clock.now()
      const frontier = failing(clock, memoryFrontier(), { calls: ['open'], code, forMs: MINUTE })

      await expect(run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier })).rejects.toMatchObject({ code })
      expect(clock.now()).toBe(startedAt)
    },
  )
})

describe('a store that cannot be used when hosts are given back at the end', () => {
  const atTheEnd = (forMs: number, config: Partial<CrawlConfig> & { stopAt?: number } = {}): Promise<Watched> =>
    crawled({ calls: ['release'], forMs }, { maxPages: 2, ...config })

  it('is waited for within the drain', async () => {
    const { report } = await atTheEnd(20 * SECOND)

    expect(report).toMatchObject({ ended: 'limit', run: { pages: 2 } })
    expect(report.error).toBeUndefined()
  })

  it('is not waited for longer than that', async () => {
    const { report, tookMs } = await atTheEnd(Infinity, { drainMs: 10 * SECOND })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' } })
    expect(tookMs).toBeLessThan(15 * SECOND)
  })
})

describe('a store that cannot be read when the report is written', () => {
  /** A crawl whose store fails its readers with `code` for `forMs` from the last page on. */
  async function reported(code: FatalCode, forMs: number, config: Partial<CrawlConfig> = {}) {
    const clock = new VirtualClock()
    const startedAt = clock.now()
    const store = memoryFrontier()
    let until = 0
    const counts = async () => {
      if (clock.now() < until) throw new AvocetError(code, 'the disk does not answer')
      return store.reader.counts()
    }
    const frontier = { ...store, reader: { ...store.reader, counts } }
    const { report } = await run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier, ...config }, (made) =>
      made.hooks.onSettled.tap('test', () => void (until = clock.now() + forMs)),
    )
    return { report, tookMs: clock.now() - startedAt }
  }

  it('for five seconds is waited for: the run has the ending that it has', async () => {
    const { report } = await reported('AVO_FRONTIER_IO', 5 * SECOND)

    expect(report).toMatchObject({ ended: 'done', counts: { known: 6, done: 6, hosts: 2 } })
    expect(report.error).toBeUndefined()
  })

  it('for longer than the drain costs the totals of the report, and not the ending', async () => {
    const { report, tookMs } = await reported('AVO_FRONTIER_IO', Infinity, { drainMs: 10 * SECOND })

    expect(report).toMatchObject({ ended: 'done', counts: { known: 6, done: 6, hosts: 0 } })
    expect(report.error).toBeUndefined()
    expect(report.problems).toContainEqual({
      message:
        'the store cannot be read, so the totals of this report are as of the last commit of this run: the disk does not answer',
      count: 1,
    })
    expect(tookMs).toBeLessThan(20 * SECOND)
  })

  it('ever again is the error of the run', async () => {
    const { report } = await reported('AVO_FRONTIER_CORRUPT', Infinity)

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_CORRUPT' } })
  })
})

describe('a crawl that does not get to begin', () => {
  /** A crawl whose `frontier` and plugins are watched as they open and close. */
  async function opening(calls: readonly Call[], { stopAt, ...config }: Partial<CrawlConfig> & { stopAt?: number } = {}) {
    const clock = new VirtualClock()
    const store = memoryFrontier()
    if (calls.includes('probe-retired')) {
      await run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier: store })
      await store.close()
    }
    const startedAt = clock.now()
    const log: string[] = []
    const plugin = (name: string) =>
      definePlugin({
        name,
        open: () => void log.push(`${name} opens`),
        close: ({ ended }) => void log.push(`${name} closes: ${ended}`),
      })
    const web = scriptedWeb(clock, SCRIPT)
    const made = crawl({
      policies: [],
      spider: pathSpider(SEEDS),
      clock,
      frontier: failing(clock, store, { calls, forMs: Infinity }),
      fetcher: { ...web, close: async () => void log.push('fetcher closes') },
      ...config,
      plugins: [plugin('first'), ...(config.plugins ?? []), plugin('last')],
    })
    if (stopAt !== undefined) clock.at(startedAt + stopAt, () => made.stop())
    const report = await clock.run(() => made.run()).catch((error: AvocetError) => error)
    const { phase } = made.status()
    return { report, log, phase, tookMs: clock.now() - startedAt, scheduled: clock.scheduled }
  }

  it.each(['add', 'probe-retired'] as const)(
    'because it is stopped while %s waits for the store is stopped, and closed',
    async (call) => {
      const { report, log, phase, tookMs, scheduled } = await opening([call], { stopAt: 20 * SECOND })

      expect(report).toMatchObject({ ended: 'stopped', why: 'asked to stop' })
      expect(log).toEqual(['first opens', 'last opens', 'fetcher closes', 'first closes: stopped', 'last closes: stopped'])
      expect({ phase, tookMs, scheduled }).toEqual({ phase: 'closed', tookMs: 20 * SECOND, scheduled: 0 })
    },
  )

  it('because its time is up while the store is waited for has the ending limit', async () => {
    const { report, log } = await opening(['add'], { maxTimeMs: 20 * SECOND })

    expect(report).toMatchObject({ ended: 'limit', why: 'the time is up' })
    expect(log.at(-1)).toBe('last closes: limit')
  })

  it('because a plugin cannot open rejects, with those closed that had opened', async () => {
    const broken = definePlugin({
      name: 'broken',
      open() {
        throw new Error('no key')
      },
      close: () => expect.fail('it was never open'),
    })
    const { report, log } = await opening([], { plugins: [broken] })

    expect(report).toMatchObject({ code: 'AVO_PLUGIN_OPEN' })
    expect(log).toEqual(['first opens', 'fetcher closes', 'first closes: failed'])
  })

  it('because the patience with the store is over rejects, with everything closed', async () => {
    const { report, log, phase, scheduled } = await opening(['add'], { storePatienceMs: 8 * SECOND })

    expect(report).toMatchObject({ code: 'AVO_FRONTIER_FULL' })
    expect(log).toEqual(['first opens', 'last opens', 'fetcher closes', 'first closes: failed', 'last closes: failed'])
    expect({ phase, scheduled }).toEqual({ phase: 'closed', scheduled: 0 })
  })

  it('because the store cannot be opened closes what it would have fetched with, and no plugin', async () => {
    const { report, log } = await opening(['open'], { storePatienceMs: 8 * SECOND })

    expect(report).toMatchObject({ code: 'AVO_FRONTIER_FULL' })
    expect(log).toEqual(['fetcher closes'])
  })
})
