// Runs a spider on the simulated web, in virtual time, and hands back what it found.
import { crawl, type CrawlConfig, type CrawlReport } from 'avocet'
import { simulatedWeb, VirtualClock, type SimulatedWeb, type SiteModel } from '@avocet/simulator'

/** What a simulated crawl left. */
export interface Simulated<Item> {
  readonly report: CrawlReport
  /** In the order in which they were committed. */
  readonly items: readonly Item[]
  /** Knows what each host felt. */
  readonly web: SimulatedWeb
  /** Virtual time that it took. */
  readonly elapsedMs: number
}

/** Crawls `model` to the end. A fixed seed: the same each time. */
export async function onSimulatedWeb<Item>(model: SiteModel, config: CrawlConfig<Item>): Promise<Simulated<Item>> {
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock })
  const run = crawl({ policies: [], randomSeed: 'example', ...config, clock, fetcher: web })
  const report = await clock.run(() => run.run())
  const items: Item[] = []
  for await (const item of run.items()) items.push(item)
  return { report, items, web, elapsedMs: clock.now() - startedAt }
}
