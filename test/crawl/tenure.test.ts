// A crawl whose store is on another machine, on virtual time: it sends nothing once its hosts may be another one's.
import { crawl, type CrawlReport } from 'avocet'
import { sleepUntil, type Fetcher } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { farStore, type FarStore } from './far-store.ts'
import { wideSpider, wideWeb } from './links/wide-web.ts'

const HOSTS = Array.from({ length: 12 }, (_, n) => `h${n}.test`)
const PAGES = 40
const SECOND = 1_000

interface Sent {
  readonly host: string
  /** Ms since the crawl began. */
  readonly at: number
  /** It was leased since the process last signed in. */
  readonly isOwn: boolean
}

interface Story {
  readonly clock: VirtualClock
  readonly store: FarStore
  readonly startedAt: number
}

/** Runs a crawl of twelve hosts with forty pages each; what happens meanwhile is the test's. */
async function run(
  meanwhile: (story: Story) => Promise<void>,
  {
    rest,
    ...config
  }: { rest?: Parameters<typeof farStore>[1]; handlers?: Parameters<typeof wideSpider>[1]; concurrency?: number } = {},
): Promise<{ sent: Sent[]; aborted: number[]; report: CrawlReport; left: { done: number; waiting: number } }> {
  const clock = new VirtualClock()
  const store = farStore(clock, rest)
  const startedAt = clock.now()
  const sent: Sent[] = []
  const aborted: number[] = []
  const web = wideWeb(clock, () => ({ latencyMs: 700 }))
  const fetcher: Fetcher = {
    ...web,
    fetch(outbound, receiver) {
      const host = new URL(outbound.url).hostname
      sent.push({ host, at: clock.now() - startedAt, isOwn: store.leased.has(host) })
      const abort = web.fetch(outbound, receiver)
      return () => {
        aborted.push(clock.now() - startedAt)
        abort()
      }
    },
  }
  const { concurrency = 16, handlers = {} } = config
  const spider = wideSpider(HOSTS, { pages: PAGES, ...handlers })
  const made = crawl({ policies: [], spider, frontier: store.frontier, concurrency, clock, fetcher, randomSeed: 'far' })
  const [report] = await clock.run(Promise.all([made.run(), meanwhile({ clock, store, startedAt })]))
  const { done, waiting } = await store.frontier.reader.counts()
  return { sent, aborted, report, left: { done, waiting } }
}

function shortestGapMs(sent: readonly Sent[]): number {
  const gaps = HOSTS.flatMap((host) => {
    const moments = sent.filter((one) => one.host === host).map(({ at }) => at)
    return moments.slice(1).map((at, index) => at - (moments[index] ?? 0))
  })
  return Math.min(...gaps)
}

describe('a process whose store is on another machine', () => {
  it('sends nothing from the moment on at which others may have its hosts, and goes on with what it leases anew', async () => {
    const { sent, aborted, report, left } = await run(async ({ clock, store, startedAt }) => {
      store.holdUntil(startedAt + 20 * SECOND)
      await sleepUntil(clock, startedAt + 60 * SECOND)
      await store.signInAnew()
    })

    expect(sent.filter(({ at }) => at >= 20 * SECOND && at < 60 * SECOND)).toEqual([])
    expect(sent.filter(({ at }) => at < 20 * SECOND).length).toBeGreaterThan(12 * 10)
    expect(new Set(aborted)).toEqual(new Set([20 * SECOND]))
    expect(sent.filter(({ at, isOwn }) => at >= 60 * SECOND && !isOwn)).toEqual([])
    expect(report.ended).toBe('done')
    expect(left).toEqual({ done: 12 * PAGES, waiting: 0 })
    expect(shortestGapMs(sent)).toBeGreaterThanOrEqual(SECOND)
  })

  it('goes on with what it leases anew where it signed in again before any timer could tell', async () => {
    const { sent, report, left } = await run(async ({ clock, store, startedAt }) => {
      // Some hosts have answered, and are asked again half a second later, before the next beat.
      await sleepUntil(clock, startedAt + 17 * SECOND)
      await store.signInAnew(5 * SECOND)
    })

    expect(sent.filter(({ at }) => at >= 17 * SECOND && at < 22 * SECOND)).toEqual([])
    expect(sent.filter(({ at, isOwn }) => at >= 17 * SECOND && !isOwn)).toEqual([])
    expect(report.ended).toBe('done')
    expect(left).toEqual({ done: 12 * PAGES, waiting: 0 })
    expect(shortestGapMs(sent)).toBeGreaterThanOrEqual(SECOND)
  })

  it('writes nothing on connections that are there only once its hosts may be another one’s', async () => {
    const clock = new VirtualClock()
    const store = farStore(clock)
    const written: number[] = []
    let begun = 0
    const web = wideWeb(clock, () => ({ latencyMs: 700 }))
    const fetcher: Fetcher = {
      ...web,
      fetch(_outbound, receiver) {
        begun++
        let isAborted = false
        clock.at(clock.now() + 500, () => {
          // The process was stopped, and hears of its connection before its timers.
          store.holdUntil(clock.now())
          if (isAborted) return
          receiver.sent()
          if (!isAborted) written.push(clock.now())
        })
        return () => (isAborted = true)
      },
    }
    const spider = wideSpider(HOSTS)
    const made = crawl({ policies: [], spider, frontier: store.frontier, clock, fetcher, maxTimeMs: 30 * SECOND, drainMs: 0 })

    await clock.run(made.run())

    expect(begun).toBeGreaterThan(0)
    expect(written).toEqual([])
  })

  it('takes nothing that was leased before it signed in anew, and came after', async () => {
    let store: FarStore | undefined
    let isFirst = true
    const { sent, report, left } = await run(
      async (story) => {
        store = story.store
      },
      {
        rest: (inner) => ({
          async lease(want) {
            const result = await inner.lease(want)
            // Its hosts are buried while the answer is on its way.
            if (isFirst) await store?.signInAnew()
            isFirst = false
            return result
          },
        }),
      },
    )

    expect(sent.filter(({ isOwn }) => !isOwn)).toEqual([])
    expect(report.ended).toBe('done')
    expect(left).toEqual({ done: 12 * PAGES, waiting: 0 })
  })

  it('gives back what it leased in the very call in which it signed in anew, so that it can lease that again', async () => {
    let store: FarStore | undefined
    let isFirst = true
    const { report, left } = await run(
      async (story) => {
        store = story.store
      },
      {
        rest: (inner) => ({
          async lease(want) {
            if (isFirst) store?.signInWithNothing()
            isFirst = store === undefined
            return inner.lease(want)
          },
        }),
      },
    )

    expect(isFirst).toBe(false)
    expect(report.ended).toBe('done')
    expect(left).toEqual({ done: 12 * PAGES, waiting: 0 })
  })

  it('handles a page that the store has to know of first once the store knows', async () => {
    const told: number[] = []
    const { report, left } = await run(() => Promise.resolve(), {
      rest: (inner) => ({
        async inProgress(ids) {
          await inner.inProgress(ids)
          told.push(ids.length)
          await Promise.resolve()
        },
      }),
    })

    expect(told.length).toBeGreaterThanOrEqual(12 * PAGES)
    expect(report.ended).toBe('done')
    expect(left).toEqual({ done: 12 * PAGES, waiting: 0 })
  })
})
