// A false closing is worse than a slow trap: of large healthy sites not one page is refused, whatever a crawl yields, resumes, repeats or shares.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFrontier, type CrawlReport } from 'avocet'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { HEALTHY_SEEDS, HEALTHY_SITES, writeHealthy } from './healthy-sites.ts'
import { crawlWritten, followAll, type WrittenRun } from '../written-web.ts'

const NAMES = Object.keys(HEALTHY_SITES)
const ALL = Object.values(HEALTHY_SITES).reduce((sum, { pages }) => sum + pages, 0)
const WHOLE = Object.fromEntries(Object.entries(HEALTHY_SITES).map(([name, { pages }]) => [name, pages]))

/** Pages that were asked for, of each site. */
const pagesOf = (run: WrittenRun): object => Object.fromEntries(NAMES.map((name) => [name, run.pagesOf(`${name}.test`)]))
const refusedIn = ({ closedPatterns, failures }: CrawlReport): unknown[] => [...closedPatterns, ...failures]

const YIELDS: Readonly<Record<string, (url: URL) => object | undefined>> = {
  'yields no items': () => undefined,
  'yields an item of every page': (url) => ({ url: url.href, fetchedAt: new Date(0).toISOString() }),
  'yields items of one site alone': (url) => (url.hostname === 'shop.test' ? { product: url.pathname } : undefined),
}

describe('large healthy sites', () => {
  it.each(Object.entries(YIELDS))('are crawled whole by a crawl that %s', { timeout: 120_000 }, async (_what, itemOf) => {
    const run = await crawlWritten(writeHealthy, { spider: followAll(HEALTHY_SEEDS, itemOf) })

    expect(pagesOf(run)).toEqual(WHOLE)
    expect(refusedIn(run.report)).toEqual([])
    expect(run.report.ended).toBe('done')
  })

  it('are crawled whole by a crawl that is stopped and resumed', { timeout: 120_000 }, async () => {
    const frontier = memoryFrontier()
    let asked = 0
    const seen: unknown[] = []
    for (let ended = ''; ended !== 'done';) {
      const run = await crawlWritten(writeHealthy, { frontier, spider: followAll(HEALTHY_SEEDS), maxPages: 3_001 })
      asked += NAMES.reduce((sum, name) => sum + run.pagesOf(`${name}.test`), 0)
      seen.push(...refusedIn(run.report))
      ended = run.report.ended
      await frontier.close()
    }

    expect(asked).toBe(ALL)
    expect(seen).toEqual([])
  })

  it('are crawled whole each hour by a crawl that visits them again', { timeout: 180_000 }, async () => {
    const few = ['gallery', 'lists', 'folders']
    const spider = followAll(HEALTHY_SEEDS.filter((seed) => few.includes(new URL(seed).hostname.replace('.test', ''))))
    const run = await crawlWritten(writeHealthy, { spider, recrawl: [{ everyMs: 3_600_000 }], maxTimeMs: 2.5 * 3_600_000 })

    for (const name of few) expect(run.pagesOf(`${name}.test`)).toBe(3 * (HEALTHY_SITES[name]?.pages ?? 0))
    expect(refusedIn(run.report)).toEqual([])
  })

  it('are crawled whole by three processes on one store', { timeout: 120_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'avocet-healthy-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const clock = new VirtualClock()
    const runs = await clock.run(
      Promise.all(
        [1, 2, 3].map(() =>
          crawlWritten(writeHealthy, {
            clock,
            spider: followAll(HEALTHY_SEEDS),
            frontier: sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' }),
          }),
        ),
      ),
    )

    const asked = runs.reduce((sum, run) => sum + NAMES.reduce((each, name) => each + run.pagesOf(`${name}.test`), 0), 0)
    expect(asked).toBe(ALL)
    expect(runs.flatMap(({ report }) => refusedIn(report))).toEqual([])
  })
})
