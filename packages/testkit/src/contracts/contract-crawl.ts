// One crawl of a simulated world on virtual time, with the plugins under test: what it decided, what it left, and how it ended.
import { readReport } from '@avocet/at-rest'
import { crawlWith, spider, type CrawlReport, type Plugin, type Spider } from '@avocet/core'
import type { FrontierReader } from '@avocet/core/store'
import { pageOf } from '@avocet/page'
import { decisionLog, simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { secretsCodec } from '@avocet/plugin-secrets'
import { memoryFrontier } from '@avocet/store-memory'
import { CrashStore, type CrashPoint } from './crash-store.ts'

/** A plugin may wait for days before the crawl gives up: virtual ones. */
const PATIENCE_MS = 7 * 86_400_000

const NO_SINKS = (): Promise<never> => Promise.reject(new Error('expected a crawl without sinks'))

/** What a crawl left. */
export interface ContractRun {
  /** Absent when it was cut off. */
  readonly report?: CrawlReport
  /** The decision log. */
  readonly log: readonly string[]
  /** Memory of each host, `host part text`, and rows of tables, sorted. */
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
  const [web, pages] = [simulatedWeb(model, { clock }), async () => pageOf]
  const config = {
    policies: [],
    spider: contractSpider(model),
    plugins: [...plugins, decisionLog(log)],
    ...{ clock, concurrency: 16, patienceMs: PATIENCE_MS, randomSeed: 'contract' },
  }
  const subject = crawlWith(config, {
    ...{ frontier: () => frontier, fetcher: async () => web, pages, report: async () => readReport, delivery: NO_SINKS },
    codec: async (wish) => secretsCodec(wish),
  })
  const report = await clock.run(() => Promise.race([subject.run(), died]))
  const memory = [...store.hostMemory].flatMap(([host, parts]) =>
    Object.entries(parts).map(([part, text]) => `${host} ${part} ${text}`),
  )
  memory.push(...(await tablesIn(frontier.reader, plugins)))
  return { log, memory: memory.sort(), endedAt: clock.now(), ...(report !== undefined && { report }) }
}

/** Rows of the tables of plugins, one line each. */
export async function tablesIn(reader: FrontierReader, plugins: readonly Plugin[]): Promise<readonly string[]> {
  const tables = await Promise.all(plugins.map(({ name: plugin }) => reader.table({ plugin, limit: 100_000 })))
  return tables.flat().map(({ plugin, key, json }) => `${plugin} row ${key} ${json}`)
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
