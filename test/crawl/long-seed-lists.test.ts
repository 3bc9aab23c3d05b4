// A list of seeds that takes long to offer: the crawl begins with its first thousand, and a limit or a stop does not wait for the rest.
import { crawl, memoryFrontier, type CrawlConfig, type CrawlReport } from 'avocet'
import { systemClock, type Frontier } from '@avocet/core/store'
import { describe, expect, it } from 'vitest'
import { pathSpider } from './harness.ts'
import { scriptedWeb } from './scripted-web.ts'

const SEEDS = Array.from({ length: 50_000 }, (_, n) => `http://shop.test/${String(n)}`)
const script = Object.fromEntries(SEEDS.map((url) => [url, { body: 'ok' }]))

/** A store that takes 200 real ms for each thousand seeds: while the store is waited for virtual time stands still. */
function slow(frontier: Frontier): Frontier {
  const add: Frontier['add'] = async (requests) => {
    await new Promise<void>((resume) => setTimeout(resume, 200))
    return frontier.add(requests)
  }
  return new Proxy(frontier, { get: (of, key) => (key === 'add' ? add : Reflect.get(of, key, of)) })
}

/** Runs of a crawl on one store, in real time; `stopAfterMs` its start. */
async function runs(
  ...configs: readonly (Partial<CrawlConfig> & { readonly stopAfterMs?: number })[]
): Promise<readonly CrawlReport[]> {
  const frontier = memoryFrontier()
  const reports: CrawlReport[] = []
  for (const { stopAfterMs, ...config } of configs) {
    const parts = { spider: pathSpider(SEEDS), policies: [], delayMs: 1, randomSeed: 'seeds', maxPerHost: 10 }
    const made = crawl({ ...parts, ...config, frontier: slow(frontier), fetcher: scriptedWeb(systemClock(), script) })
    if (stopAfterMs !== undefined) setTimeout(() => made.stop(), stopAfterMs)
    reports.push(await made.run())
  }
  return reports
}

describe('a list of 50,000 seeds, for which the store takes ten seconds,', () => {
  it('holds up neither --max-time nor a stop, and each short run makes progress', async () => {
    const reports = await runs({ maxTimeMs: 4_000 }, { maxTimeMs: 4_000 }, { stopAfterMs: 4_000 })

    expect(reports.map(({ ended }) => ended)).toEqual(['limit', 'limit', 'stopped'])
    expect(Math.max(...reports.map(({ startedAt, endedAt }) => endedAt - startedAt))).toBeLessThan(8_000)
    const done = reports.map(({ counts }) => counts.done)
    expect(done.every((pages, n) => pages > (done[n - 1] ?? 0))).toBe(true)
  })
})
