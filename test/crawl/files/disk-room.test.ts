// A disk that runs full pauses discovery before it pauses the crawl: what is known goes on, what would lead to more waits, and nothing is lost.
import { AvocetError, memoryFrontier, type Crawl, type CrawlReport } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'
import { crawlWritten, followAll, type Writer, type WrittenRun } from '../written-web.ts'

const HOST = 'archive.test'
const HOUR_MS = 3_600_000

/** A page that links to 300 others, of which every tenth links to two more. */
const archive: Writer = ({ pathname }) => {
  const links = pathname === '/' ? 300 : /^\/\d*0$/.test(pathname) ? 2 : 0
  return `<p>page of ${pathname} it is</p>${Array.from({ length: links }, (_, k) => `<a href="${pathname === '/' ? '' : pathname}/${k}">a</a>`).join('')}`
}
const PAGES = 1 + 300 + 2 * 30

/** A run with so many bytes on the disk at each moment. */
function crawlOn(
  freeBytesAt: (sinceMs: number) => number,
  rest: { frontier?: Frontier; patienceMs?: number; minFreeBytes?: number } = {},
): Promise<WrittenRun> {
  const { frontier = memoryFrontier(), patienceMs = 30 * 24 * HOUR_MS, minFreeBytes } = rest
  let clock: VirtualClock | undefined
  let startedAt = 0
  return crawlWritten(
    archive,
    {
      frontier: { ...frontier, freeBytes: () => freeBytesAt((clock?.now() ?? 0) - startedAt) },
      spider: followAll([`http://${HOST}/`], (url) => ({ path: url.pathname })),
      delayMs: 1_000,
      patienceMs,
      ...(minFreeBytes !== undefined && { discoveryLimits: { minFreeBytes } }),
    },
    (_made: Crawl, of) => {
      clock = of
      startedAt = of.now()
    },
  )
}

const GIB = 2 ** 30
const problemsOf = ({ problems }: CrawlReport): string => problems.map(({ message }) => message).join()

describe('a run on a disk that is low', () => {
  const low = (rest: Partial<Frontier> = {}): Frontier => ({ ...memoryFrontier(), ...rest, freeBytes: () => 0 })
  const nothing: Writer = () => undefined

  it('leaves no timer behind when it ends', async () => {
    const clock = new VirtualClock()
    const config = { clock, frontier: low(), spider: followAll([`http://${HOST}/`]), patienceMs: 60_000 }
    await clock.run(() => crawlWritten(archive, config))

    expect(clock.scheduled).toBe(0)
  })

  it('leaves none behind when it cannot begin', async () => {
    const clock = new VirtualClock()
    const add = (): Promise<never> => Promise.reject(new AvocetError('AVO_FRONTIER_CORRUPT', 'the store is damaged'))
    const store = memoryFrontier()
    const frontier = low({ ...store, add, open: async (...of) => ({ ...(await store.open(...of)), resumed: true }) })
    const crawled = clock.run(() => crawlWritten(nothing, { clock, frontier, spider: followAll([`http://${HOST}/`]) }))

    await expect(crawled).rejects.toThrow('the store is damaged')
    expect(clock.scheduled).toBe(0)
  })
})

describe('a disk with less than minFreeBytes left', () => {
  it('pauses discovery: pages that lead to nothing new are done, and those that do wait', async () => {
    const { report, pagesOf } = await crawlOn((ms) => (ms < 60_000 ? 2 * GIB : GIB - 1), { patienceMs: 60_000 })

    expect(report.ended).toBe('patience')
    expect(report.counts.waiting).toBeGreaterThan(10)
    expect(report.counts.waiting).toBeLessThan(31)
    expect(report.counts.done + report.counts.waiting).toBe(report.counts.known)
    expect(pagesOf(HOST)).toBeGreaterThan(270)
    expect(problemsOf(report)).toContain('less than 1024 MiB left (discoveryLimits.minFreeBytes)')
  })

  it('loses no link and doubles no item: when it has room again, all is crawled', async () => {
    const { report } = await crawlOn((ms) => (ms < 60_000 || ms > 5 * HOUR_MS ? 2 * GIB : 0))

    expect(report.ended).toBe('done')
    expect(report.counts).toMatchObject({ known: PAGES, done: PAGES, items: PAGES, waiting: 0 })
  })

  it('has what waits go on within a minute once it has room, however long it would have waited', async () => {
    const { report } = await crawlOn((ms) => (ms < 60_000 || ms > 3 * HOUR_MS ? 2 * GIB : 0))

    // One page a second: some thirty that waited, and the sixty that they lead to.
    expect(report.endedAt - report.startedAt).toBeLessThan(3 * HOUR_MS + 180_000)
    expect(report.counts).toMatchObject({ known: PAGES, done: PAGES, items: PAGES, waiting: 0 })
  })

  it('that hovers there is low until it has a tenth more: pages that wait are not requested at each turn of it', async () => {
    const hovering = (ms: number): number => GIB + (ms % 14_000 < 7_000 ? -1 : 0.09 * GIB)
    const { report, pagesOf } = await crawlOn((ms) => (ms < 60_000 ? 2 * GIB : hovering(ms)), { patienceMs: 60_000 })

    expect(report.counts.waiting).toBeGreaterThan(10)
    expect(pagesOf(HOST)).toBeLessThan(PAGES)
    expect(report.problems.find(({ message }) => message.includes('minFreeBytes'))).toMatchObject({ count: 1 })
  })

  it('asks the hosts of pages that wait only a few times meanwhile', async () => {
    const { pagesOf } = await crawlOn((ms) => (ms < 60_000 || ms > 96 * HOUR_MS ? 2 * GIB : 0))

    // Some thirty pages, each after 10, 20, 40, … minutes, and then every six hours.
    expect(pagesOf(HOST)).toBeLessThan(PAGES + 31 * 24)
  })

  it('that has room in the next run loses nothing either', async () => {
    const frontier = memoryFrontier()
    const first = await crawlOn((ms) => (ms < 60_000 ? 2 * GIB : 0), { frontier, patienceMs: 60_000 })
    await frontier.close()
    // What waits for the disk would be due in hours only: who starts a run after making room does not wait for that.
    const second = await crawlOn(() => 2 * GIB, { frontier, patienceMs: 60_000 })

    expect(first.report.counts.known).toBeLessThan(PAGES)
    expect(second.report.counts).toMatchObject({ known: PAGES, done: PAGES, items: PAGES, waiting: 0 })
  })

  it('is whatever the user says', async () => {
    const none = await crawlOn(() => 0, { minFreeBytes: 0 })
    const more = await crawlOn(() => 2 * GIB, { minFreeBytes: 3 * GIB, patienceMs: 60_000 })

    expect(none.report.counts.done).toBe(PAGES)
    expect(more.report.counts).toMatchObject({ known: 1, waiting: 1 })
  })
})
