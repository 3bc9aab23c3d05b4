// Runs a crawl on virtual time against a model of the web, and says what became of it. The same inputs give the same result, byte for byte.
import { crawl, memoryFrontier, type CrawlConfig, type CrawlStatus, type Plugin } from '@avocet/core'
import { simulatedWeb, VirtualClock, type SiteModel } from '@avocet/simulator'
import { foundRates } from './found-rates.ts'
import { resultOf, type Result } from './result.ts'
import { SlotWatch } from './slot-watch.ts'

/** What is simulated. */
export interface Simulation {
  /** How the web is called. */
  readonly name: string
  readonly model: SiteModel
  /** Clock, store and fetcher are replaced. */
  readonly config: CrawlConfig & { readonly plugins: readonly Plugin[] }
  readonly hours: number
  readonly seed: string
}

/** How far it is: asked for from outside, for a view. */
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
  const { resolver: _resolver, nameServers: _servers, ...config } = simulation.config
  const clock = new VirtualClock()
  const startedAt = clock.now()
  const web = simulatedWeb(model, { clock, ...(config.sizeLimits && { sizeLimits: config.sizeLimits }) })
  const slots = new SlotWatch(clock)
  const frontier = memoryFrontier()
  const maxTimeMs = hours * HOUR_MS
  const settings = { patienceMs: maxTimeMs, ...config, randomSeed: seed, clock, frontier, fetcher: slots.around(web) }
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
  const records = await recordsOf(frontier.reader)
  return resultOf({
    ...simulation,
    report: isOver ? { ...report, ended: 'limit' } : report,
    records,
    slots,
    feltOf: (host) => web.felt(host),
    rates: foundRates({ model, config, records, now: clock.now() }),
    startedAt,
  })
}

type Reader = ReturnType<typeof memoryFrontier>['reader']

async function recordsOf(reader: Reader): ReturnType<Reader['hosts']> {
  return reader.hosts({ limit: Number.MAX_SAFE_INTEGER })
}
