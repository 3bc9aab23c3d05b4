// What `--metrics` costs with a scrape each second: its share of the CPU of a crawl, in one run.
//
// Usage: npm run bench:metrics -- [--seconds 30] [--json]. The crawl asks 800 hosts on real sockets, which another process serves, with the five policies, an
// SQLite store, and what the command watches anyway. Three parts are measured, each where it can be told from the rest, for a difference of two crawls would
// drown in their noise: what is looked up for a scrape, in the crawl; a scrape over HTTP, its client included, when the crawl is over; and counting, by counting
// the events of that crawl again.
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, get, type IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crawl, spider, type Crawl } from 'avocet'
import type { TraceEvent } from '@avocet/core/plugin'
import { systemClock } from '@avocet/core/store'
import { CrawlMetrics, ProcessMetrics, serveMetrics, type MeasuredCrawl } from '@avocet/metrics'
import { sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import { WORLDS } from '@avocet/simulator'
import { spawnRoughWeb } from '@avocet/stress/rough-web'
import { HostWatch } from '../packages/cli/src/view/host-watch.ts'
import { CountDelta } from '../packages/metrics/src/laws/counted.ts'
import { countTrace } from '../packages/metrics/src/process-metrics.ts'
import { toldOptions } from './told-options.ts'

/** Most of the crawl's CPU, in per cent. */
const BAR_PERCENT = 1
const SCRAPE_MS = 1_000
const HTTP_SCRAPES = 300
/** How often the events are counted again. */
const AGAIN = 20

const { values } = toldOptions('bench:metrics', {
  options: { seconds: { type: 'string', default: '30' }, json: { type: 'boolean', default: false } },
})

const spec = WORLDS['eight-hundred']?.()
if (spec === undefined) throw new Error('the simulator has no world eight-hundred')
const web = await spawnRoughWeb(spec)
const folder = await mkdtemp(join(tmpdir(), 'avocet-metrics-'))
const clock = systemClock()
const frontier = sqlite(join(folder, 'metrics.db'), { synchronous: 'normal', clock })
const own = new ProcessMetrics(clock)
const metrics = new CrawlMetrics()
const run = crawl({
  spider: spider({
    name: 'metrics',
    seeds: web.model.seeds(),
    handlers: {
      *start(page) {
        yield { title: page.title }
        yield* page.links()
      },
    },
  }),
  frontier: own.timed(frontier),
  policies: polite(),
  concurrency: 1_000,
  maxTimeMs: Number(values.seconds) * 1_000,
  drainMs: 0,
})
void new HostWatch(run)
const events: TraceEvent[] = []
run.hooks.onTrace.tap('bench', (event: TraceEvent) => void events.push(withoutBody(event)))
own.watch(run)
const looks = { count: 0, us: 0, hosts: 0, shown: undefined as MeasuredCrawl | undefined }
const timer = setInterval(look, SCRAPE_MS)
const from = process.cpuUsage()
const report = await run.run()
clearInterval(timer)
const allUs = usedSince(from)
await web.close()
const { us: httpUs, bytes } = await overHttp()
const countsUs = countedUs()
await frontier.close()
await rm(folder, { recursive: true })
own[Symbol.dispose]()
print()

function usedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return user + system
}

/** What other threads do meanwhile is not of the part that is measured. */
function threadUsedSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start)
  return user + system
}

/** What is kept of an event is not to fill the memory. */
function withoutBody(event: TraceEvent): TraceEvent {
  return event.kind === 'answered' ? { ...event, response: { ...event.response, body: new Uint8Array() } } : event
}

/** What is looked up for a scrape. */
function look(): void {
  const start = process.threadCpuUsage()
  const status = run.status()
  metrics.add(1, own.counted())
  metrics.saw(1, own.live())
  looks.shown = metrics.shown(status)
  looks.us += threadUsedSince(start)
  looks.hosts = Math.max(looks.hosts, status.liveHosts)
  looks.count++
}

/** The rest of a scrape: the text of what was looked up last, over HTTP. */
async function overHttp(): Promise<{ readonly us: number; readonly bytes: number }> {
  let now = 0
  const server = await serveMetrics({ host: '127.0.0.1', port: 0 }, { monotonic: () => (now += SCRAPE_MS) })
  server.show(() => looks.shown)
  const agent = new Agent({ keepAlive: true })
  let bytes = 0
  const start = process.threadCpuUsage()
  for (let n = 0; n < HTTP_SCRAPES; n++) {
    const [response] = (await once(get(server.url, { agent }), 'response')) as [IncomingMessage]
    bytes = 0
    for await (const chunk of response) bytes += (chunk as Buffer).length
  }
  const us = threadUsedSince(start) / HTTP_SCRAPES
  agent.destroy()
  server.close()
  return { us, bytes }
}

/** What it takes to count the events once. */
function countedUs(): number {
  let hear: (event: TraceEvent) => void = () => undefined
  const delta = new CountDelta()
  const hooks = { onTrace: { tap: (_name: string, heard: typeof hear) => (hear = heard) } } as unknown as Crawl['hooks']
  countTrace({ hooks }, delta)
  const start = process.threadCpuUsage()
  for (let n = 0; n < AGAIN; n++) {
    for (const event of events) hear(event)
    delta.take()
  }
  return threadUsedSince(start) / AGAIN
}

function print(): void {
  const { requests } = report.run
  const [lookUs, crawlUs] = [looks.us / looks.count, allUs - looks.us - countsUs]
  const scrapeUs = lookUs + httpUs
  const costPercent = Number((((scrapeUs * looks.count + countsUs) / crawlUs) * 100).toFixed(2))
  const passed = costPercent <= BAR_PERCENT && looks.hosts >= 600
  const figures = {
    hosts: looks.hosts,
    requests,
    requestUs: crawlUs / requests,
    scrapes: looks.count,
    bytes,
    lookUs,
    httpUs,
    countUs: countsUs / requests,
    costPercent,
  }
  if (values.json) console.log(JSON.stringify({ schema: 1, ...figures, barPercent: BAR_PERCENT, passed }))
  else {
    console.log(
      `${looks.hosts} hosts in hand, ${requests} requests of ${(crawlUs / requests).toFixed(0)} µs, ${looks.count} scrapes of ${bytes} bytes`,
    )
    console.log(
      `a scrape: ${scrapeUs.toFixed(0)} µs (${httpUs.toFixed(0)} over HTTP); counting: ${(countsUs / requests).toFixed(2)} µs a request`,
    )
    console.log(`${passed ? 'PASS' : 'MISS'}: ${costPercent} % of the crawl's CPU (bar: ${BAR_PERCENT} %)`)
  }
  process.exitCode = passed ? 0 : 1
}
