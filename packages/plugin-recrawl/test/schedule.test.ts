// When the schedule of a store is worked out anew: only if its rules are others than those that the store has seen.
import { crawl, memoryFrontier, spider, type CrawlConfig, type Scope } from 'avocet'
import type { Frontier, RequestQuery } from '@avocet/core/store'
import { simulatedWeb, siteModel, VirtualClock } from '@avocet/simulator'
import { describe, expect, it } from 'vitest'

const HOUR_MS = 3_600_000
const HOURLY = [{ everyMs: HOUR_MS }]

/** Of each run: how many settled requests it read when it opened, one run after the other on one store. */
async function readAtOpen(
  runs: readonly {
    readonly recrawl?: CrawlConfig['recrawl']
    readonly scope?: Scope
    readonly before?: (frontier: Frontier) => Promise<void>
  }[],
): Promise<number[]> {
  const clock = new VirtualClock()
  const hosts = [{ name: 'shop.test', pages: { kind: 'list' as const, pages: 6 } }]
  const web = simulatedWeb(siteModel({ seed: 'schedule', hosts }), { clock })
  const frontier = memoryFrontier()
  const found: number[] = []
  for (const { recrawl = [], scope = {}, before } of runs) {
    let read = 0
    await before?.(frontier)
    const requests = async (query: RequestQuery): ReturnType<typeof frontier.reader.requests> => {
      const page = await frontier.reader.requests(query)
      if (query.reason === undefined && query.state !== 'waiting') read += page.length
      return page
    }
    const all = spider({ name: 'all', seeds: ['http://shop.test/'], scope, handlers: { start: (page) => page.links() } })
    const whole = { spider: all, policies: [], recrawl, maxTimeMs: HOUR_MS / 2, clock, fetcher: web, randomSeed: 'a' }
    await clock.run(() => crawl({ ...whole, frontier: { ...frontier, reader: { ...frontier.reader, requests } } }).run())
    await frontier.close()
    found.push(read)
  }
  return found
}

describe('the schedule of a store', () => {
  it('is not worked out again for the same rules', async () => {
    const [first, second, third] = await readAtOpen([{ recrawl: HOURLY }, { recrawl: HOURLY }, { recrawl: [...HOURLY] }])

    expect(first).toBe(0)
    expect(second).toBe(0)
    expect(third).toBe(0)
  })

  it('is worked out where the store has been crawled without rules, also after it had the same ones', async () => {
    const reads = await readAtOpen([{}, { recrawl: HOURLY }, {}, { recrawl: HOURLY }, { recrawl: HOURLY }])

    expect(reads.map((read) => read > 0)).toEqual([false, true, true, true, false])
  })

  it('is worked out for another period, and for a scope that excludes something else', async () => {
    const reads = await readAtOpen([
      { recrawl: HOURLY },
      { recrawl: [{ everyMs: 2 * HOUR_MS }] },
      { recrawl: [{ everyMs: 2 * HOUR_MS }], scope: { deny: [/\/3$/] } },
      { recrawl: [{ everyMs: 2 * HOUR_MS }], scope: { deny: [/\/4$/] } },
      { recrawl: [{ everyMs: 2 * HOUR_MS }], scope: { deny: [/\/4$/] } },
    ])

    expect(reads.map((read) => read > 0)).toEqual([false, true, true, true, false])
  })

  it('is worked out where something else than a crawl has settled pages', async () => {
    const adopted = async (frontier: Frontier): Promise<void> => {
      await frontier.open({ name: 'all', hostKeying: 'host' }, Date.UTC(2026, 0, 1, 1))
      await frontier.note({ 'core:schedule': '""' })
      await frontier.close()
    }
    const reads = await readAtOpen([{ recrawl: HOURLY }, { recrawl: HOURLY }, { recrawl: HOURLY, before: adopted }])

    expect(reads.map((read) => read > 0)).toEqual([false, false, true])
  })
})
