// A host that joined the scope by a seed's redirect belongs to the crawl in every process of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl } from 'avocet'
import { sleepUntil } from '@avocet/core/store'
import { sqlite } from '@avocet/plugin-sqlite'
import { VirtualClock } from '@avocet/simulator'
import { describe, expect, it, onTestFinished } from 'vitest'
import { pathSpider } from './harness.ts'
import { scriptedWeb, type Answer } from './scripted-web.ts'

const PAGES = 50
const SHOP = 'https://www.shop.com'

/** shop.com redirects to www.shop.com, of which page n links to page n + 1. */
function shop(): Record<string, Answer> {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  const web: Record<string, Answer> = { 'http://shop.com/': { status: 301, headers: { location: `${SHOP}/1` } } }
  for (let n = 1; n <= PAGES; n++) web[`${SHOP}/${n}`] = { headers, body: n < PAGES ? `<a href="/${n + 1}">on</a>` : '' }
  return web
}

/** Crawls on one store, each from and until a moment (ms); resolves with the number of pages that are done. */
async function pagesOf(spans: readonly (readonly [fromMs: number, untilMs: number, seed?: string])[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-joined-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const startedAt = clock.now()
  let done = 0
  const runs = spans.map(async ([fromMs, untilMs, seed = 'http://shop.com/']) => {
    await sleepUntil(clock, startedAt + fromMs)
    const frontier = sqlite(join(folder, 'store.db'), { clock, synchronous: 'normal' })
    const spider = pathSpider([seed], { handlers: { start: (page) => page.links() } })
    const fetcher = scriptedWeb(clock, shop())
    const made = crawl({
      policies: [],
      spider,
      frontier,
      clock,
      fetcher,
      maxTimeMs: untilMs - fromMs,
      drainMs: 0,
      randomSeed: 'joined',
    })
    await made.run()
    done = (await frontier.reader.counts()).done
    await frontier.close()
  })
  await clock.run(Promise.all(runs))
  return done
}

describe('a host that a seed redirects to', () => {
  it('is crawled by the process that takes it over from the one that followed the redirect', async () => {
    const done = await pagesOf([
      [0, 5_000],
      [0, 600_000],
    ])

    expect(done).toBe(PAGES)
  })

  it('is of the crawl again after a run that had other seeds', async () => {
    const done = await pagesOf([
      [0, 5_000],
      [10_000, 10_001, 'http://other.test/'],
      [30_000, 600_000],
    ])

    expect(done).toBe(PAGES)
  })

  it('is crawled by all three processes that have it in turn', async () => {
    const done = await pagesOf([
      [0, 5_000],
      [0, 20_000],
      [0, 600_000],
    ])

    expect(done).toBe(PAGES)
  })
})
