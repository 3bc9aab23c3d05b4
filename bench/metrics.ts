// What `--metrics` costs with a scrape each second: its share of the CPU of a crawl, in one run.
//
// Usage: npm run bench:metrics -- [--rounds 3] [--seconds 60] [--json]. 800 hosts in the middle of their work on virtual time, with the five policies, an SQLite
// store and what the command watches anyway. A scrape is all that the server does but the socket: the status, what was counted, the questions about hosts, the
// text. It is measured where it happens; what counting costs is measured by counting the events of that crawl again. A difference of two crawls would drown in
// their noise. A request of the simulator costs less than one on a socket, so the share is larger than it is in a crawl of the web.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type Crawl } from '@avocet/core'
import { FAILURES, reasonOf, type FailureCode, type TraceEvent } from '@avocet/core/plugin'
import { CrawlMetrics, ProcessMetrics } from '@avocet/metrics'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { simulatedWeb, VirtualClock, WORLDS } from '@avocet/simulator'
import { HostWatch } from '../packages/cli/src/view/host-watch.ts'
import { CountDelta } from '../packages/metrics/src/laws/counted.ts'
import { crawlFamilies } from '../packages/metrics/src/laws/crawl-families.ts'
import { exposition } from '../packages/metrics/src/laws/exposition.ts'
import { countTrace } from '../packages/metrics/src/trace-counts.ts'
import { toldOptions } from './told-options.ts'

/** Most of the crawl's CPU, in per cent. */
const BAR_PERCENT = 1
const SCRAPE_MS = 1_000
/** How often the events are counted again. */
const AGAIN = 20

const { values } = toldOptions('bench:metrics', {
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
})

/** One crawl; all in µs of CPU. */
interface Measured {
  /** Without metrics. */
  readonly crawlUs: number
  readonly scrapesUs: number
  readonly countsUs: number
  readonly requests: number
  readonly scrapes: number
  readonly hosts: number
  readonly bytes: number
}

const rounds: Measured[] = []
for (let round = 0; round <= Number(values.rounds); round++) {
  const found = await measured()
  // The first one compiles.
  if (round > 0) rounds.push(found)
}
print()

async function measured(): Promise<Measured> {
  const model = WORLDS['eight-hundred']?.()
  if (model === undefined) throw new Error('the simulator has no world eight-hundred')
  const folder = await mkdtemp(join(tmpdir(), 'avocet-metrics-'))
  const clock = new VirtualClock()
  const frontier = sqlite(join(folder, 'metrics.db'), { synchronous: 'normal', clock })
  using own = new ProcessMetrics(clock)
  const run = crawl({
    spider: spider({ name: 'metrics', seeds: model.seeds(), handlers: { *start() {} } }),
    frontier: own.timed(frontier),
    policies: polite(),
    concurrency: 1_000,
    randomSeed: 'metrics',
    maxTimeMs: Number(values.seconds) * 1_000,
    clock,
    fetcher: simulatedWeb(model, { clock }),
  })
  const watch = new HostWatch(run)
  const events: TraceEvent[] = []
  run.hooks.onTrace.tap('bench', (event: TraceEvent) => void events.push(event))
  own.watch(run)
  const scraping = scrapeEach(run, own, clock)
  const from = process.cpuUsage()
  try {
    const report = await clock.run(() => run.run())
    const allUs = usedSince(from)
    if (watch.troubles.length === 0) throw new Error('expected that the command watches the crawl')
    const countsUs = countedUs(events, run)
    const { us: scrapesUs, ...scraped } = scraping
    return { crawlUs: allUs - scrapesUs - countsUs, scrapesUs, countsUs, requests: report.run.requests, ...scraped }
  } finally {
    await frontier.close()
    await rm(folder, { recursive: true })
  }
}

function usedSince(from: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(from)
  return user + system
}

/** What it takes to count these events once. */
function countedUs(events: readonly TraceEvent[], run: Crawl): number {
  let hear: (event: TraceEvent) => void = () => undefined
  const delta = new CountDelta()
  const hooks = { onTrace: { tap: (_name: string, heard: typeof hear) => (hear = heard) } } as unknown as Crawl['hooks']
  countTrace({ hooks }, delta, ({ hostKey }) => run.explain(hostKey) !== undefined)
  const from = process.cpuUsage()
  for (let n = 0; n < AGAIN; n++) {
    for (const event of events) hear(event)
    delta.take()
  }
  return usedSince(from) / AGAIN
}

interface Scraping {
  scrapes: number
  us: number
  hosts: number
  bytes: number
}

/** A scrape each second of its time. */
function scrapeEach(run: Crawl, own: ProcessMetrics, clock: VirtualClock): Scraping {
  const metrics = new CrawlMetrics()
  const done = { scrapes: 0, us: 0, hosts: 0, bytes: 0 }
  const reasons = (Object.keys(FAILURES) as FailureCode[]).map(reasonOf)
  const surroundings = { own: { cpuSeconds: 1, residentBytes: 1, startedAt: 1, openFds: 1, maxFds: 1 }, version: '0.1.0', node: process.version, reasons }
  const next = (): void => {
    if (run.status().phase === 'closed') return
    const from = process.cpuUsage()
    const status = run.status()
    metrics.add(1, own.counted())
    metrics.saw(1, own.live(metrics.names, status))
    done.bytes = Buffer.byteLength(exposition(crawlFamilies(metrics.shown(status), surroundings), 'openmetrics'))
    done.us += usedSince(from)
    done.hosts = Math.max(done.hosts, status.liveHosts)
    done.scrapes++
    clock.at(clock.now() + SCRAPE_MS, next)
  }
  clock.at(clock.now() + SCRAPE_MS, next)
  return done
}

function median(of: (round: Measured) => number): number {
  return rounds.map(of).toSorted((a, b) => a - b)[rounds.length >> 1] ?? Number.NaN
}

function print(): void {
  const costPercent = median(({ crawlUs, scrapesUs, countsUs }) => ((scrapesUs + countsUs) / crawlUs) * 100)
  const [scrapeUs, countUs] = [median(({ scrapesUs, scrapes }) => scrapesUs / scrapes), median(({ countsUs, requests }) => countsUs / requests)]
  const requestUs = median(({ crawlUs, requests }) => crawlUs / requests)
  const [{ requests = 0, scrapes = 0, hosts = 0, bytes = 0 } = {}] = rounds
  const passed = costPercent <= BAR_PERCENT
  if (values.json) console.log(JSON.stringify({ schema: 1, hosts, requests, scrapes, bytes, scrapeUs, countUs, requestUs, costPercent, barPercent: BAR_PERCENT, passed }))
  else {
    console.log(`${hosts} hosts, ${requests} requests of ${requestUs.toFixed(0)} µs, ${scrapes} scrapes of ${bytes} bytes`)
    console.log(`a scrape: ${scrapeUs.toFixed(0)} µs; counting: ${countUs.toFixed(2)} µs a request`)
    console.log(`${passed ? 'PASS' : 'MISS'}: ${costPercent.toFixed(2)} % of the crawl's CPU with a scrape each second (bar: ${BAR_PERCENT} %)`)
  }
  process.exitCode = passed ? 0 : 1
}
