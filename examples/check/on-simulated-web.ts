// Runs a spider on the simulated web, in virtual time, and hands back what it found.
import { crawl, memoryFrontier, type CrawlConfig, type CrawlReport } from '@avocet/core'
import { simulatedWeb, VirtualClock, type SimulatedWeb, type SiteModel } from '@avocet/simulator'

/** What a simulated crawl left. */
export interface Simulated {
  readonly report: CrawlReport
  /** In the order in which they were committed. */
  readonly items: readonly unknown[]
  /** Knows what each host felt. */
  readonly web: SimulatedWeb
  /** Virtual time that it took. */
  readonly elapsedMs: number
}

/** Crawls `model` to the end. A fixed seed: the same each time. */
export async function onSimulatedWeb(model: SiteModel, config: CrawlConfig): Promise<Simulated> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock })
  const frontier = config.frontier ?? memoryFrontier()
  const report = await clock.run(() =>
    crawl({ policies: [], randomSeed: 'example', ...config, clock, frontier, fetcher: web }).run(),
  )
  const records = await frontier.reader.items({ afterSeq: 0, limit: 10_000 })
  const items = records.map(({ json }) => JSON.parse(json) as unknown)
  return { report, items, web, elapsedMs: clock.now() - startedAt }
}
