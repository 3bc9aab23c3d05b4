// A store that cannot be used for a time: the crawl waits, says why, and nothing is lost or doubled. On virtual time.
import { AvocetError, link, memoryFrontier, type CrawlConfig } from 'avocet'
import type { FatalCode, Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from './harness.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const FROM = 900

type Call = 'commit' | 'lease' | 'refill' | 'release' | 'renew' | 'retire'
const CALLS: readonly Call[] = ['commit', 'lease', 'refill', 'release', 'renew', 'retire']

/** A shop of forty pages, one of three that is given back early, and one that never answers and is given up. */
const SEEDS = [
  ...Array.from({ length: 40 }, (_, n) => `http://shop.test/${n}`),
  ...Array.from({ length: 3 }, (_, n) => `http://small.test/${n}`),
  ...Array.from({ length: 4 }, (_, n) => `http://dead.test/${n}`),
]
const SCRIPT = Object.fromEntries(
  SEEDS.map((url) => [url, url.includes('dead') ? { fails: 'AVO_CONNECT_REFUSED' as const } : { body: 'ok' }]),
)

/** A frontier whose `calls` fail with `code` from 0.9 s on, for `forMs`. As of a store that several processes share. */
function faulty(
  clock: VirtualClock,
  calls: readonly Call[],
  { code = 'AVO_FRONTIER_FULL', forMs }: { code?: FatalCode; forMs: number },
) {
  const frontier: Frontier = memoryFrontier()
  const startedAt = clock.now()
  for (const name of calls) {
    const original = frontier[name].bind(frontier) as (...args: readonly unknown[]) => Promise<never>
    frontier[name] = async (...args: readonly unknown[]) => {
      const sinceMs = clock.now() - startedAt
      if (sinceMs >= FROM && sinceMs < FROM + forMs)
        throw new AvocetError(code, 'expected room for the store, got none; free some space')
      return original(...args)
    }
  }
  return { ...frontier, sharing: { news: async () => [], changedElsewhere: () => false, share: () => undefined } }
}

interface Watched extends Ran {
  readonly tookMs: number
  /** Why it was paused, each once. */
  readonly paused: readonly string[]
  /** The most that was ever in flight, in handlers or not committed. */
  readonly mostWaiting: number
}

async function crawled(
  calls: readonly Call[],
  fault: { code?: FatalCode; forMs: number },
  { stopAt, ...config }: Partial<CrawlConfig> & { stopAt?: number } = {},
): Promise<Watched> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const paused = new Set<string>()
  const frontier = faulty(clock, calls, fault)
  let mostWaiting = 0
  const ran = await run(SCRIPT, { spider: pathSpider(SEEDS), clock, frontier, delayMs: 500, ...config }, (made) => {
    const look = (): void => {
      const { pausedFor, phase, run: counts, settled } = made.status()
      if (pausedFor !== undefined) paused.add(pausedFor)
      mostWaiting = Math.max(mostWaiting, counts.pages - settled)
      if (phase !== 'closed') clock.at(clock.now() + SECOND, look)
    }
    clock.at(startedAt, look)
    if (stopAt !== undefined) clock.at(startedAt + stopAt, () => made.stop())
  })
  return { ...ran, tookMs: ran.report.endedAt - startedAt, paused: [...paused], mostWaiting }
}

