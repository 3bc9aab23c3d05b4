// What `avocet why` knows: a host as its store has it, what holds it by the word of each plugin, and the history of a URL.
//
// All of it is asked anew from memory at rest: nothing is sent, and nothing is written. While another process crawls the host, it is as of that
// process's last commit.
import type { CrawlConfig, CrawlReport, Json } from '@avocet/core'
import { type FrontierReader, hostKeyOf, type HostRecord, type RejectRecord, type RequestRecord } from '@avocet/core/store'
import type { CrawlAtRest } from '@avocet/at-rest'
import { coreMemory, type CoreHostMemory, type Explanation } from '@avocet/core/tools'
import { journalOf, runsOf, type JournalRun, type RobotsTreatment } from '@avocet/plugin-journal'
import { traps } from '@avocet/plugin-traps'
import { explainersOf, historiansOf, policiesText, treatmentOf, treatmentText, holdAsJson } from '@avocet/project/plan'
import type { HoldAsJson } from '@avocet/project/plan'
import { given } from '@avocet/project/options'
import { crawlAtRest, sinksAtRest, type SinkAtRest } from '../store/at-rest.ts'
import type { JudgedHost } from '../text/left-undone.ts'
import type { RequestVisits } from '../visits/request-visits.ts'
import { failedLoginsOf, type FailedLogin } from '../store/failed-logins.ts'
import { heldOf, suspectHost, type SuspectHost } from './suspect.ts'

/** The whole answer. Times are epoch ms. */
export interface Answer extends JudgedHost, Pick<HostRecord, 'held' | 'waiting' | 'done' | 'moved' | 'failed' | 'retried'> {
  /** What operators have ordered for the host. `pausedUntil`: epoch ms, null = until it is resumed; absent where nothing is ordered. */
  readonly orders: ReturnType<CrawlAtRest['orders']['hostAt']> & { readonly isCrawlPaused?: true }
  readonly now: number
  readonly hostKey: string
  /** Why it was given up. */
  readonly retiredFor?: string
  /** Of a host that was given up: when it is probed again. Absent: in a later run. */
  readonly probeAt?: number
  /** Of those that are settled: how many are due again at a moment. */
  readonly again: number
  /** Not before this; 0 = at once, null = at no moment that is known. */
  readonly readyAt: number | null
  /** In flight at once; null = nobody limits it. */
  readonly atMost: number | null
  /** What fell out of its past, by `health()`. Absent: nothing. */
  readonly suspect?: SuspectHost
  /** The one that binds first. `until` null: not before something in flight has ended. */
  readonly holds: readonly HoldAsJson[]
  /** Patterns of its URLs that are closed, and budgets that it met; with a URL, only those that it is of. */
  readonly closed: CrawlReport['closedPatterns']
  /** The last run that asked it, of those that are remembered: what was done. */
  readonly lastRun: (JournalRun & { readonly policies: string }) | null
  /** Policies by today's configuration: what a run would do. `holds` is by these. */
  readonly policies: string
  /** What became of robots.txt. Null: not known, or nothing was sent. */
  readonly robots: RobotsTreatment | null
  /** What core and each plugin know, from what they left in the store. */
  readonly values: Readonly<Record<string, Readonly<Record<string, Json>>>>
  /** Sinks that lack items, or fail: why an item of this host may not be where it should. */
  readonly sinks: readonly SinkAtRest[]
  /** Sessions that could not log in, and hold requests of this host. */
  readonly failedLogins: readonly FailedLogin[]
  /** Present when a URL was asked about. */
  readonly url?: string
  /** Requests of that URL, one a handler and method; none when it is not known. */
  readonly requests?: readonly RequestRecord[]
  /** Items of those requests that are held, the oldest first. Absent where no URL was asked about. */
  readonly heldItems?: readonly RejectRecord[]
  /** What the visits of those requests brought, and what changed. Absent where that was not asked. */
  readonly visits?: readonly RequestVisits[]
  /** Of a URL that is not known: the rule that would refuse it, by the scope of the last run. */
  readonly wouldBeRefused?: string
  /** Of a URL that is not known and that no other rule refuses: how many links from a seed it may be, where the scope of the last run says so. */
  readonly maxDepth?: number
  /** Of a URL that is not known: links to its host that were not followed, by rule. */
  readonly refusedLinks?: Awaited<ReturnType<CrawlAtRest['refusedLinksTo']>>
}

/** What is asked about. */
export interface Question {
  readonly reader: FrontierReader
  /** Outputs are named after their paths from its folder. */
  readonly storePath?: string
  readonly config: Partial<CrawlConfig>
  readonly record: HostRecord
  /** In WHATWG form. */
  readonly url?: string
  readonly now: number
}

