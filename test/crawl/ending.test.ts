// How crawls end: done, out of patience, at a limit, stopped; and that nothing is lost by any of it.
import { memoryFrontier, type Spider } from 'avocet'
import { describe, expect, it } from 'vitest'
import { pathSpider, run } from './harness.ts'

const HOST = 'http://shop.test'
const seeds = (n: number): string[] => Array.from({ length: n }, (_, i) => `${HOST}/${i + 1}`)
const pages = (n: number, answer = {}): Record<string, object> =>
  Object.fromEntries(seeds(n).map((url) => [url, { body: 'ok', ...answer }]))

describe('a crawl', () => {
  it('is done when nothing is waiting', async () => {
    const { report } = await run(pages(3), { spider: pathSpider(seeds(3)) })

    expect(report).toMatchObject({
      ended: 'done',
      why: 'nothing is waiting',
      counts: { known: 3, done: 3, waiting: 0, items: 3 },
    })
  })

  it('asks the frontier once more before it calls itself done', async () => {
    const frontier = memoryFrontier()
    const lease = frontier.lease.bind(frontier)
    let leases = 0
    frontier.lease = (want) => (++leases === 1 ? Promise.resolve({ leases: [], heldElsewhere: 0 }) : lease(want))
    const { report } = await run(pages(1), { spider: pathSpider(seeds(1)), frontier })

    expect(report).toMatchObject({ ended: 'done', run: { pages: 1 } })
  })

  it('ends when all that is left waits longer than its patience, and says where and why', async () => {
    const refusal = { status: 429, headers: { 'retry-after': '3600' } }
    const { report } = await run({ [`${HOST}/1`]: refusal }, { spider: pathSpider(seeds(1)), patienceMs: 60_000 })

    expect(report.ended).toBe('patience')
    expect(report.waitingHosts).toMatchObject([
      { hostKey: 'shop.test', waiting: 1, why: 'core: the host said until when to wait' },
    ])
    expect((report.waitingHosts[0]?.until ?? 0) - report.startedAt).toBeLessThanOrEqual(3_960_010)
    expect(report.endedAt - report.startedAt).toBeLessThan(60_000)
  })

  it('does exactly as many pages as it may', async () => {
    const { report, seen } = await run(pages(9), { spider: pathSpider(seeds(9)), maxPages: 4, maxPerHost: 3, delayMs: 0 })

    expect(report).toMatchObject({ ended: 'limit', run: { pages: 4 }, counts: { done: 4, waiting: 5 } })
    expect(seen).toHaveLength(4)
  })

  it('stops when its time is up, with what is in flight finished', async () => {
    const { report } = await run(pages(9, { afterMs: 400 }), { spider: pathSpider(seeds(9)), maxTimeMs: 2_100 })

    expect(report).toMatchObject({ ended: 'limit', why: 'the time is up', run: { pages: 3 } })
  })

  it('drains when stopped: what was sent is finished, what was not goes back', async () => {
    const { report, seen } = await run(
      pages(9, { afterMs: 400 }),
      { spider: pathSpider(seeds(9)), maxPerHost: 2, delayMs: 0 },
      (made, clock) => {
        clock.at(clock.now() + 500, () => made.stop())
      },
    )

    expect(report).toMatchObject({ ended: 'stopped', counts: { known: 9 } })
    expect(report.counts.done).toBe(seen.length)
  })

  it('does not wait for a drain longer than it should', async () => {
    const { report } = await run(
      pages(2, { afterMs: 60_000 }),
      { spider: pathSpider(seeds(2)), timeLimits: { firstByteMs: 120_000 }, drainMs: 5_000 },
      (made, clock) => {
        clock.at(clock.now() + 1_000, () => made.stop())
      },
    )

    expect(report.endedAt - report.startedAt).toBe(6_000)
    expect(report.counts).toMatchObject({ done: 0, waiting: 2 })
  })

  it('goes on where it stopped, and fetches nothing twice', async () => {
    const frontier = memoryFrontier()
    const first = await run(pages(6), { spider: pathSpider(seeds(6)), frontier, maxPages: 2 })
    const second = await run(pages(6), { spider: pathSpider(seeds(6)), frontier })

    expect(first.report.ended).toBe('limit')
    expect(second.report).toMatchObject({ ended: 'done', resumed: true, counts: { done: 6, items: 6 } })
    expect([...first.asked, ...second.asked].map((line) => line.split(' ')[1]).toSorted()).toEqual([
      '/1',
      '/2',
      '/3',
      '/4',
      '/5',
      '/6',
    ])
  })

  it('retires a host that never answered, after three probes', async () => {
    const { report, seen } = await run(pages(9, { fails: 'AVO_CONNECT_REFUSED' }), { spider: pathSpider(seeds(9)) })

    expect(seen).toHaveLength(3)
    expect(report).toMatchObject({
      ended: 'given-up',
      counts: { failed: 3, waiting: 6, retired: 6 },
      failures: [{ reason: 'connect-refused', count: 3 }],
    })
    expect(report.retiredHosts).toMatchObject([{ reason: 'never answered, 3 times in a row (last: connect-refused)' }])
  })

  it('counts attempts of which nothing was sent as failures, and not as requests', async () => {
    const { report } = await run(pages(9, { fails: 'AVO_CONNECT_REFUSED', unsent: true }), { spider: pathSpider(seeds(9)) })

    expect(report.run).toMatchObject({ requests: 0, failures: 3 })
  })

  it('refuses a seed that is no URL, before it does anything', async () => {
    await expect(run({}, { spider: pathSpider(['shop.test']) })).rejects.toMatchObject({ code: 'AVO_SEED_INVALID' })
  })

  it.each([
    { what: 'no name', spider: { seeds: [], handlers: {} }, code: 'AVO_SPIDER_INVALID' },
    { what: 'no seeds', spider: { name: 'x', seeds: [], handlers: { start: () => [] } }, code: 'AVO_SPIDER_INVALID' },
    {
      what: 'no start handler',
      spider: { name: 'x', seeds: ['http://a/'], handlers: { begin: () => [] } },
      code: 'AVO_SPIDER_INVALID',
    },
  ])('refuses a spider with $what', async ({ spider, code }) => {
    await expect(run({}, { spider: spider as unknown as Spider })).rejects.toMatchObject({ code })
  })
})