describe('a disk that is full for ten minutes', () => {
  it.each([...CALLS.map((call) => ({ where: call, calls: [call] })), { where: 'every call', calls: CALLS }])(
    'at $where costs time only: no page, no item, no host',
    async ({ calls }) => {
      const { report, items, seen, mostWaiting } = await crawled(calls, { forMs: 10 * MINUTE })

      expect(report).toMatchObject({ ended: 'given-up', run: { pages: 43, items: 43 } })
      expect(items).toHaveLength(43)
      expect(seen.length).toBeLessThanOrEqual(43 + 4)
      expect(report.retiredHosts.map(({ hostKey }) => hostKey)).toEqual(['dead.test'])
      expect(mostWaiting).toBeLessThan(20)
    },
  )

  it.each([['commit'], ['refill'], ['release'], ['renew'], ['retire']] as const)(
    'at %s is said in the status while it lasts, and once in the report',
    async (call) => {
      const { report, paused, tookMs } = await crawled([call], { forMs: 10 * MINUTE })

      expect(paused).toEqual([
        'the store cannot be used (AVO_FRONTIER_FULL): expected room for the store, got none; free some space; it is tried again until it can',
      ])
      expect(report.problems).toEqual([
        { message: 'the store was temporarily unusable (AVO_FRONTIER_FULL); the crawl waited for it', count: 1 },
      ])
      expect(tookMs).toBeGreaterThan(10 * MINUTE)
      expect(tookMs).toBeLessThan(12 * MINUTE)
    },
  )

  it('is not the end of a crawl whose patience with the store is longer, and is of one whose is shorter', async () => {
    const patient = await crawled(['commit'], { forMs: 10 * MINUTE }, { storePatienceMs: 20 * MINUTE })
    const hasty = await crawled(['commit'], { forMs: 10 * MINUTE }, { storePatienceMs: 5 * MINUTE })

    expect(patient.report.ended).toBe('given-up')
    expect(hasty.report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' } })
    expect(hasty.tookMs).toBeGreaterThan(5 * MINUTE)
    expect(hasty.tookMs).toBeLessThan(6 * MINUTE)
    expect(hasty.items).toHaveLength(hasty.report.counts.done)
    expect(hasty.report.counts.waiting + hasty.report.counts.done + hasty.report.counts.failed).toBe(47)
  })

  it('ends the crawl at once where there is no patience', async () => {
    const { report, tookMs } = await crawled(['commit'], { forMs: 10 * MINUTE }, { storePatienceMs: 0 })

    expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' } })
    expect(tookMs).toBeLessThan(2 * SECOND)
  })
})

describe('a crawl that is stopped while its disk is full', () => {
  it.each(CALLS.filter((call) => call !== 'lease'))(
    'at %s ends within its drain, with the error and what was committed whole',
    async (call) => {
      const { report, items, tookMs } = await crawled([call], { forMs: Infinity }, { stopAt: 30 * SECOND })

      expect(report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' } })
      expect(tookMs).toBeLessThan(30 * SECOND + 30 * SECOND + SECOND)
      expect(items).toHaveLength(report.counts.done)
      expect(report.counts.waiting + report.counts.done + report.counts.failed).toBe(47)
    },
  )

  it('ends as stopped when there is room again within the drain', async () => {
    const { report } = await crawled(['commit'], { forMs: 40 * SECOND }, { stopAt: 30 * SECOND })

    expect(report).toMatchObject({ ended: 'stopped' })
  })
})

describe('a fault of the store', () => {
  it.each(['AVO_FRONTIER_BUSY', 'AVO_FRONTIER_IO'] as const)(
    'that may pass (%s) is waited for like a full disk',
    async (code) => {
      const { report } = await crawled(['commit', 'refill', 'release'], { code, forMs: MINUTE })

      expect(report).toMatchObject({ ended: 'given-up', run: { pages: 43 } })
    },
  )

  it.each(['AVO_FRONTIER_CORRUPT', 'AVO_FRONTIER_CLOSED', 'AVO_FRONTIER_UNUSABLE', 'AVO_INTERNAL'] as const)(
    'that cannot pass (%s) ends the crawl at once',
    async (code) => {
      const { report, tookMs } = await crawled(['commit'], { code, forMs: MINUTE })

      expect(report).toMatchObject({ ended: 'failed', error: { code } })
      expect(tookMs).toBeLessThan(2 * SECOND)
    },
  )

  it('when it is to note which pages are in progress costs a suspicion, not the page', async () => {
    const frontier = memoryFrontier()
    frontier.inProgress = () => {
      throw new AvocetError('AVO_FRONTIER_FULL', 'no room')
    }
    const { report } = await run(SCRIPT, { spider: pathSpider(SEEDS.slice(0, 3)), frontier })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 3 } })
    expect(report.problems).toEqual([])
  })

  it('when it is asked whether others changed it is left to the renewal that follows', async () => {
    const clock = new VirtualClock()
    const changedElsewhere = (): never => {
      throw new AvocetError('AVO_FRONTIER_IO', 'the disk failed')
    }
    const sharing = { news: async () => [], changedElsewhere, share: () => undefined }
    const frontier = { ...faulty(clock, [], { forMs: 0 }), sharing }
    const { report } = await run(SCRIPT, { spider: pathSpider(SEEDS.slice(0, 3)), frontier, clock })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 3 } })
  })

  it('keeps the order of what waits for it: links of a page that waited are known before its host is given back', async () => {
    const clock = new VirtualClock()
    const frontier = faulty(clock, ['commit', 'release'], { forMs: MINUTE })
    const spider = pathSpider(['http://shop.test/0'], {
      handlers: {
        *start(page) {
          yield { path: page.url.pathname }
          const next = Number(page.url.pathname.slice(1)) + 1
          if (next < 10) yield link(`/${next}`)
        },
      },
    })
    const { items } = await run(SCRIPT, { spider, frontier, clock })

    expect(items).toHaveLength(10)
  })
})
