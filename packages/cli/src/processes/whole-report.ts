// The report of several processes: what each has counted, added up, and what the store has once none of them commits any more.
import type { CrawlReport } from '@avocet/core'
import { storedReport, type CrawlStatus } from '@avocet/core/tools'
import { filesTotals, type FilesTotals } from '../store/files-totals.ts'
import { readStore } from '../store/open-store.ts'
import { sinksAtRest, type SinkAtRest } from '../store/sinks-at-rest.ts'
import type { HadAtOpen } from './process-messages.ts'

/** What the store says. */
export interface StoredParts {
  readonly report: Awaited<ReturnType<typeof storedReport>>
  readonly sinks: readonly SinkAtRest[]
  readonly files?: FilesTotals
}

/** What is asked beside the store. */
interface Asked {
  readonly hasFiles: boolean
  /** Epoch ms. */
  readonly now: number
  /** The last page that each handler yielded nothing for. */
  readonly silentPages: ReadonlyMap<string, string>
}

/** Undefined if it cannot be read, which the processes have reported. */
export async function storedParts(path: string, { hasFiles, now, silentPages }: Asked): Promise<StoredParts | undefined> {
  return readStore(path, async (reader) => {
    const report = await storedReport(reader, { now, silentPages })
    const files = hasFiles ? await filesTotals(reader) : undefined
    const sinks = await sinksAtRest(reader, path)
    return { report, sinks, ...(files && { files }) }
  }).catch(() => undefined)
}

/** What is known of the whole crawl apart from the reports. */
interface Whole {
  /** Epoch ms. */
  readonly startedAt: number
  /** As the first process that opened the store found it. */
  readonly had?: HadAtOpen
  /** Counts of processes that died. */
  readonly past: CrawlReport['run']
  /** Whether a process died. */
  readonly hasLost: boolean
  readonly stored?: StoredParts
}

/** The worst first. */
const ENDINGS = ['failed', 'stopped', 'limit', 'patience', 'given-up', 'done'] as const satisfies readonly CrawlReport['ended'][]

const MAX_PROBLEMS = 50

/** The report of all; undefined where there is none of one. */
export function wholeReport(reports: readonly CrawlReport[], whole: Whole): CrawlReport | undefined {
  const worst = ENDINGS.flatMap((ended) => reports.find((report) => report.ended === ended) ?? [])[0]
  const last = reports.findLast(({ withoutStore }) => withoutStore === undefined) ?? reports.at(-1)
  if (worst === undefined || last === undefined) return undefined
  const { startedAt, stored, had } = whole
  const sinks = sinksOf(reports, stored)
  const sources = reports.flatMap((report) => report.sources ?? [])
  const { sinks: _sinks, sources: _sources, error: _error, withoutStore, ...rest } = last
  return {
    ...rest,
    ...(stored === undefined ? withoutStore && { withoutStore } : stored.report),
    ended: worst.ended,
    why: worst.why,
    resumed: had?.resumed ?? false,
    startedAt,
    endedAt: Math.max(...reports.map(({ endedAt }) => endedAt)),
    run: runOf(reports, whole),
    ...(sinks && { sinks }),
    ...(sources.length > 0 && { sources: mergedSources(sources) }),
    problems: mergedProblems(reports),
    ...(worst.error && { error: worst.error }),
  }
}

/** What a process did between its last word and its death is in the store alone. */
function runOf(reports: readonly CrawlReport[], { past, hasLost, had, stored }: Whole): CrawlReport['run'] {
  const told = reports.map(({ run }) => run).reduce(addCounts, NO_COUNTS)
  const run = addCounts(told, past)
  if (!hasLost || had === undefined || stored === undefined) return run
  const { done, items, failed, moved } = stored.report.counts
  return {
    ...run,
    pages: Math.max(told.pages, done - had.done),
    items: Math.max(told.items, items - had.items),
    failed: Math.max(told.failed, failed - had.failed),
    moved: Math.max(told.moved, moved - had.moved),
  }
}

/** Those of this run, as the store has them: the process that wrote to one may have died. */
function sinksOf(reports: readonly CrawlReport[], stored: StoredParts | undefined): CrawlReport['sinks'] {
  const told = mergedSinks(reports.toReversed())
  return told?.map((sink) => {
    const { written = sink.written, behind = sink.behind } = stored?.sinks.find(({ name }) => name === sink.name) ?? {}
    return { ...sink, written, behind }
  })
}

/** Of each sink, what the process says that runs it. */
export function mergedSinks(each: readonly Pick<CrawlStatus, 'sinks'>[]): CrawlStatus['sinks'] {
  const all = each.flatMap(({ sinks = [] }) => sinks)
  const names = [...new Set(all.map(({ name }) => name))]
  const merged = names.flatMap((name) => {
    const same = all.filter((sink) => sink.name === name)
    return same.find(({ elsewhere }) => elsewhere !== true) ?? same.slice(0, 1)
  })
  return merged.length === 0 ? undefined : merged
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

/** Of no run. */
export const NO_COUNTS: CrawlReport['run'] = {
  pages: 0,
  requests: 0,
  failures: 0,
  items: 0,
  dropped: 0,
  spoiled: 0,
  rejects: 0,
  failed: 0,
  retried: 0,
  moved: 0,
  links: 0,
  added: 0,
  refusedLinks: 0,
  wireBytes: 0,
  pluginErrors: 0,
}

/** Counts of two runs. */
export function addCounts(a: CrawlReport['run'], b: CrawlReport['run']): CrawlReport['run'] {
  const names = Object.keys(NO_COUNTS) as (keyof CrawlReport['run'])[]
  return { ...a, ...Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) }
}
