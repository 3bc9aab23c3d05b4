// Runs a crawl on virtual time against a scripted web, and tells what came of it.
import { crawl, memoryFrontier, spider, type Crawl, type CrawlConfig, type CrawlReport, type Spider } from 'avocet'
import type { Frontier } from '@avocet/core/store'
import { VirtualClock } from '@avocet/simulator'
import { withJournal } from './with-journal.ts'
import { scriptedWeb, type Answer, type Seen } from './scripted-web.ts'

/** What a test gets to look at. */
export interface Ran {
  readonly report: CrawlReport
  readonly items: readonly unknown[]
  readonly seen: readonly Seen[]
  /** `+ms path` of each request, counted from the start. */
  readonly asked: readonly string[]
  readonly frontier: Frontier
}

/** A spider that yields the path of each page and follows what `handlers` say. */
export function pathSpider(seeds: readonly string[], rest: Partial<Spider> = {}): Spider {
  return spider({
    name: 'test',
    seeds,
    handlers: {
      *start(page) {
        yield { path: page.url.pathname }
      },
    },
    ...rest,
  })
}

/** Runs to the end. `during` may tap hooks, or stop the crawl on the clock. */
export async function run(
  script: Readonly<Record<string, Answer | readonly Answer[]>>,
  config: CrawlConfig,
  during: (made: Crawl, clock: VirtualClock) => void = () => {},
): Promise<Ran> {
  const clock = config.clock instanceof VirtualClock ? config.clock : new VirtualClock()
  const fetcher = scriptedWeb(clock, script)
  const frontier = config.frontier ?? memoryFrontier()
  const plugins = withJournal(config.plugins)
  const made = crawl({ policies: [], randomSeed: 'test', ...config, plugins, clock, fetcher, frontier })
  const startedAt = clock.now()
  during(made, clock)
  const report = await clock.run(() => made.run())
  const items = (await frontier.reader.items({ afterSeq: 0, limit: 1_000 })).map(({ json }) => JSON.parse(json) as unknown)
  const asked = fetcher.seen.map(({ at, outbound }) => `+${Math.round(at - startedAt)} ${new URL(outbound.url).pathname}`)
  return { report, items, seen: fetcher.seen, asked, frontier }
}
