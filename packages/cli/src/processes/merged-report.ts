// Merges the reports of several processes into one: counts are added up, the worst ending is the ending of the crawl, and the store is read once, when no
// process commits any more.
import type { CrawlReport } from '@avocet/core'
import type { SinkStatus, StoredReport } from '@avocet/core/tools'
import { mergedSinks } from './merged-scene.ts'
import { addCounts } from './run-counts.ts'

/** The worst first. */
const ENDINGS = ['failed', 'stopped', 'limit', 'patience', 'given-up', 'done'] as const satisfies readonly CrawlReport['ended'][]

const MAX_PROBLEMS = 50

/** What is known of the whole crawl apart from the reports. */
export interface Whole {
  /** Epoch ms. */
  readonly startedAt: number
  /** As the first process that opened the store found it. */
  readonly resumed: boolean
  /** Counts of processes that died. */
  readonly past: CrawlReport['run']
  /** Absent where the store cannot be read: then a process may still have read it. */
  readonly stored?: StoredReport
  /** What all have counted, for where nobody could read it. Absent when none has shown anything. */
  readonly counted?: Pick<CrawlReport['counts'], 'known' | 'waiting' | 'done' | 'moved' | 'failed' | 'items'>
}

/** The report of all. `reports`: in the order in which they ended, at least one. */
export function mergedReport(reports: readonly CrawlReport[], { startedAt, resumed, past, stored, counted }: Whole): CrawlReport {
  const worst = ENDINGS.flatMap((ended) => reports.find((report) => report.ended === ended) ?? [])[0]
  const read = reports.findLast(({ withoutStore }) => withoutStore === undefined)
  const last = read ?? reports.at(-1)
  if (worst === undefined || last === undefined) throw new Error('expected the report of at least one process')
  const merged = mergedSinks(reports.toReversed())
  const sinks = read === undefined && stored === undefined && counted ? merged?.map(lackingOf(counted.items)) : merged
  const sources = reports.flatMap((report) => report.sources ?? [])
  const { sinks: _sinks, sources: _sources, error: _error, withoutStore: _withoutStore, ...rest } = last
  return {
    ...rest,
    // A process that could not read it knows its own part alone.
    ...(read === undefined && counted && { counts: { ...rest.counts, ...counted } }),
    ...(stored ?? { withoutStore: true }),
    ended: worst.ended,
    why: worst.why,
    resumed,
    startedAt,
    endedAt: Math.max(...reports.map(({ endedAt }) => endedAt)),
    run: reports.map(({ run }) => run).reduce(addCounts, past),
    ...(sinks && { sinks }),
    ...(sources.length > 0 && { sources: mergedSources(sources) }),
    problems: mergedProblems(reports),
    ...(worst.error && { error: worst.error }),
  }
}

/** Whoever wrote to a sink did not see what others committed last. */
function lackingOf(items: number): (sink: SinkStatus) => SinkStatus {
  return (sink) => ({ ...sink, behind: Math.max(sink.behind, items - sink.written - sink.setAside) })
}

function mergedProblems(reports: readonly CrawlReport[]): CrawlReport['problems'] {
  const counts = new Map<string, number>()
  for (const { message, count } of reports.flatMap(({ problems }) => problems))
    counts.set(message, (counts.get(message) ?? 0) + count)
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
