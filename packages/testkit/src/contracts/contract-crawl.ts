// One crawl of a simulated world on virtual time, with the plugins under test: what it decided, what it left, and how it ended.
import { spider, type CrawlReport, type Plugin, type Spider } from '@avocet/core'
import { crawl, memoryFrontier } from 'avocet'
import { decisionLog, simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { CrashStore, type CrashPoint } from './crash-store.ts'

/** A plugin may wait for days before the crawl gives up: virtual ones. */
const PATIENCE_MS = 7 * 86_400_000

/** What a crawl left. */
export interface ContractRun {
  /** Absent when it was cut off. */
  readonly report?: CrawlReport
  /** The decision log. */
  readonly log: readonly string[]
  /** Memory of each host, `host part text`, sorted. */
  readonly memory: readonly string[]
  /** Epoch ms of the virtual clock at the end. */
  readonly endedAt: number
}

/** What is to be crawled, with what. */
export interface ContractCrawl {
  readonly model: SiteModel
  readonly plugins: readonly Plugin[]
  /** Default: an empty one in RAM. */
  readonly store?: CrashStore
  readonly cut?: CrashPoint
  /** Epoch ms of the virtual clock. A resumed crawl begins after the one it resumes. */
  readonly startAt?: number
}

/** Runs it to its end, or to the cut. */
export async function contractCrawl({
  model,
  plugins,
  cut,
  startAt,
  store = new CrashStore(memoryFrontier()),
}: ContractCrawl): Promise<ContractRun> {
  const clock = new VirtualClock(startAt === undefined ? {} : { startAt })
  const { frontier, died } = store.live(cut)
  const log: string[] = []
  const subject = crawl({
    policies: [],
    spider: contractSpider(model),
    frontier,
    clock,
    fetcher: simulatedWeb(model, { clock }),
    plugins: [...plugins, decisionLog(log)],
    concurrency: 16,
    patienceMs: PATIENCE_MS,
    randomSeed: 'contract',
  })
  const report = await clock.run(() => Promise.race([subject.run(), died]))
  const memory = [...store.hostMemory].flatMap(([host, parts]) =>
    Object.entries(parts).map(([part, text]) => `${host} ${part} ${text}`),
  )
  return { log, memory: memory.sort(), endedAt: clock.now(), ...(report !== undefined && { report }) }
}

/** Follows all links and yields an item a page. */
function contractSpider(model: SiteModel): Spider {
  return spider({
    name: 'contract',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield { url: page.url.href, title: page.title }
        yield* page.links()
      },
    },
  })
}
