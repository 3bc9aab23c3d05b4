// Runs a crawl on virtual time against a model of the web, and reports the result. The same inputs give the same result, byte for byte.
import type { CrawlConfig, RunnableConfig } from '@avocet/core'
import { crawl, memoryFrontier } from 'avocet'
import { hostKeyOf, type HostRecord } from '@avocet/core/store'
import { atRest, type CrawlAtRest } from '@avocet/at-rest'
import type { CrawlStatus } from '@avocet/core/tools'
import { activePlugins } from 'avocet'
import { simulatedWeb, VirtualClock, type CapacityLaw, type SiteModel } from '@avocet/simulator'
import { foundRpsOf, type Treatment, withoutOutsideEffects } from '@avocet/project/plan'
import { resultOf, type FoundRate, type Result, SlotWatch } from './result.ts'

/** What is simulated. */
interface Simulation {
  /** How the web is called. */
  readonly name: string
  readonly model: SiteModel
  /** Clock, store and fetcher are replaced. */
  readonly config: RunnableConfig
  readonly hours: number
  readonly seed: string
}

/** Its progress: read from outside, for a view. */
export interface Watching {
  /** Virtual ms since the beginning. */
  readonly elapsedMs: number
  readonly status: CrawlStatus
}

const HOUR_MS = 3_600_000

/** Runs it. `watch` is handed a function that says how far it is, at any time. */
export async function runSimulation(simulation: Simulation, watch: (look: () => Watching) => void): Promise<Result> {
  const { model, hours, seed } = simulation
  // No name is looked up in a simulation.
  const { resolver: _resolver, nameServers: _servers, ...given } = simulation.config
  // What it finds is invented: no plugin and no sink may write it anywhere outside.
  const { leftOut, ...treatment } = withoutOutsideEffects(given)
  const config = { ...given, ...treatment, sinks: [] }
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock, ...(config.sizeLimits && { sizeLimits: config.sizeLimits }) })
  const slots = new SlotWatch()
  const frontier = memoryFrontier()
  const maxTimeMs = hours * HOUR_MS
  const settings = { patienceMs: maxTimeMs, ...config, randomSeed: seed, clock, frontier, fetcher: web }
  const run = crawl(settings)
  slots.follow(run)
  watch(() => ({ elapsedMs: clock.now() - startedAt, status: run.status() }))
  // Not `maxTimeMs`, which waits for what is in flight: what the hours leave out does not count.
  let isOver = false
  using _end = clock.at(startedAt + maxTimeMs, () => {
    isOver = true
    run.abort()
  })
  const report = await clock.run(() => run.run())
  const records = await frontier.reader.hosts({})
  return resultOf({
    ...simulation,
    config,
    leftOut: leftOut.map(({ name }) => name),
    report: isOver ? { ...report, ended: 'limit' } : report,
    records,
    slots,
    seenBy: (host) => web.felt(host),
    rates: foundRates({ model, config, records, crawl: await atRest(frontier.reader), now: clock.now() }),
    startedAt,
  })
}

/** What is compared. */
interface Comparison {
  readonly model: SiteModel
  readonly config: Pick<CrawlConfig, 'hosts' | 'delayMs' | 'maxPerHost' | 'hostKeying'> & Treatment
  readonly crawl: CrawlAtRest
  readonly records: readonly HostRecord[]
  /** Epoch ms. */
  readonly now: number
}

/** The rate that the crawl found at each host that has one, beside the rate that the host's law serves; hosts that it never met are left out. */
function foundRates({ model, config, crawl, records, now }: Comparison): readonly FoundRate[] {
  const { hostKeying = 'host' } = config
  const plugins = activePlugins(config)
  const byKey = new Map(records.map((record) => [record.hostKey, record]))
  return model.hosts.flatMap(({ name, capacity, death }) => {
    const capacityRps = rateOf(capacity)
    const record = byKey.get(hostKeyOf(`${model.baseOf(name)}/`, hostKeying))
    if (capacityRps === undefined || death !== undefined || record === undefined || record.done === 0) return []
    const { values } = crawl.explain(record, { plugins, config, now })
    const foundRps = foundRpsOf(values)
    return foundRps === undefined ? [] : [{ host: name, foundRps, capacityRps }]
  })
}

/** In the long run, before any change; undefined where nothing is refused. */
function rateOf(law: CapacityLaw | undefined): number | undefined {
  if (law === undefined || law.law === 'servers') return undefined
  return 'perSecond' in law ? law.perSecond : law.requests / law.seconds
}
