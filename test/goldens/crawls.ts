// The crawls whose decisions are kept: every simulated world, under the policies that come with Avocet, with a seed, for so many virtual minutes.
import { createHash } from 'node:crypto'
import { crawl, memoryFrontier, spider, type CrawlConfig } from 'avocet'
import { polite } from '@avocet/preset-polite'
import { decisionLog, eightHundred, million, simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { WORLDS } from '@avocet/stress/worlds'
import { soak } from '../../bench/soak/soak.ts'
import { ALL_WEATHER, type SoakOptions } from '../../bench/soak/world.ts'
import { steadyWorld, troubledWorld } from '../../packages/testkit/src/contracts/contract-crawl.ts'

/** Runs a crawl to its end and tells what it decided, a line each. */
export type GoldenCrawl = () => Promise<readonly string[]>

const MINUTE_MS = 60_000

/** Runs of one crawl, one after the other on one store, and how long each may take. Pages are items, links are followed. */
async function decisionsOf(model: SiteModel, runsMs: readonly number[], config: Partial<CrawlConfig> = {}): Promise<string[]> {
  const clock = new VirtualClock()
  const frontier = memoryFrontier()
  const fetcher = simulatedWeb(model, { clock })
  const log: string[] = []
  for (const maxTimeMs of runsMs) {
    const one = crawl({
      spider: everyPage(model),
      policies: polite(),
      randomSeed: 'golden',
      maxTimeMs,
      ...config,
      plugins: [decisionLog(log)],
      ...{ clock, frontier, fetcher },
    })
    const { ended } = await clock.run(() => one.run())
    const items = await frontier.reader.items({ afterSeq: 0, limit: 1_000_000 })
    const digest = createHash('sha256').update(items.map(({ json }) => json).join('\n'))
    log.push(`${String(clock.now())} ended ${ended} items=${String(items.length)} ${digest.digest('hex').slice(0, 16)}`)
  }
  return log
}

function everyPage(model: SiteModel): CrawlConfig['spider'] {
  return spider({
    name: 'golden',
    seeds: model.seeds(),
    handlers: {
      *start(page) {
        yield { url: page.url.href }
        yield* page.links()
      },
    },
  })
}

/** A shop watch through days of all weather, with kills, restarts and wrong clocks. */
async function soaked(seed: string, options: Partial<SoakOptions> = {}): Promise<readonly string[]> {
  const log: string[] = []
  const small = { days: 1, hosts: 8, products: 1, processes: 1, store: 'memory', weather: ALL_WEATHER } as const
  const { findings, visits, items } = await soak(
    { ...small, ...options, seed },
    { sabotage: { config: { plugins: [decisionLog(log)] } } },
  )
  return [...log, `visits=${String(visits)} items=${String(items)} findings=${JSON.stringify(findings)}`]
}

const MINUTES = 5
/** Of worlds with many hosts a minute says enough; others change after twenty. */
const OTHER_MINUTES: Readonly<Record<string, number>> = {
  ...{ 'eighty-low': 0.5, 'eighty-high': 0.3, 'eight-hundred': 0.5, 'eight-hundred-shuffled': 0.5 },
  ...{
    'bucket-5-halving': 22,
    'bucket-5-doubling': 22,
    'bucket-5-pausing': 22,
    'bucket-5-steps': 12,
    'servers-1': 22,
    'slowing-25': 22,
  },
  ...{ 'dead-ten': 3, 'recovering-refuse': 10, 'recovering-reset': 10, 'recovering-hang': 10, resuming: 3 },
}
/** Too large, or for a crawl under these policies the same as another. */
const LEFT_OUT = [
  'million',
  'bucket-50-burst-5',
  'bucket-50-burst-20',
  'sliding-10',
  'servers-4',
  'servers-16',
  'shared-bucket-5',
]

const NAMED: Readonly<Record<string, GoldenCrawl>> = Object.fromEntries(
  Object.entries(WORLDS)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, world]) => [name, () => decisionsOf(world(), [(OTHER_MINUTES[name] ?? MINUTES) * MINUTE_MS], pacedIn(name))]),
)

/** The client is offline after a minute: by then a crawl at full speed would be over.*/
function pacedIn(name: string): Partial<CrawlConfig> {
  return name.startsWith('offline') || name.startsWith('recovering') ? { delayMs: 1_000 } : {}
}

/** By name. */
export const GOLDEN_CRAWLS: Readonly<Record<string, GoldenCrawl>> = {
  ...NAMED,
  // Taken up again in the middle, twice.
  resuming: () => decisionsOf(worldNamed('resuming'), [MINUTE_MS, MINUTE_MS, 2 * MINUTE_MS]),
  million: () => decisionsOf(million({ hosts: 20, pages: 60 }), [MINUTE_MS], { policies: [] }),
  'eight-hundred-without-policies': () => decisionsOf(eightHundred(), [10_000], { policies: [] }),
  steady: () => decisionsOf(steadyWorld(), [60 * MINUTE_MS]),
  troubled: () => decisionsOf(troubledWorld(), [10 * MINUTE_MS, 60 * MINUTE_MS]),
  'troubled-recrawled': () => decisionsOf(troubledWorld(), [180 * MINUTE_MS], { recrawl: [{ everyMs: 20 * MINUTE_MS }] }),
  'soak-1': () => soaked('1'),
  'soak-2': () => soaked('2'),
}

/** Those that take a second or less: the tests run them. */
export const QUICK_CRAWLS: readonly string[] = [
  ...['quotes', 'shops', 'steady', 'troubled', 'troubled-recrawled', 'twelve-hosts', 'soak-1'],
  ...[
    'banning',
    'window-10',
    'window-10-retry-after-date',
    'window-10-ratelimit',
    'slow-refusals-8s',
    'random-429-3',
    'bucket-0.5-burst-5',
  ],
]

function worldNamed(name: string): SiteModel {
  const world = WORLDS[name]
  if (world === undefined) throw new Error(`expected the name of a world, got ${name}`)
  return world()
}
