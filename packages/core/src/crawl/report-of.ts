// Writes the report of a run, from its counters and from what the frontier knows.
//
// A store that cannot be read any more (a full disk, a file that was taken away) must not cost the report: then the run's own counters
// take the place of the store's, and a problem says so. What may pass has been waited for, and is no failure of the run; a store that is damaged is.
import { Orders } from '../controls/orders.ts'
import { AvocetError, messageOf } from '../errors.ts'
import type { FrontierReader, HostRecord, MemoryParts } from '../frontier-reader.ts'
import { hostsOf } from '../hosts-of.ts'
import type { CrawlReport, DriedUp, Ending, SilentHandler } from '../report.ts'
import { heldForIn, type CoreHostMemory } from '../hosts/core-memory.ts'
import { documentsIn, driedUpOf, mostItems, hostYield } from '../hosts/handler-yields.ts'
import { RefusedLinks } from '../hosts/refused-links.ts'
import { closedAtRest, GAINS_PART } from '../traps/host-gains.ts'
import type { ClosedPattern } from '../closed-pattern.ts'
import { mostRefused } from '../closed-pattern.ts'
import { probationOf } from '../recrawl/probation.ts'
import type { Totals, Tally } from '../run/tally.ts'
import { isPassing, type StoreCalls } from '../store/store-calls.ts'
import { storedJson } from '../stored-json.ts'
import { isUntilResumed, OPERATOR } from '../until-resumed.ts'

const MAX_HOSTS = 100
/** With fewer pages it may be chance. */
const MANY = 10

/** What the report cannot read in the frontier. */
export interface RunFacts {
  readonly name: string
  readonly ended: Ending
  readonly why: string
  readonly resumed: boolean
  readonly startedAt: number
  readonly endedAt: number
  readonly tally: Tally
  readonly totals: Totals
  readonly sinks?: CrawlReport['sinks']
  readonly error?: AvocetError
}

/** What a report takes from the store. */
export type StoredReport = Pick<
  CrawlReport,
  | 'counts'
  | 'paused'
  | 'pausedHosts'
  | 'documents'
  | 'failures'
  | 'handlerErrors'
  | 'rejects'
  | 'waitingHosts'
  | 'retiredHosts'
  | 'probation'
  | 'closedPatterns'
  | 'silentHandlers'
  | 'driedUp'
  | 'refusedLinks'
>

/** What the report is read from. */
interface Source {
  readonly reader: FrontierReader
  readonly calls: StoreCalls
}

/** The report, by the run's own counts when there is no `source`. When it cannot be read for good, that is the error of the run, unless it has one already. */
export async function reportOf(facts: RunFacts, source?: Source): Promise<CrawlReport> {
  const { tally } = facts
  let { ended, why, error } = facts
  const read =
    source &&
    source.calls.make('report', () => storedReport(source.reader, { now: facts.endedAt, silentPages: tally.silentPages }))
  const stored = await (read ?? Promise.resolve(ownCounts(facts))).catch((thrown: unknown) => {
    tally.outage(
      `the store cannot be read, so the totals of this report are as of the last commit of this run: ${messageOf(thrown)}`,
    )
    if (!error && !isPassing(thrown)) {
      error = thrown instanceof AvocetError ? thrown : new AvocetError('AVO_INTERNAL', messageOf(thrown), { cause: thrown })
      ended = 'failed'
      why = error.message
    }
    return { ...ownCounts(facts), withoutStore: true as const }
  })
  return {
    schema: 1,
    name: facts.name,
    ...(overAt(stored, ended) ?? { ended, why: why + beyondBudgets(stored, ended) }),
    resumed: facts.resumed,
    startedAt: facts.startedAt,
    endedAt: facts.endedAt,
    run: { ...tally.counts },
    ...stored,
    ...(facts.sinks && { sinks: facts.sinks }),
    ...(tally.sources.all.length > 0 && { sources: tally.sources.all }),
    problems: tally.problems,
    ...(error && { error: { code: error.code, message: error.message } }),
  }
}

/**
 * The ending of a run that could not continue, when all that waits is of hosts that were given up. By the counts of the store: it is the truth, and
 * what another process does to it is in them.
 */
function overAt({ counts, retiredHosts }: StoredReport, ended: Ending): { ended: Ending; why: string } | undefined {
  const { waiting, retired, retiredHosts: hosts } = counts
  if ((ended !== 'done' && ended !== 'patience') || retired === 0 || waiting > retired) return undefined
  const left = `${retired} ${retired === 1 ? 'request' : 'requests'}`
  const where = retiredHosts.filter((host) => host.waiting > 0).length
  const many = where < MAX_HOSTS ? where : hosts
  const next =
    many === 1 ? 'host that was given up; the next run asks it again' : 'hosts that were given up; the next run asks them again'
  return { ended: 'given-up', why: `all that is left, ${left}, waits at ${many} ${next}` }
}

/** What a run that is done has left all the same. */
function beyondBudgets({ closedPatterns }: StoredReport, ended: Ending): string {
  const isMet = closedPatterns.some(({ reason }) => reason !== 'same-content')
  return ended === 'done' && isMet ? '; links beyond a budget were not followed' : ''
}

