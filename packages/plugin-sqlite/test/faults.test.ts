// A crawl whose real store cannot be written for a time: locked by another process, or full.
import type { CrawlConfig } from '@avocet/core'
import { systemClock } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import Database from 'better-sqlite3'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pathSpider, run, type Ran } from '../../../test/crawl/harness.ts'
import { audit } from './audit.ts'
import { temporaryFolder } from './stores.ts'

const MINUTE = 60_000
const URLS = Array.from({ length: 60 }, (_, n) => `http://shop-${n % 4}.test/${n}`)
const SCRIPT = Object.fromEntries(URLS.map((url) => [url, { body: 'x'.repeat(200) }]))

let folder: ReturnType<typeof temporaryFolder>
const place = (): string => join(folder.path, 'crawl.db')

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.dispose())

function crawled(config: Partial<CrawlConfig>, during?: Parameters<typeof run>[2]): Promise<Ran> {
  const spider = pathSpider(URLS, {
    handlers: {
      *start(page) {
        yield { path: page.url.pathname, filler: 'y'.repeat(4_000) }
      },
    },
  })
  return run(SCRIPT, { spider, ...config }, during)
}

describe('a crawl on a store that another process locks for ten minutes', () => {
  it('waits for it, and loses and doubles nothing', async () => {
    const clock = new VirtualClock()
    // The store waits a second of its own clock before it says that it is locked: here 5 ms.
    const frontier = sqlite(place(), { clock: systemClock({ scale: 200 }) })
    const paused = new Set<string | undefined>()
    const { report, items } = await crawled({ clock, frontier }, (made) => {
      clock.at(clock.now() + 2_500, () => {
        const other = new Database(place())
        other.exec('BEGIN IMMEDIATE')
        clock.at(clock.now() + 5 * MINUTE, () => paused.add(made.status().pausedFor))
        clock.at(clock.now() + 10 * MINUTE, () => {
          other.exec('COMMIT')
          other.close()
        })
      })
    })
    await frontier.close()

    expect([...paused]).toEqual([expect.stringContaining('the store cannot be used (AVO_FRONTIER_BUSY)')])
    expect(report).toMatchObject({ ended: 'done', counts: { done: 60, items: 60 } })
    expect(items).toHaveLength(60)
    expect(audit(place())).toEqual([])
  })
})

describe('a crawl on a store that is full', () => {
  it('waits, says so, loses nothing, and goes on in the same run once there is room', async () => {
    const clock = new VirtualClock()
    const frontier = sqlite(place(), { maxBytes: 200 * 16_384 })
    const paused = new Set<string | undefined>()
    const { report, items } = await crawled({ clock, frontier }, (made) => {
      const other = (sql: string): void => {
        using db = opened(place())
        db.exec(sql)
      }
      clock.at(clock.now() + 2_500, () => other('CREATE TABLE filler AS SELECT zeroblob(200 * 16384)'))
      clock.at(clock.now() + 10 * MINUTE, () => {
        paused.add(made.status().pausedFor)
        other('DROP TABLE filler')
      })
    })
    await frontier.close()

    expect([...paused]).toEqual([expect.stringContaining('the store cannot be used (AVO_FRONTIER_FULL)')])
    expect(report).toMatchObject({ ended: 'done', counts: { done: 60, items: 60 } })
    expect(report.problems.map(({ message }) => message).join()).toContain(
      'the store was temporarily unusable (AVO_FRONTIER_FULL)',
    )
    expect(new Set(items.map((item) => (item as { path: string }).path)).size).toBe(60)
    expect(audit(place())).toEqual([])
  })

  it('ends when its patience does, and goes on where it was once there is room', async () => {
    const small = sqlite(place(), { maxBytes: 50 * 16_384 })
    const full = await crawled({ frontier: small, storePatienceMs: 5 * MINUTE })
    await small.close().catch(() => {})
    const roomy = sqlite(place())
    const { report, items } = await crawled({ frontier: roomy })
    await roomy.close()

    expect(full.report).toMatchObject({ ended: 'failed', error: { code: 'AVO_FRONTIER_FULL' } })
    expect(full.report.counts.done).toBeGreaterThan(5)
    expect(full.items).toHaveLength(full.report.counts.done)
    expect(report).toMatchObject({ ended: 'done', counts: { done: 60, items: 60 } })
    expect(new Set(items.map((item) => (item as { path: string }).path)).size).toBe(60)
    expect(audit(place())).toEqual([])
  })
})

function opened(path: string): Database.Database & Disposable {
  const db = new Database(path)
  return Object.assign(db, { [Symbol.dispose]: () => db.close() })
}
