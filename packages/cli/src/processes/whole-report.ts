// The report of several processes: what each has counted, added up, and what the store has once none of them commits any more.
import type { CrawlReport } from '@avocet/core'
import type { CrawlStatus, StoredReport } from '@avocet/core/tools'
import { readStore } from '@avocet/project/store'
import { crawlAtRest, sinksAtRest, type SinkAtRest } from '../store/at-rest.ts'
import { filesTotals, type FilesTotals } from '../store/files-totals.ts'

/** What the store says. */
export interface StoredParts {
  readonly report: StoredReport
  readonly sinks: readonly SinkAtRest[]
  readonly files?: FilesTotals
  /** Processes that crawl on in it, of other commands. */
  readonly liveProcesses: number
}

/** What is asked beside the store. */
interface Asked {
  readonly hasFiles: boolean
  /** Epoch ms. */
  readonly now: number
}

/** Undefined if it cannot be read, which the processes have reported. */
export async function storedParts(path: string, { hasFiles, now }: Asked): Promise<StoredParts | undefined> {
  return readStore(path, async (reader) => {
    const report = await (await crawlAtRest(reader)).report({ now })
    const files = hasFiles ? await filesTotals(reader) : undefined
    const sinks = await sinksAtRest(reader, path)
    const { liveProcesses } = await reader.info()
    return { report, sinks, liveProcesses, ...(files && { files }) }
  }).catch(() => undefined)
}

/** What is known of the whole crawl apart from the reports. */
interface Whole {
  /** Epoch ms. */
  readonly startedAt: number
  /** Whether the first process that opened the store found a crawl there. */
  readonly resumed: boolean
  /** Counts of processes that died, as they told them last: what they did after that is in the store alone. */
  readonly past: readonly CrawlReport['run'][]
  readonly stored?: StoredParts
}

const MAX_PROBLEMS = 50

/**
 * The report of all, from those of each in the order in which they ended; undefined where there is none. Unless one failed or was stopped, the last knows how
 * the crawl has ended: one that has crawled its part of `maxPages` leaves the rest to others.
 */
export function wholeReport(reports: readonly CrawlReport[], whole: Whole): CrawlReport | undefined {
  const endedAs = (ended: CrawlReport['ended']): CrawlReport | undefined => reports.find((report) => report.ended === ended)
  const worst = endedAs('failed') ?? endedAs('stopped') ?? reports.at(-1)
  const last = reports.findLast(({ withoutStore }) => withoutStore === undefined) ?? reports.at(-1)
  if (worst === undefined || last === undefined) return undefined
  const { startedAt, stored, resumed, past } = whole
  const sinks = sinksOf(reports, stored)
  const sources = reports.flatMap((report) => report.sources ?? [])
  const { sinks: _sinks, sources: _sources, seeds: _seeds, error: _error, withoutStore, ...rest } = last
  const seeds = leastOffered(reports)
  return {
    ...rest,
    ...(stored === undefined ? withoutStore && { withoutStore } : stored.report),
    ended: worst.ended,
    why: worst.why,
    resumed,
    startedAt,
    endedAt: Math.max(...reports.map(({ endedAt }) => endedAt)),
    run: sumOfRuns([...reports.map(({ run }) => run), ...past]),
    ...(seeds && { seeds }),
    ...(sinks && { sinks }),
    ...(sources.length > 0 && { sources: mergedSources(sources) }),
    problems: mergedProblems(reports),
    ...(worst.error && { error: worst.error }),
  }
}

/** That of the process that has most left to offer; undefined once each has offered what it offers. */
export function leastOffered(each: readonly Pick<CrawlReport, 'seeds'>[]): CrawlReport['seeds'] {
  const [last] = each.toSorted((a, b) => (a.seeds?.offered ?? Infinity) - (b.seeds?.offered ?? Infinity))
  return last?.seeds
}

/** Those of this run, as the store has them: the process that wrote to one may have died. */
function sinksOf(reports: readonly CrawlReport[], stored: StoredParts | undefined): CrawlReport['sinks'] {
  const told = mergedSinks(reports.toReversed())
  return told?.map(({ elsewhere, ...sink }) => {
    const { written = sink.written, behind = sink.behind } = stored?.sinks.find(({ name }) => name === sink.name) ?? {}
    const isElsewhere = elsewhere === true && stored?.liveProcesses !== 0
    return { ...sink, written, behind, ...(isElsewhere && { elsewhere }) }
  })
}

/** Of each sink, what the process says that runs it. */
function mergedSinks(each: readonly Pick<CrawlStatus, 'sinks'>[]): CrawlStatus['sinks'] {
  const all = each.flatMap(({ sinks = [] }) => sinks)
  const names = [...new Set(all.map(({ name }) => name))]
  const merged = names.flatMap((name) => {
    const same = all.filter((sink) => sink.name === name)
    return same.find(({ elsewhere }) => elsewhere !== true) ?? same.slice(0, 1)
  })
  return merged.length === 0 ? undefined : merged
}

/** What several processes report is one thing that each of them met, such as a seed: it counts as often as in the one that met it most. */
function mergedProblems(reports: readonly CrawlReport[]): CrawlReport['problems'] {
  const counts = new Map<string, number>()
  for (const { message, count } of reports.flatMap(({ problems }) => problems))
    counts.set(message, Math.max(counts.get(message) ?? 0, count))
  return [...counts].map(([message, count]) => ({ message, count })).slice(0, MAX_PROBLEMS)
}

type Source = NonNullable<CrawlReport['sources']>[number]

/** Each document once, also if several processes read it. */
function mergedSources(sources: readonly Source[]): readonly Source[] {
  const byUrl = new Map<string, Source>()
  for (const { url, links, added, due } of sources) {
    const before = byUrl.get(url) ?? { links: 0, added: 0, due: 0 }
    byUrl.set(url, { url, links: before.links + links, added: before.added + added, due: before.due + due })
  }
  return [...byUrl.values()]
}

/** Counts of several runs, added up. */
export function sumOfRuns(runs: readonly CrawlReport['run'][]): CrawlReport['run'] {
  const add = (a: CrawlReport['run'], b: CrawlReport['run']): CrawlReport['run'] => {
    const names = Object.keys(a) as (keyof CrawlReport['run'])[]
    return { ...a, ...Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) }
  }
  return runs.reduce(add)
}
