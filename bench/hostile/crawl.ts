// One crawl of a hostile web, in a process of its own: `polite()` with its defaults, SQLite, real sockets. Gets its job over IPC, and says its figures.
//
// Its clock runs four times as fast: every limit, wait and cool-down passes in a quarter of its time, and nothing else is told otherwise.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import Database from 'better-sqlite3'
import { crawl, type Request } from 'avocet'
import type { Exchange } from '@avocet/core/plugin'
import { systemClock } from '@avocet/core/store'
import { pageOf } from '@avocet/page'
import { openReader, sqlite } from '@avocet/plugin-sqlite'
import { polite } from '@avocet/preset-polite'
import {
  HOSTILE_FLOODS,
  HOSTILE_ROWS,
  HostileWatch,
  meantHosts,
  SECRET,
  type HostilePlan,
  type HostileSeen,
} from '@avocet/stress/hostile'
import { Lag, schedule, type Block } from './lag.ts'

/** How much faster the crawl's clock runs. */
export const SCALE = 4

/** What a crawl is told. */
export interface Job {
  readonly plan: HostilePlan
  /** Begins at this row alone; the names of all others are known, for rows lead to each other. */
  readonly row?: string
  /** Seeds of the healthy hosts, and their host keys. */
  readonly healthy: { readonly seeds: readonly string[]; readonly hosts: readonly string[] }
  /** Real seconds, at most. */
  readonly seconds: number
  /** Ends when nothing is in flight and nothing can be done for so many real seconds. */
  readonly patienceSeconds: number
  /** Ends when so many healthy pages are there. */
  readonly untilHealthyPages?: number
}

/** What came of it. Plain JSON. */
export interface Figures {
  readonly seen: Readonly<Record<string, HostileSeen>>
  readonly report: string
  readonly ended: string
  readonly seconds: number
  readonly cpuSeconds: number
  /** How long the main thread wanted to run and could not. */
  readonly stolenMs: number
  readonly healthy: { readonly pages: number; readonly doneSeconds: number; readonly p50Ms: number; readonly p99Ms: number }
  readonly blocks: readonly Block[]
  readonly baseMib: number
  readonly peakMib: number
  readonly store: { readonly integrity: string; readonly known: number; readonly unsettled: number; readonly mib: number }
}

process.once('message', (job: Job) => {
  void run(job).then((figures) => process.send?.(figures, undefined, {}, () => process.exit(0)))
})
process.on('disconnect', () => process.exit(1))

async function run(job: Job): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'avocet-hostile-'))
  const file = join(folder, 'crawl.db')
  try {
    const figures = await crawled(job, file)
    return { ...figures, store: await soundness(file) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function crawled(job: Job, file: string): Promise<Omit<Figures, 'store'>> {
  const { plan, row: only, healthy, seconds, patienceSeconds, untilHealthyPages = Infinity } = job
  const clock = systemClock({ scale: SCALE })
  const userAgent = 'hostile-bench (+https://example.org/bot)'
  const watch = new HostileWatch({ ...plan, places: plan.places.filter(({ row }) => row === (only ?? row)) }, [
    ...HOSTILE_ROWS,
    ...HOSTILE_FLOODS,
  ])
  const frontier = sqlite(file, { clock })
  const made = crawl({
    spider: watch.spider(healthy.seeds),
    userAgent,
    policies: polite(),
    headers: { 'x-api-key': SECRET },
    nameServers: [plan.nameServer],
    hosts: meantHosts(plan),
    randomSeed: 'hostile',
    maxTimeMs: seconds * 1_000 * SCALE,
    patienceMs: patienceSeconds * 1_000 * SCALE,
    frontier,
    clock,
  })
  warmUp()
  // A row alone is measured by what it makes a crawl hold; garbage, for which the heap may grow, would be most of it.
  if (only !== undefined) setFlagsFromString('--heap-growing-percent=10')
  const baseMib = process.memoryUsage.rss() / 2 ** 20
  // From the first request on: what comes before it no server has a part in.
  let lag: Lag | undefined
  watch.watch(made)
  const hosts = new Set(healthy.hosts)
  const sentAt = new WeakMap<Exchange, number>()
  /** Without the time that the machine gave to others: on one that is busy it would be the greater part. */
  const ownNow = (): number => performance.now() - schedule().stolenMs
  const answersMs: number[] = []
  let pages = 0
  let doneSeconds = 0
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  const before = schedule()
  made.hooks.onAdmit.tap({ name: 'bench', seesRequired: true }, (exchange) => {
    lag ??= new Lag()
    if (hosts.has(exchange.host.key)) sentAt.set(exchange, ownNow())
  })
  made.hooks.onResponse.tap({ name: 'bench', seesRequired: true }, ({ exchange }) => {
    lag?.note(watch.rowOf(exchange.request.url) ?? 'healthy')
    const from = sentAt.get(exchange)
    if (from !== undefined && !exchange.required) answersMs.push(ownNow() - from)
  })
  made.hooks.onError.tap({ name: 'bench', seesRequired: true }, ({ exchange }) =>
    lag?.note(watch.rowOf(exchange.request.url) ?? 'healthy'),
  )
  made.hooks.onSettled.tap('bench', ({ request, outcome }) => {
    lag?.note(watch.rowOf(request.url) ?? 'healthy')
    if (outcome.kind !== 'done' || !hosts.has(request.hostKey)) return
    pages += 1
    doneSeconds = (performance.now() - startedAt) / 1_000
    if (pages === untilHealthyPages) made.stop()
  })
  const report = await made.run()
  await frontier.close()
  const { user, system } = process.cpuUsage(cpu)
  const sorted = answersMs.sort((a, b) => a - b)
  const quantile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
  return {
    seen: watch.seen,
    report: JSON.stringify(report),
    ended: `${report.ended}: ${report.why}`,
    seconds: (performance.now() - startedAt) / 1_000,
    cpuSeconds: (user + system) / 1e6,
    stolenMs: schedule().stolenMs - before.stolenMs,
    healthy: { pages, doneSeconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99) },
    blocks: lag?.stop() ?? [],
    baseMib,
    peakMib: process.resourceUsage().maxRSS / 1_024,
  }
}

/** Loads what a crawl loads with its first page: that takes 100 ms once, and no server has a part in it. */
function warmUp(): void {
  const url = 'http://warm-up.test/'
  const body = Buffer.from('<title>\xfc</title><a href=/>x</a>', 'latin1')
  const response = {
    url,
    status: 200,
    headers: {},
    body,
    wireBytes: 0,
    timings: { firstByteMs: 0, bodyMs: 0, reusedSocket: false },
  }
  const page = pageOf({ request: { url } as Request, response })
  void [page.title, page.anchors, page.$('a').length, page.text()]
}

async function soundness(file: string): Promise<Figures['store']> {
  const db = new Database(file, { readonly: true })
  const integrity = String(db.pragma('integrity_check', { simple: true }))
  const bytes = Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
  db.close()
  const reader = await openReader(file)
  const { known, waiting, done, moved, failed } = await reader.counts()
  await reader.close()
  return { integrity, known, unsettled: known - waiting - done - moved - failed, mib: bytes / 2 ** 20 }
}
