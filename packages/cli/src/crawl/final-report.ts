// The end of a run as text for people: what was done, what failed and why, what waits and until when.
import type { CrawlReport } from '@avocet/core'
import { isUntilResumed } from '@avocet/core/store'
import { plain, type Paint, printable, formatCount, formatCountOf, formatBytes } from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import { roundLines, filesLine } from '../text/store-words.ts'
import type { FilesTotals } from '../store/files-totals.ts'
import { knownInWords, leftSections, lossSections, section, seedsInWords } from '../text/left-undone.ts'
import type { ToldSink } from '../text/sink-line.ts'

const ENDED = {
  done: 'finished',
  'given-up': 'ended with hosts given up',
  patience: 'ended early',
  limit: 'ended at a limit',
  stopped: 'stopped',
  failed: 'ended with an error',
} as const satisfies Record<CrawlReport['ended'], string>

/** A host that waits no longer than this is held by nothing that a person could want to know. */
const SOON_MS = 5_000

/** The report names so many at most (see CrawlReport). */
const MAX_WAITING_HOSTS = 100

/** A report in which outputs have their paths. */
export type ToldReport = CrawlReport & { readonly sinks?: readonly ToldSink[]; readonly files?: FilesTotals }

/** Lines without control characters, for stderr; paths are relative to `folder`. The error of a crawl that failed is printed where its code is. */
export function finalReport(report: ToldReport, paint: Paint = plain, folder: string = '/'): string[] {
  const { run, ended, endedAt } = report
  const tone = ended === 'done' ? 'good' : ended === 'failed' ? 'bad' : 'warn'
  const why = report.error ? '' : `: ${printable(report.why)}`
  const seconds = formatDuration(report.endedAt - report.startedAt)
  return [
    `${paint('title', printable(report.name))} ${paint(tone, ENDED[ended])} after ${seconds}${why}`,
    `  this run: ${formatCountOf(run.pages, report.counts.again === undefined ? 'page' : 'visit')} done, ${formatCount(run.moved)} moved, ${formatCount(run.failed)} failed; ${formatCountOf(run.items, 'item')}${setApart(run)}`,
    `    ${formatCountOf(run.requests, 'request')}, ${formatCountOf(run.retried, 'retry', 'retries')}, ${formatCountOf(run.failures, 'network error')}, ${formatBytes(run.wireBytes)}`,
    `  ${inAll(report)}`,
    ...(report.seeds === undefined ? [] : [`  seeds: ${seedsInWords(report.seeds)}; the next run offers the rest`]),
    ...(report.files === undefined ? [] : [`  files: ${filesLine(report.files)}`]),
    ...indented(
      section('rounds', roundLines(report, endedAt), (line) => line),
      section('sitemaps and feeds', report.sources ?? [], sourceLine),
      ...lossSections(report, folder),
      waitingLines(report),
      ...leftSections(report, { now: endedAt, folder }),
      section('problems', problemsOf(report), ({ message, count }) => `${formatCount(count)} × ${printable(message)}`),
    ),
  ]
}

/** Which of two totals is as of when, where they need not agree. */
function inAll(report: CrawlReport): string {
  const { counts, withoutStore } = report
  const totals = `${knownInWords(report)}; ${formatCountOf(counts.items, 'item')}`
  if (withoutStore === undefined) return `in all: ${totals}, ${formatCountOf(counts.hosts, 'host')}`
  return `in all, as of the last commit, for the store could not be read at the end: ${totals}; pages of this run that it lacks are requested again by the next one`
}

/** Without what is said of a sink that still fails: its own line says why. */
function problemsOf({ problems, sinks = [] }: ToldReport): ToldReport['problems'] {
  const failing = sinks.filter(({ error }) => error !== undefined).map(({ name }) => `sink ${name} cannot be written to: `)
  return problems.filter(({ message }) => !failing.some((start) => message.startsWith(start)))
}

/** ` (3 dropped by plugins, 2 refused by the schema, 4 held), 12 changes`. */
function setApart({ dropped, rejects, held, changes }: CrawlReport['run']): string {
  const parts = [
    ...(dropped > 0 ? [`${formatCount(dropped)} dropped by plugins`] : []),
    ...(rejects > 0 ? [`${formatCount(rejects)} refused by the schema`] : []),
    ...(held > 0 ? [`${formatCount(held)} held`] : []),
  ]
  const changed = changes > 0 ? `, ${formatCountOf(changes, 'change')}` : ''
  return `${parts.length === 0 ? '' : ` (${parts.join(', ')})`}${changed}`
}

function indented(...sections: readonly (readonly string[])[]): readonly string[] {
  return sections.flat().map((line) => `  ${line}`)
}

/** A line for each host that something holds, and one for all others; these can continue at once, unless the crawl is paused, or ended because it waits. */
function waitingLines({ waitingHosts, ended, endedAt, paused }: CrawlReport): readonly string[] {
  const soon = waitingHosts.filter(({ until }) => until <= endedAt + SOON_MS)
  const held = waitingHosts.filter(({ until }) => until > endedAt + SOON_MS)
  const requests = soon.reduce((sum, { waiting }) => sum + waiting, 0)
  const least = waitingHosts.length >= MAX_WAITING_HOSTS ? 'at least ' : ''
  const can = paused ? ' until the crawl is resumed' : ended === 'patience' ? ' until it is due' : ' can continue at once'
  const goOn = `  ${least}${formatCountOf(soon.length, 'host')} with ${formatCountOf(requests, 'request')}${can}`
  const lines = section(
    'waiting',
    held,
    ({ hostKey, waiting, until, why }) =>
      `${printable(hostKey)}: ${formatCountOf(waiting, 'request')} ${isUntilResumed(until) || until === Infinity ? 'until it is resumed' : `for ${formatDuration(until - endedAt)}`} (${printable(why)})`,
  )
  if (soon.length === 0) return lines
  return lines.length === 0 ? ['waiting:', goOn] : [...lines, goOn]
}

/** `https://shop.example/sitemap.xml: 50,000 URLs, 1,200 new, 80 modified since their last visit`. */
function sourceLine({ url, links, added, due }: NonNullable<CrawlReport['sources']>[number]): string {
  const modified = due === 0 ? '' : `, ${formatCount(due)} modified since their last visit`
  return `${url === '' ? 'others' : printable(url)}: ${formatCountOf(links, 'URL')}, ${formatCount(added)} new${modified}`
}
