// A crawl at rest: what its store knows, read without running it. `avocet report`, `why`, `hosts` and `status` are made of this, and scripts over a store.
//
// Orders and the memory of the crawl are small and are read once, when it is opened; hosts may be a million, and are handed out page by page.
import { Orders } from '../controls/orders.ts'
import { fullPattern, mostRefused, type ClosedPattern, type HostFindings } from '../ports/closed-pattern.ts'
import {
  type FrontierReader,
  type HostRecord,
  type MemoryParts,
  type RequestRecord,
  isUntilResumed,
  OPERATOR,
} from '../ports/frontier-reader.ts'
import { explainHost, type Explanation, type HostAtRest, type ExplainOptions } from '../hooks/explain-host.ts'
import type { CoreCrawlMemory, LoginAtRest } from '../hosts/crawl-core-memory.ts'
import { heldForIn, type CoreHostMemory } from '../hosts/core-memory.ts'
import { crawlTextOf } from '../hosts/crawl-texts.ts'
import { hostYield, type HandlerYield } from '../hosts/handler-yields.ts'
import { driedUpOf, judgeHost, mostItems, type HostJudgement } from '../hosts/host-judgement.ts'
import { lastRounds, type RoundRow } from '../hosts/rounds.ts'
import { RefusedLinks, refusedLinksOf } from '../hosts/refused-links.ts'
import type { PageOnProbation, Probation } from '../ports/request.ts'
import type { DriedUp, RefusalRule, StoredReport } from '../ports/report.ts'
import { withoutCredentials } from '../secrets/secret-parameters.ts'
import { secretNamesIn } from '../secrets/secret-name.ts'
import { coreCrawlMemoryIn, coreMemoryIn } from '../ports/stored-json.ts'
import { canonicalUrl } from '../url/canonicalize.ts'
import { DroppedParameters } from '../url/dropped-parameters.ts'
import { compileScope } from '../url/scope.ts'
import { lastScope } from '../url/scope-at-rest.ts'

/** Hosts that a report lists of one kind. */
export const MAX_HOSTS = 100
/** A host's record has its robots.txt, of up to half a megabyte: more of those at a time would take noticeable memory. */
const PAGE = 100
/** Core's own parts are small. */
const PAGE_OF_PARTS = 1_000
/** How much is read of what is remembered of hosts: nothing, core's own small parts, or also what plugins remember, which is most of a large store. */
type MemoryWish = 'none' | 'core' | 'all'

/** A plugin, as far as it says something of hosts at rest. */
type Finder = { readonly findings?: HostFindings }

