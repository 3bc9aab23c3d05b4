// The report on a store: what was done, what failed and why, and how each host was treated.
import type { FrontierReader } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import type { StoredReport } from '@avocet/core/tools'
import { runsOf, type JournalRun } from '@avocet/plugin-journal'
import { shownName, DEAD_LETTERS, deadLetterClassOf, type DeadLetterClass } from '@avocet/project/store'
import { crawlAtRest, sinksAtRest, type SinkAtRest } from '../store/at-rest.ts'
import { byName } from '../text/left-undone.ts'
import { failedLoginsOf, type FailedLogin } from '../store/failed-logins.ts'
import { filesTotals, type FilesTotals } from '../store/files-totals.ts'
import { stateOfCounts } from '../store/status.ts'
import { hostReport, latencyOf, quantilesOf, totalOf, type Asking, type HostReport, type Quantiles } from './host-report.ts'

/** Pages that were given up for one kind of reason. */
interface DeadLetters {
  readonly class: DeadLetterClass
  readonly means: string
  readonly count: number
  /** `sample`: one such page, of the reasons that are most frequent. */
  readonly reasons: readonly { readonly reason: string; readonly count: number; readonly sample?: string }[]
}

/** The politeness report in one line: hosts that asked, and those of them where it was not obeyed. */
export interface Obeyed {
  readonly asked: number
  readonly broken: readonly string[]
}

/** The whole report. Times are epoch ms; null = never. */
export interface StoreReport extends Omit<StoredReport, 'failures'> {
  readonly name: string
  /** Its path, or its URL without a password. */
  readonly store: string
  readonly now: number
  readonly state: ReturnType<typeof stateOfCounts>
  /** Of the first request and the last. */
  readonly firstAt: number | null
  readonly lastAt: number | null
  /** When the runs began that asked any host. */
  readonly runs: readonly number[]
  /** The last runs and their policies, as they were then. */
  readonly lastRuns: readonly JournalRun[]
  readonly requests: number
  readonly refusals: number
  readonly networkErrors: number
  readonly wireBytes: number
  readonly firstByte: Quantiles | null
  readonly deadLetters: readonly DeadLetters[]
  /** How far each sink is. */
  readonly sinks: readonly SinkAtRest[]
  /** Sessions that could not log in. */
  readonly failedLogins: readonly FailedLogin[]
  /** Absent: the crawl has to do with none. */
  readonly files: FilesTotals | undefined
  readonly crawlDelay: Obeyed
  readonly retryAfter: Obeyed
  /** By name, as people count. */
  readonly hosts: readonly HostReport[]
  /** Whether the journal was part of the crawl. */
  readonly journalled: boolean
}

/** Reads it all. */
export async function storeReport(reader: FrontierReader, store: string, asking: Asking): Promise<StoreReport> {
  const info = await reader.info()
  const crawl = await crawlAtRest(reader)
  const stored = await crawl.report(asking)
  const hosts = await readHosts(crawl, asking)
  return {
    ...stored,
    name: info.name,
    store: shownName(store),
    now: asking.now,
    state: stateOfCounts(stored.counts, info),
    firstAt: extreme(hosts, 'firstAt', Math.min),
    lastAt: extreme(hosts, 'lastAt', Math.max),
    runs: [...new Set(hosts.flatMap(({ runs }) => runs))].toSorted((a, b) => a - b),
    lastRuns: runsOf(crawl),
    ...sums(hosts),
    firstByte: quantilesOf(totalOf(hosts.map(({ timeline }) => latencyOf(timeline)))),
    deadLetters: await withSamples(reader, deadLettersOf(stored.failures)),
    sinks: await sinksAtRest(reader, store),
    failedLogins: await failedLoginsOf(reader, crawl),
    files: await filesTotals(reader),
    crawlDelay: keptOf(hosts, ({ courtesy }) => courtesy?.crawlDelay),
    retryAfter: keptOf(hosts, ({ courtesy }) => courtesy?.retryAfter),
    hosts,
    journalled: hosts.some(({ courtesy }) => courtesy !== null),
  }
}

async function readHosts(crawl: CrawlAtRest, asking: Asking): Promise<readonly HostReport[]> {
  const hosts: HostReport[] = []
  for await (const record of crawl.hosts()) hosts.push(hostReport(crawl, record, asking))
  return hosts.toSorted(byName)
}

function deadLettersOf(failures: readonly { readonly reason: string; readonly count: number }[]): readonly DeadLetters[] {
  const classes = Map.groupBy(failures, ({ reason }) => deadLetterClassOf(reason))
  return [...classes]
    .map(([kind, reasons]) => {
      return { class: kind, means: DEAD_LETTERS[kind], count: reasons.reduce((sum, { count }) => sum + count, 0), reasons }
    })
    .toSorted((a, b) => b.count - a.count)
}

/** So many reasons of each class, and no more: each is a look into the store. */
const SAMPLED = 8

async function withSamples(reader: FrontierReader, letters: readonly DeadLetters[]): Promise<readonly DeadLetters[]> {
  const sampled: DeadLetters[] = []
  for (const letter of letters) {
    const reasons = []
    for (const [n, each] of letter.reasons.entries()) {
      const [page] = n < SAMPLED ? await reader.requests({ state: 'failed', reason: each.reason, limit: 1 }) : []
      reasons.push(page === undefined ? each : { ...each, sample: page.url })
    }
    sampled.push({ ...letter, reasons })
  }
  return sampled
}

function keptOf(
  hosts: readonly HostReport[],
  wishOf: (host: HostReport) => { readonly obeyed: boolean | null } | null | undefined,
): Obeyed {
  const asked = hosts.filter((host) => wishOf(host))
  return { asked: asked.length, broken: asked.filter((host) => wishOf(host)?.obeyed === false).map(({ hostKey }) => hostKey) }
}

function sums(hosts: readonly HostReport[]): Pick<StoreReport, 'requests' | 'refusals' | 'networkErrors' | 'wireBytes'> {
  const sums = { requests: 0, refusals: 0, networkErrors: 0, wireBytes: 0 }
  for (const host of hosts) for (const field of Object.keys(sums) as (keyof typeof sums)[]) sums[field] += host[field]
  return sums
}

function extreme(hosts: readonly HostReport[], field: 'firstAt' | 'lastAt', choose: typeof Math.max): number | null {
  return hosts.reduce<number | null>((found, { [field]: at }) => (at === null ? found : choose(found ?? at, at)), null)
}