/** The part of a report that the store has: of all runs, whoever made them. `silentPages`: the last page of this run that each handler yielded nothing for. */
export async function storedReport(
  reader: FrontierReader,
  { now, silentPages = new Map() }: { readonly now: number; readonly silentPages?: ReadonlyMap<string, string> },
): Promise<StoredReport> {
  const waiting: HostRecord[] = []
  const retired: HostRecord[] = []
  const closed: ClosedPattern[] = []
  const refused = new RefusedLinks()
  const silent = new SilentHandlers()
  const driedUp: DriedUp[] = []
  let documents = 0
  const orders = await Orders.of(reader)
  for await (const host of hostsOf(reader, ['core', GAINS_PART])) {
    refused.addOf(host.memory)
    silent.addOf(host.memory)
    documents += documentsIn(host.memory)
    driedUp.push(...driedUpOf(host))
    closed.push(...closedAtRest(host, orders))
    if (host.retiredFor !== undefined) retired.push(host)
    else if (host.waiting > 0) waiting.push(host)
  }
  const most = (hosts: HostRecord[]): HostRecord[] => hosts.sort((a, b) => b.waiting - a.waiting).slice(0, MAX_HOSTS)
  return {
    counts: await reader.counts(),
    ...(orders.isPaused && { paused: true as const }),
    ...orders.pausedHosts(now),
    ...(documents > 0 && { documents }),
    failures: await reader.failures(),
    handlerErrors: await reader.handlerErrors(),
    rejects: await reader.rejectGroups(),
    probation: await probationOf(reader),
    closedPatterns: mostRefused(closed),
    silentHandlers: silent.found(silentPages),
    driedUp: mostItems(driedUp),
    refusedLinks: refused.byRule,
    waitingHosts: most(waiting).map((host) => waitingHost(host, orders.ofHost(host.hostKey).pausedUntil, now)),
    retiredHosts: most(retired).map(retiredHost),
  }
}

function retiredHost({ hostKey, waiting, retiredFor: reason = '', probeAt }: HostRecord): CrawlReport['retiredHosts'][number] {
  return { hostKey, waiting, reason, ...(probeAt !== undefined && { probeAt }) }
}

/** What an operator has paused is told as that, whatever else holds it: also where no process has met it since. */
function waitingHost(
  { hostKey, waiting, readyAt, memory }: HostRecord,
  pausedUntil: number,
  now: number,
): CrawlReport['waitingHosts'][number] {
  const isPaused = pausedUntil > now
  const until = isPaused && isUntilResumed(pausedUntil) ? Infinity : Math.max(readyAt, isPaused ? pausedUntil : 0)
  const why = isPaused ? `${OPERATOR}: paused` : heldForOf(memory)
  return { hostKey, waiting, until, why }
}

/** Without the store hosts are not counted at all. */
function ownCounts({ totals }: RunFacts): StoredReport {
  const { known, waiting, done, moved, failed, items } = totals
  return {
    counts: { known, waiting, done, moved, failed, items, hosts: 0, retiredHosts: 0, retired: 0 },
    failures: [],
    handlerErrors: [],
    rejects: [],
    probation: { pages: 0, requests: [] },
    closedPatterns: [],
    silentHandlers: [],
    driedUp: [],
    refusedLinks: [],
    waitingHosts: [],
    retiredHosts: [],
  }
}

/** What held a host when it was last given back. */
function heldForOf(memory: MemoryParts): string {
  if (memory['core'] === undefined) return 'not visited yet'
  const [, core] = storedJson(memory['core'], 'the memory of a host') as [number, CoreHostMemory]
  const held = heldForIn(core)
  return held === undefined ? 'its turn had not come' : `${held.by}: ${held.why}`
}

// One item or link ever, and a handler is never told of; where its pages used to have items, `hasDriedUp` notices.

/** Adds them up over the hosts of a store. */
export class SilentHandlers {
  /** Pages by name; undefined: it has yielded. */
  readonly #pages = new Map<string, number | undefined>()
  /** Those that every host counts by name where unnamed ones have yielded: any other may be one of these. */
  #named: ReadonlySet<string> | undefined

  /**
   * Adds those of the pages of a host, of which this is the memory.
   *
   * @throws AVO_FRONTIER_CORRUPT.
   */
  addOf(memory: MemoryParts): void {
    const yields = hostYield(memory)
    for (const { handler, pages, yielding } of yields) {
      if (handler === undefined) {
        if (yielding > 0) this.#onlyNamed(new Set(yields.flatMap(({ handler: name }) => name ?? [])))
      } else if (yielding > 0) this.#pages.set(handler, undefined)
      else if (this.#pages.get(handler) !== undefined || !this.#pages.has(handler))
        this.#pages.set(handler, (this.#pages.get(handler) ?? 0) + pages)
    }
  }

  /** `lastPages`: the last page of this run that each handler yielded nothing for. */
  found(lastPages: ReadonlyMap<string, string>): readonly SilentHandler[] {
    return [...this.#pages].flatMap(([handler, pages = 0]) => {
      if (pages < MANY || this.#named?.has(handler) === false) return []
      const url = lastPages.get(handler)
      return [{ handler, pages, ...(url !== undefined && { url }) }]
    })
  }

  #onlyNamed(names: ReadonlySet<string>): void {
    const before = this.#named
    this.#named = before === undefined ? names : new Set([...names].filter((name) => before.has(name)))
  }
}