/** What a store knows of its crawl. */
export interface CrawlAtRest {
  /** What operators have ordered. */
  readonly orders: Orders
  /** Names of query parameters, decoded and in lower case, whose values are in no store because a run named them as secret. */
  readonly secretParameters: readonly string[]
  /** What is known of the logins of sessions: of `session NAME`, or of `host KEY` where the session is that of a host. */
  readonly logins: ReadonlyMap<string, LoginAtRest>
  /** The report of all runs, as of `now`, epoch ms. Throws AVO_FRONTIER_…. */
  report(moment: { readonly now: number }): Promise<StoredReport>
  /**
   * Every host, in the order of their keys. `memory`: how much is read of what is remembered of each: `none`, `core` (for `handlers` and `closedPatterns`), or
   * `all`, the default (for `explain`). Throws AVO_FRONTIER_….
   */
  hosts(wish?: { readonly memory?: MemoryWish }): AsyncGenerator<HostRecord>
  /**
   * What each handler got from the pages of a host, in all runs, in the order in which the handlers were first used. The items of all handlers and hosts
   * add up to the items of the store. Throws AVO_FRONTIER_CORRUPT.
   */
  handlers(host: Pick<HostRecord, 'memory'>): readonly HandlerYield[]
  /** What a host is like now, and why, as of when it was last asked. `now`: epoch ms. Throws AVO_FRONTIER_CORRUPT. */
  judge(host: Pick<HostRecord, 'hostKey' | 'retiredFor' | 'waiting' | 'done' | 'failed' | 'memory'>, now: number): HostJudgement
  /** Asks plugins about a host: what holds it, and what each of them knows. */
  explain(host: HostAtRest, options: ExplainOptions): Explanation
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
  /** The rule of the last run's scope that refuses a URL of a host, however few links from a seed it is; undefined: none that is known. */
  refusal(url: string, hostKey: string): RefusalRule | undefined
  /** How many links from a seed the last run's scope follows. Absent: no limit that is known. */
  readonly maxDepth?: number
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
 * import { atRest } from '@avocet/core/tools'
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
  const crawlMemories = await reader.crawlMemories()
  const core = crawlMemories.map(coreCrawlMemoryIn<CoreCrawlMemory>)
  const secretParameters = secretNamesIn(core)
  const { dropped: names, scope, seedHosts } = lastScope(core)
  const dropped = new DroppedParameters(names, (name) => secretParameters.includes(name))
  return {
    orders,
    secretParameters,
    logins: new Map(core.flatMap(({ logins = {} }) => Object.entries(logins))),
    report: ({ now }) => storedReport({ reader, parts: parts.core, findings }, orders, now),
    hosts: ({ memory = 'all' } = {}) => hostsOf(reader, parts[memory]),
    handlers: ({ memory }) => hostYield(memory),
    judge: (host, now) => judgeHost(host, { pausedUntil: orders.ofHost(host.hostKey).pausedUntil, now }),
    explain: (host, options) => explainHost(host, options, { crawlMemories, orders }),
    closedPatterns: (host, url) => closedAtRest(host, findings, { accepted: orders.accepted, url }),
    async requestsOf(typed, declared = []) {
      const plain = withoutCredentials(dropped.from(typed), [...secretParameters, ...declared])
      for (const url of new Set([plain, typed, canonicalUrl(plain)])) {
        const requests = await reader.history(url)
        if (requests.length > 0) return { url, requests }
      }
      return { url: plain, requests: [] }
    },
    refusal: (url, hostKey) => compileScope(scope, seedHosts, () => {}).refusal(dropped.from(url), hostKey, 0),
    ...(scope.maxDepth !== undefined && { maxDepth: scope.maxDepth }),
    refusedLinksTo: async (hostKey) => (await refusedLinksOf(reader, hostKey)).to(hostKey),
    memories: (plugin) => crawlMemories.flatMap((parts) => parts[plugin] ?? []),
    texts: (name) => crawlMemories.flatMap((parts) => crawlTextOf(parts, name) ?? []),
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

interface HostSource {
  readonly reader: FrontierReader
  readonly parts: readonly string[]
  readonly findings: readonly HostFindings[]
}

async function storedReport({ reader, parts, findings }: HostSource, orders: Orders, now: number): Promise<StoredReport> {
  const waiting: HostRecord[] = []
  const retired: HostRecord[] = []
  const closed: ClosedPattern[] = []
  const refused = new RefusedLinks()
  const driedUp: DriedUp[] = []
  const sums: HostSums = { documents: 0, conditions: {}, rounds: [] }
  for await (const host of hostsOf(reader, parts)) {
    refused.addOf(host.memory)
    addHost(sums, host, { pausedUntil: orders.ofHost(host.hostKey).pausedUntil, now })
    driedUp.push(...driedUpOf(host, now))
    closed.push(...closedAtRest(host, findings, orders))
    if (host.retiredFor !== undefined) retired.push(host)
    else if (host.waiting > 0) waiting.push(host)
  }
  const most = (hosts: HostRecord[]): HostRecord[] => hosts.sort((a, b) => b.waiting - a.waiting).slice(0, MAX_HOSTS)
  return {
    counts: await reader.counts(),
    ...(orders.isPaused && { paused: true as const }),
    ...orders.pausedHosts(now),
    ...(sums.documents > 0 && { documents: sums.documents }),
    failures: await reader.failures(),
    handlerErrors: await reader.handlerErrors(),
    rejects: await reader.rejectGroups(),
    probation: await probationOf(reader),
    closedPatterns: mostRefused(closed),
    driedUp: mostItems(driedUp),
    refusedLinks: refused.byRule,
    conditions: sums.conditions,
    rounds: lastRounds(sums.rounds),
    waitingHosts: most(waiting).map((host) => waitingHost(host, orders.ofHost(host.hostKey).pausedUntil, now)),
    retiredHosts: most(retired).map(retiredHost),
  }
}

/** Budgets that a host has met, and patterns that plugins closed there, but for those that were `accepted`; with `url`, only those that it is of. */
function closedAtRest(
  { hostKey, memory }: Pick<HostRecord, 'hostKey' | 'memory'>,
  findings: readonly HostFindings[],
  { accepted, url }: { readonly accepted: ReadonlySet<string>; readonly url?: string | undefined },
): readonly ClosedPattern[] {
  const { met = [] } = coreMemoryIn<CoreHostMemory>(memory)
  const own = url === undefined ? met : met.filter(({ reason }) => reason === 'new-urls')
  return [...own, ...findings.flatMap((each) => each.closed?.(memory, url) ?? [])]
    .map((closed) => ({ ...closed, pattern: fullPattern(hostKey, closed.pattern) }))
    .filter(({ pattern }) => !accepted.has(pattern))
}

/** Pages that are missing and not yet believed to be gone, those missing longest first. */
async function probationOf(reader: FrontierReader): Promise<Probation> {
  const { pages, requests } = await reader.probation({ limit: MAX_HOSTS })
  return { pages, requests: requests.map(pageOnProbation) }
}

function pageOnProbation({ url, reason, target, status = 0, notBefore = 0, missing }: RequestRecord): PageOnProbation {
  const { since, visits } = missing ?? { since: 0, visits: 0 }
  const why = target === undefined ? (reason ?? 'not requested since') : `moved to ${target}`
  return { url, why, status, since, visits, nextAt: notBefore }
}

/** What is added up over all hosts. */
interface HostSums {
  documents: number
  readonly conditions: Record<string, number>
  readonly rounds: RoundRow[]
}

function addHost(sums: HostSums, host: HostRecord, moment: Parameters<typeof judgeHost>[1]): void {
  const { documents = 0, rounds = [] } = coreMemoryIn<CoreHostMemory>(host.memory)
  const { condition } = judgeHost(host, moment)
  sums.documents += documents
  sums.rounds.push(...rounds)
  sums.conditions[condition] = (sums.conditions[condition] ?? 0) + 1
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
  const why = isPaused ? `${OPERATOR}: paused` : heldForOf(memory)
  return { hostKey, waiting, until, why }
}

/** What held a host when it was last given back. */
function heldForOf(memory: MemoryParts): string {
  if (memory['core'] === undefined) return 'not visited yet'
  const held = heldForIn(coreMemoryIn(memory))
  return held === undefined ? 'its turn had not come' : `${held.by}: ${held.why}`
}