/** Puts the answer together. */
export async function answerOf({ reader, storePath = '', config, record, url, now }: Question): Promise<Answer> {
  const crawl = await crawlAtRest(reader)
  const history = url === undefined ? undefined : await crawl.requestsOf(url, config.secretParameters)
  const requests = history?.requests
  const { held, waiting, done, moved, failed, retried } = record
  const [first] = await reader.requests({ state: 'waiting', hostKey: record.hostKey, limit: 1 })
  const nextUrl = requests?.find(({ state }) => state === 'waiting')?.url ?? first?.url
  const { orders } = crawl
  const asked = { nextUrl, now }
  const { readyAt, atMost, holds, heldFor } = crawl.explain(record, { ...explainersOf(config)(record), ...asked })
  // Each crawl has traps, configured or not; few hosts have URLs that are the same.
  const plugins = [...historiansOf(config)(record).plugins, ...('#traps pages' in record.memory ? [traps()] : [])]
  const { values } = crawl.explain(record, { plugins, ...asked, ...(url !== undefined && { url }) })
  const core = coreMemory.ofHost(record.memory)
  const all = distinct([...holds, ...heldAtRest(record, heldFor, { holds, now })])
  const latest = Math.max(readyAt, record.readyAt, probeMoment(record))
  return {
    now,
    hostKey: record.hostKey,
    ...crawl.judge(record, now),
    ...{ held, waiting, done, moved, failed, retried },
    ...(record.retiredFor !== undefined && { retiredFor: record.retiredFor }),
    ...(record.probeAt !== undefined && { probeAt: record.probeAt }),
    again: record.again ?? 0,
    ...given('suspect', await suspectHost(reader, record)),
    readyAt: Number.isFinite(latest) ? latest : null,
    atMost: Number.isFinite(atMost) && record.retiredFor === undefined ? atMost : null,
    // Of a host that was given up its probe is what counts.
    holds: record.retiredFor === undefined ? all.map(holdAsJson) : [],
    closed: crawl.closedPatterns(record, url),
    ...treatedBy(record, config, crawl),
    orders: { ...orders.hostAt(record.hostKey, now), ...(orders.isPaused && { isCrawlPaused: true as const }) },
    values: { ...(Object.keys(core).length > 0 && { core: shownOf(core) }), ...values },
    sinks: (await sinksAtRest(reader, storePath)).filter(isLate),
    failedLogins: await failedLoginsOf(reader, crawl, record.hostKey),
    ...history,
    ...(requests && { heldItems: await heldOf(reader, record.hostKey, requests) }),
    ...(url !== undefined && requests?.length === 0 && (await unknownUrl(crawl, url, record.hostKey))),
  }
}

/** What is known twice, from the store and from its orders, is told once. */
function distinct(holds: Explanation['holds']): Explanation['holds'] {
  return [...new Map(holds.map((hold) => [`${hold.by} ${hold.why} ${String(hold.until)}`, hold])).values()]
}

function isLate({ behind, setAside, error }: SinkAtRest): boolean {
  return behind > 0 || setAside > 0 || error !== undefined
}

/** What was done, and what would be. */
function treatedBy(
  { memory }: HostRecord,
  config: Partial<CrawlConfig>,
  crawl: CrawlAtRest,
): Pick<Answer, 'lastRun' | 'policies' | 'robots'> {
  const known = journalOf(memory)
  const lastRun = runsOf(crawl).findLast(({ startedAt }) => known?.runs.includes(startedAt) === true)
  const policies = treatmentText({ ...config, ...treatmentOf(config) })
  return {
    lastRun: lastRun === undefined ? null : { ...lastRun, policies: policiesText(lastRun.plugins, lastRun.hostOptions) },
    policies,
    robots: known?.robots ?? null,
  }
}

/** Why the store may not have a URL: what the scope of the last run refuses, and what happened to links to its host. */
async function unknownUrl(
  crawl: CrawlAtRest,
  url: string,
  hostKey: string,
): Promise<Pick<Answer, 'wouldBeRefused' | 'maxDepth' | 'refusedLinks'>> {
  const rule = crawl.refusal(url, hostKey)
  return {
    ...(rule === undefined ? given('maxDepth', crawl.maxDepth) : { wouldBeRefused: rule }),
    refusedLinks: await crawl.refusedLinksTo(hostKey),
  }
}

/** The host that a URL belongs to, as the crawl has it. */
export function hostKeyFor(url: string, config: Partial<CrawlConfig>): string {
  return hostKeyOf(url, config.hostKeying ?? 'host')
}

/** Nothing is requested from a host that was given up before its probe. */
function probeMoment({ retiredFor, probeAt = Infinity }: HostRecord): number {
  return retiredFor === undefined ? 0 : probeAt
}

/** Stores keep whole milliseconds, and plugins may round what they remember. */
const ROUNDING_MS = 1_000

/** What held the host when it was given back, if no plugin says so now: core's own politeness, or a plugin that has gone since. */
function heldAtRest(
  { waiting, readyAt }: HostRecord,
  heldFor: Explanation['heldFor'],
  { holds, now }: { readonly holds: Explanation['holds']; readonly now: number },
): Explanation['holds'] {
  if (waiting === 0 || readyAt <= now || holds.some(({ until }) => until >= readyAt - ROUNDING_MS)) return []
  const { by, why } = heldFor ?? { by: 'core', why: 'not ready' }
  return [{ by, why, until: readyAt }]
}

type Values = Readonly<Record<string, Json>>

/** In words of `HostView`; what never happened is left out. */
function shownOf({ lastEndAt, lastDurationMs, consecutiveFailures, failedFor, proven }: Partial<CoreHostMemory>): Values {
  return {
    ...(lastEndAt && { lastEndAt, lastDurationMs: Math.round(lastDurationMs ?? 0) }),
    ...(consecutiveFailures !== undefined && { consecutiveFailures }),
    ...(failedFor !== undefined && { failedFor }),
    ...(proven !== undefined && { proven }),
  }
}
