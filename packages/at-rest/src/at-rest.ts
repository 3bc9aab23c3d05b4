// A crawl at rest: what its store knows, read without running it. `avocet report`, `why`, `hosts` and `status` are made of this, and scripts over a store.
//
// Orders and the memory of the crawl are small and are read once, when it is opened; hosts may be a million, and are handed out page by page.
import type { Plugin } from '@avocet/core'
import { canonicalUrl, isUntilResumed, type FrontierReader, type HostRecord, type RequestRecord } from '@avocet/core/store'
import { coreMemory, type CoreHostMemory, type Explanation, type StoredReport } from '@avocet/core/tools'
import { closedAtRest, mostRefused } from './closed-patterns.ts'
import { judgeHost, type HostJudgement } from './host-judgement.ts'
import { Orders, secretNamesIn } from './orders.ts'
import { lastScope, RefusedInStore, type LastScope } from './refusals.ts'

export { Orders } from './orders.ts'

/** Hosts of one kind that a report lists. */
const MAX_LISTED = 100
/** A host's record has its robots.txt, of up to half a megabyte: more of those at a time would take noticeable memory. */
const PAGE = 100
/** Core's own parts are small. */
const PAGE_OF_PARTS = 1_000
/** How much is read of what is remembered of hosts: nothing, core's own small parts, or also what plugins remember, which is most of a large store. */
type MemoryWish = 'none' | 'core' | 'all'

/** A plugin, as far as it says something of hosts at rest. */
type Finder = Pick<Plugin, 'findings'>
type ClosedPattern = StoredReport['closedPatterns'][number]
type HostFindings = NonNullable<Plugin['findings']>

type RefusalRule = StoredReport['refusedLinks'][number]['rule']
/** A host as the store has it, and what is asked about it. */
type Asked = readonly [host: Parameters<typeof coreMemory.explain>[0], options: Parameters<typeof coreMemory.explain>[1]]

/** What a store knows of its crawl. */
export interface CrawlAtRest extends Pick<LastScope, 'refusal' | 'maxDepth'> {
  /** What operators have ordered. */
  readonly orders: Orders
  /** Names of query parameters, decoded and in lower case, whose values are in no store because a run named them as secret. */
  readonly secretParameters: readonly string[]
  /** The report of all runs, as of `now`, epoch ms. Throws AVO_FRONTIER_…. */
  report(moment: { readonly now: number }): Promise<StoredReport>
  /**
   * Every host, in the order of their keys. `memory`: how much is read of what is remembered of each: `none`, `core` (for `closedPatterns`), or
   * `all`, the default (for `explain`). Throws AVO_FRONTIER_….
   */
  hosts(wish?: { readonly memory?: MemoryWish }): AsyncGenerator<HostRecord>
  /** What a host is like now, and why, as of when it was last asked. `now`: epoch ms. Throws AVO_FRONTIER_CORRUPT. */
  judge(host: Pick<HostRecord, 'hostKey' | 'retiredFor' | 'waiting' | 'done' | 'failed' | 'memory'>, now: number): HostJudgement
  /** Asks plugins about a host: what holds it, and what each of them knows. */
  explain(...asked: Asked): Explanation
  /** Patterns of the URLs of a host that are closed, and budgets that it met; with `url`, those that it is of. */
  closedPatterns(host: Pick<HostRecord, 'hostKey' | 'memory'>, url?: string): readonly ClosedPattern[]
  /**
   * Requests of a URL (WHATWG form), also where it has parameters that the last run dropped, or values that the store keeps none of: those of its own
   * `secretParameters` and of these. `url`: as the store has it, or would have it.
   */
  requestsOf(
    url: string,
    secretParameters?: readonly string[],
  ): Promise<{ readonly url: string; readonly requests: readonly RequestRecord[] }>
  /** How many links to a host each rule refused, as far as they are counted by host. Throws AVO_FRONTIER_CORRUPT. */
  refusedLinksTo(hostKey: string): Promise<readonly { readonly rule: RefusalRule; readonly count: number }[]>
  /** What a plugin remembers of the whole crawl, as JSON, of each process that left it. */
  memories(plugin: string): readonly string[]
  /** Texts that a plugin kept beside its memory (`Session.keep`), of each process that left one. */
  texts(name: string): readonly string[]
}

