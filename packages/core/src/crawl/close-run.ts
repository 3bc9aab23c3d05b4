// The end of a run: what it fetched with is closed, its report is written, and plugins close with it.
import { messageOf, type AvocetError } from '../values/errors.ts'
import type { CrawlReport, Ending } from '../ports/report.ts'
import { closed } from './open-and-close.ts'
import { reportOf } from './report-of.ts'
import type { Run } from '../run/run.ts'
import type { Totals } from '../run/tally.ts'

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
}

/** Closes a run and gives its report. */
export async function closeRun(run: Run, { error, opened, ...end }: RunEnd): Promise<CrawlReport> {
  const { settings, hooks, stations, tally, calls, sinks } = run
  const { spider, clock, fetcher } = settings
  tally.giveUp()
  tally.counts.pluginErrors = stations.caught
  if (clock.trouble !== undefined) tally.problem(clock.trouble)
  if (opened && error === undefined) await keepTexts(run)
  await fetcher.loaded?.close()
  const ends = sinks.status
  const facts = { ...end, ...(ends && { sinks: ends }), name: spider.name, endedAt: clock.now(), tally, ...(error && { error }) }
  const report = await reportOf(facts, opened ? { settings, calls } : undefined)
  if (opened) await closed(hooks.close.promise(report), { clock, stations, calls })
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
