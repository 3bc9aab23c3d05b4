// The end of a run: what it fetched with is closed, its report is written from its counters and from what the frontier knows, and plugins close with it.
//
// A store that cannot be read any more (a full disk, a file that was taken away) must not cost the report: then the run's own counters
// take the place of the store's, and a problem says so. What may pass has been waited for, and is no failure of the run; a store that is damaged is.
import { messageOf, AvocetError } from '../values/errors.ts'
import type { CrawlReport, Ending, StoredReport } from '../ports/report.ts'
import { closed } from './open-and-close.ts'
import type { Run } from '../run/run.ts'
import type { Totals } from '../run/tally.ts'
import { isPassing } from '../run/store-calls.ts'

/** How it ended. */
interface RunEnd {
  readonly ended: Ending
  readonly why: string
  readonly error: AvocetError | undefined
  readonly resumed: boolean
  readonly startedAt: number
  readonly totals: Totals
  /** Whether the store was opened, and plugins with it. */
  readonly opened: boolean
  readonly seeds: CrawlReport['seeds'] | undefined
}

/** Closes a run and gives its report. */
export async function closeRun(run: Run, end: RunEnd): Promise<CrawlReport> {
  const { settings, hooks, stations, tally } = run
  const { clock, fetcher } = settings
  tally.counts.pluginErrors = stations.caught
  if (clock.trouble !== undefined) tally.problem(clock.trouble)
  if (end.opened && end.error === undefined) await keepTexts(run)
  await fetcher.loaded?.close()
  const report = await reportOf(run, end)
  if (end.opened) await closed(hooks.close.promise(report), { clock, stations })
  // A plugin may have thrown while it closed: the report that it was given could not know.
  return { ...report, run: { ...report.run, pluginErrors: stations.caught }, problems: tally.problems }
}

/** What plugins heard after the last commit. That it is lost is no reason for a run to fail. */
async function keepTexts({ settings, memories, tally, calls }: Run): Promise<void> {
  const texts = memories.texts?.changed(true) ?? {}
  if (Object.keys(texts).length === 0) return
  await calls
    .make('texts of plugins', () => settings.frontier.note(texts))
    .catch((error: unknown) => tally.problem(`texts of plugins were not saved: ${messageOf(error)}`))
}

/** By the run's own counts when the store was not opened, or cannot be read. When that is for good, it is the error of the run, unless it has one already. */
async function reportOf({ settings, calls, sinks, tally }: Run, end: RunEnd): Promise<CrawlReport> {
  const { frontier, plugins, report, spider, clock } = settings
  const { resumed, startedAt, totals, seeds } = end
  const [endedAt, delivered] = [clock.now(), sinks.status]
  let { ended, why, error } = end
  const read = async (): Promise<StoredReport> => (await report())(frontier.reader, plugins, { now: endedAt })
  const stored = await (end.opened ? calls.make('report', read) : Promise.resolve(ownCounts(totals))).catch((thrown: unknown) => {
    tally.outage(
      `the store cannot be read, so the totals of this report are as of the last commit of this run: ${messageOf(thrown)}`,
    )
    if (!error && !isPassing(thrown)) {
      error = thrown instanceof AvocetError ? thrown : new AvocetError('AVO_INTERNAL', messageOf(thrown), { cause: thrown })
      ended = 'failed'
      why = error.message
    }
    return { ...ownCounts(totals), withoutStore: true as const }
  })
  return {
    schema: 1,
    name: spider.name,
    ...(overAt(stored, ended) ?? { ended, why: why + beyondBudgets(stored, ended) }),
    ...{ resumed, startedAt, endedAt },
    run: { ...tally.counts },
    ...stored,
    ...(seeds && { seeds }),
    ...(delivered && { sinks: delivered }),
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
  // Those with most waiting are listed first, and not all where there are many.
  const many = where < retiredHosts.length ? where : hosts
  const next =
    many === 1 ? 'host that was given up; the next run asks it again' : 'hosts that were given up; the next run asks them again'
  return { ended: 'given-up', why: `all that is left, ${left}, waits at ${many} ${next}` }
}

/** What a run that is done has left all the same. */
function beyondBudgets({ closedPatterns }: StoredReport, ended: Ending): string {
  const isMet = closedPatterns.some(({ reason }) => reason !== 'same-content')
  return ended === 'done' && isMet ? '; links beyond a budget were not followed' : ''
}

/** Without the store hosts are not counted at all. */
function ownCounts({ known, waiting, done, moved, failed, items }: Totals): StoredReport {
  return {
    counts: { known, waiting, done, moved, failed, items, hosts: 0, retiredHosts: 0, retired: 0 },
    failures: [],
    handlerErrors: [],
    rejects: [],
    probation: { pages: 0, requests: [] },
    closedPatterns: [],
    driedUp: [],
    refusedLinks: [],
    conditions: {},
    rounds: [],
    waitingHosts: [],
    retiredHosts: [],
  }
}