/**
 * Reads a crawl from its store, whether a process runs it or none does.
 *
 * @param reader `frontier.reader` of an open store, or a store opened to be read, as `openReader` of @avocet/plugin-sqlite does.
 * @param plugins Those whose findings are told.
 * @throws AVO_FRONTIER_….
 * @example
 * ```ts
 * // failures-in.ts
 * import { atRest } from '@avocet/at-rest'
 * import { openReader } from '@avocet/plugin-sqlite'
 *
 * // Why pages of a crawl failed, also while it runs: failuresIn('.avocet/books.db')
 * export async function failuresIn(path: string): Promise<readonly string[]> {
 *   const reader = await openReader(path)
 *   const crawl = await atRest(reader)
 *   const { failures } = await crawl.report({ now: Date.now() })
 *   await reader.close()
 *   return failures.map(({ reason, count }) => `${count} × ${reason}`)
 * }
 * ```
 */
export async function atRest(reader: FrontierReader, plugins: readonly Finder[] = []): Promise<CrawlAtRest> {
  const findings = plugins.flatMap((plugin) => plugin.findings ?? [])
  const parts = { none: [], core: ['core', ...findings.flatMap((each) => each.parts)], all: undefined }
  const orders = await Orders.of(reader)
  const { memories: crawlMemories } = await reader.info()
  const core = crawlMemories.map(coreMemory.ofCrawl)
  const secretParameters = secretNamesIn(crawlMemories)
  const { shortened, ...scope } = lastScope(core)
  return {
    ...{ orders, secretParameters, ...scope },
    report: ({ now }) => storedReport({ reader, parts: parts.core, findings, orders }, now),
    hosts: ({ memory = 'all' } = {}) => hostsOf(reader, parts[memory]),
    judge(host, now) {
      const [broken] = brokenAt(host, findings, now)
      return judgeHost(host, { pausedUntil: orders.ofHost(host.hostKey).pausedUntil, now, broken: broken?.why })
    },
    explain: (...asked) => coreMemory.explain(...asked, { crawlMemories, orders }),
    closedPatterns: (host, url) => closedAtRest(host, findings, { accepted: orders.accepted, url }),
    async requestsOf(typed, declared = []) {
      const { withoutCredentials } = await import('@avocet/plugin-secrets/names')
      const plain = withoutCredentials(shortened(typed), [...secretParameters, ...declared])
      for (const url of new Set([plain, typed, canonicalUrl(plain)])) {
        const requests = await reader.requests({ url })
        if (requests.length > 0) return { url, requests }
      }
      return { url: plain, requests: [] }
    },
    async refusedLinksTo(hostKey) {
      const refused = new RefusedInStore(findings)
      const kept = findings.flatMap((each) => each.parts)
      for await (const { memory } of hostsOf(reader, kept)) refused.addOf(memory)
      return refused.to(hostKey)
    },
    memories: (plugin) => crawlMemories.flatMap((parts) => parts[plugin] ?? []),
    texts: (name) => crawlMemories.flatMap((parts) => coreMemory.textIn(parts, name) ?? []),
  }
}

async function* hostsOf(reader: FrontierReader, parts?: readonly string[]): AsyncGenerator<HostRecord> {
  const limit = parts === undefined ? PAGE : PAGE_OF_PARTS
  for (let afterHostKey: string | undefined; ;) {
    const page = await reader.hosts({ limit, ...(parts && { parts }), ...(afterHostKey !== undefined && { afterHostKey }) })
    yield* page
    if (page.length < limit) return
    afterHostKey = page.at(-1)?.hostKey
  }
}

/** The report of all runs, as of `now`, epoch ms. `plugins`: those whose findings are told. Throws AVO_FRONTIER_…. */
export async function readReport(
  reader: FrontierReader,
  plugins: readonly Finder[],
  moment: { readonly now: number },
): Promise<StoredReport> {
  return (await atRest(reader, plugins)).report(moment)
}

interface HostSource {
  readonly reader: FrontierReader
  readonly parts: readonly string[]
  readonly findings: readonly HostFindings[]
  readonly orders: Orders
}

async function storedReport({ reader, parts, findings, orders }: HostSource, now: number): Promise<StoredReport> {
  const refused = new RefusedInStore(findings)
  const conditions: Record<string, number> = {}
  const hosts: HostRecord[] = []
  const closed: ClosedPattern[] = []
  const driedUp: StoredReport['driedUp'][number][] = []
  const rounds: NonNullable<CoreHostMemory['rounds']> = []
  let documents = 0
  for await (const host of hostsOf(reader, parts)) {
    const core = coreMemory.ofHost(host.memory)
    const broken = brokenAt(host, findings, now)
    const { condition } = judgeHost(host, { pausedUntil: orders.ofHost(host.hostKey).pausedUntil, now, broken: broken[0]?.why })
    conditions[condition] = (conditions[condition] ?? 0) + 1
    documents += core.documents ?? 0
    rounds.push(...(core.rounds ?? []))
    refused.addOf(host.memory)
    driedUp.push(...broken)
    closed.push(...closedAtRest(host, findings, orders))
    if (host.retiredFor !== undefined || host.waiting > 0) hosts.push(host)
  }
  const { probation, ...problems } = await reader.problems()
  const counts = await reader.counts()
  const ages = counts.again === undefined ? undefined : await pageAges(reader, counts.known, now)
  const { waiting, retired } = Object.groupBy(hosts, ({ retiredFor }) => (retiredFor === undefined ? 'waiting' : 'retired'))
  return {
    counts,
    ...(ages && { ages }),
    ...(orders.isPaused && { paused: true as const }),
    ...orders.pausedHosts(now),
    ...(documents > 0 && { documents }),
    failures: await reader.failures(),
    ...problems,
    probation: { pages: probation.pages, requests: probation.requests.map(pageOnProbation) },
    ...{ closedPatterns: mostRefused(closed), driedUp: mostItems(driedUp), refusedLinks: refused.byRule },
    ...{ conditions, rounds: coreMemory.lastRounds(rounds) },
    waitingHosts: most(waiting).map((host) => waitingHost(host, orders.ofHost(host.hostKey).pausedUntil, now)),
    retiredHosts: most(retired).map(retiredHost),
  }
}

function brokenAt(
  host: Pick<HostRecord, 'hostKey' | 'memory'>,
  findings: readonly HostFindings[],
  now: number,
): StoredReport['driedUp'] {
  return findings.flatMap((each) => each.broken?.(host, now) ?? [])
}

/** Those that got most before. */
function mostItems(driedUp: StoredReport['driedUp']): StoredReport['driedUp'] {
  return driedUp.toSorted((a, b) => b.items - a.items || (a.hostKey < b.hostKey ? -1 : 1)).slice(0, MAX_LISTED)
}

/** Those with most waiting first. */
function most(hosts: readonly HostRecord[] = []): readonly HostRecord[] {
  return hosts.toSorted((a, b) => b.waiting - a.waiting).slice(0, MAX_LISTED)
}

function retiredHost({ hostKey, waiting, retiredFor: reason = '', probeAt }: HostRecord): StoredReport['retiredHosts'][number] {
  return { hostKey, waiting, reason, ...(probeAt !== undefined && { probeAt }) }
}

/** What an operator has paused is told as that, whatever else holds it: also where no process has met it since. */
function waitingHost(
  { hostKey, waiting, readyAt, memory }: HostRecord,
  pausedUntil: number,
  now: number,
): StoredReport['waitingHosts'][number] {
  const isPaused = pausedUntil > now
  const until = isPaused && isUntilResumed(pausedUntil) ? Infinity : Math.max(readyAt, isPaused ? pausedUntil : 0)
  const { heldFor } = coreMemory.ofHost(memory)
  const held = heldFor === undefined ? 'its turn had not come' : `${heldFor.by}: ${heldFor.why}`
  const why = isPaused ? 'operator: paused' : memory['core'] === undefined ? 'not visited yet' : held
  return { hostKey, waiting, until, why }
}

function pageOnProbation(page: RequestRecord): StoredReport['probation']['requests'][number] {
  const { url, reason, target, status = 0, notBefore = 0, missing: { since, visits } = { since: 0, visits: 0 } } = page
  const why = target === undefined ? (reason ?? 'not requested since') : `moved to ${target}`
  return { url, why, status, since, visits, nextAt: notBefore }
}

// How old is what a store knows of pages that are visited again: since when nobody has looked whether it is still so.
//
// Of a sample, as pages are known in the order of their discovery: pages of one host lie together, so it is taken in many small parts.

const PARTS = 64
const PART = 32

/** In ms, of pages that were had at their last visit; undefined where none is visited again. `known`: requests of the store. */
async function pageAges(reader: FrontierReader, known: number, now: number): Promise<StoredReport['ages']> {
  const step = Math.max(PART, Math.ceil(known / PARTS))
  const ages: number[] = []
  for (let afterId = 0; afterId < known; afterId += step) {
    for (const { notBefore, fetchedAt } of await reader.requests({ state: 'done', afterId, limit: PART }))
      if (notBefore !== undefined && fetchedAt !== undefined) ages.push(Math.max(0, now - fetchedAt))
  }
  ages.sort((a, b) => a - b)
  const at = (share: number): number => ages[Math.floor(share * (ages.length - 1))] ?? 0
  return ages.length === 0 ? undefined : { medianMs: at(0.5), p99Ms: at(0.99), pages: ages.length }
}
