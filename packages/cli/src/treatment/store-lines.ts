// The report on a store as text of at most 100 columns.
import { formatDuration } from '@avocet/core/plugin'
import { commandLine } from '@avocet/project/place'
import { fit, fold, formatBytes, formatCount, formatCountOf, formatMoment, formatShare, printable } from '@avocet/project/text'
import { pagesIn } from '../exit-code.ts'
import { loginLine } from '../store/failed-logins.ts'
import { conditionsInWords, knownInWords, leftSections, lossSections, scopeSteps } from '../text/left-undone.ts'
import { filesLine, roundLines } from '../text/store-words.ts'
import { unruledOf } from './courtesy.ts'
import type { Obeyed, StoreReport } from './store-report.ts'
import { quantilesInWords, runLines, stateOfStore } from './report-words.ts'

/** Widest line. */
const COLUMNS = 100
/** Lines, no wider than the screen. `store`: as it was typed. */
export function storeLines(
  report: StoreReport,
  {
    screenColumns = COLUMNS,
    store,
    folder = '/',
  }: { readonly screenColumns?: number; readonly store?: string; readonly folder?: string } = {},
): string[] {
  const columns = Math.min(COLUMNS, screenColumns)
  const failures = report.deadLetters.flatMap(({ reasons }) => reasons)
  const left = [...lossSections({ ...report, failures }, folder), ...leftSections(report, { now: report.now, folder })]
  return [
    ...headLines(report).map((line) => fit(line, COLUMNS)),
    ...left.flatMap((lines) => (lines.length === 0 ? [] : ['', ...lines])).flatMap((line) => fold(line, columns)),
    ...hostLines(report).flatMap((line) => fold(line, columns)),
    ...courtesyLines(report).map((line) => fit(line, COLUMNS)),
    ...[...report.failedLogins.map((each) => `login of ${loginLine(each)}`), ...runLines(report.lastRuns)].flatMap((line) =>
      fold(line, columns),
    ),
    ...stepLines(report, store),
  ]
}

/** Commands to copy, whole. */
function stepLines(report: StoreReport, store: string | undefined): string[] {
  const named = store === undefined ? [] : [store]
  const list =
    report.deadLetters.length === 0
      ? []
      : ['to see which pages failed, and how to retry:', `  ${commandLine(['failed', 'list', ...named])}`]
  const steps = [...list, ...scopeSteps(report, store === undefined ? {} : { store })]
  return steps.length === 0 ? [] : ['', ...steps]
}

function headLines(report: StoreReport): string[] {
  const { name, counts, requests, refusals, networkErrors, wireBytes, firstByte, hosts, runs } = report
  const { firstAt, lastAt } = report
  const when = firstAt === null || lastAt === null ? '' : ` in ${formatDuration(lastAt - firstAt)}`
  const lines = [
    `${printable(name)}: ${formatCountOf(pagesIn(report), 'page')}, ${formatCountOf(counts.items, 'item')}${when}; ${stateOfStore(report)}`,
  ]
  if (report.state === 'unused') return lines
  if (!report.journalled) return [...lines, '  no details: it was crawled without the journal']
  if (report.files !== undefined) lines.push(`  files: ${filesLine(report.files)}`)
  const askedHosts = hosts.filter((host) => host.requests > 0).length
  if (firstAt !== null && lastAt !== null)
    lines.push(`  from ${formatMoment(firstAt)} to ${formatMoment(lastAt)}, ${formatCountOf(runs.length, 'run')}`)
  const part = (count: number, what: string): string => `${formatCount(count)} ${what} (${formatShare(count, requests)})`
  const ill = [part(refusals, 'refused'), part(networkErrors, 'network errors')].join(', ')
  lines.push(
    `  ${formatCountOf(requests, 'request')} to ${formatCountOf(askedHosts, 'host')}, ${formatBytes(wireBytes)}: ${ill}`,
    `  ${knownInWords(report)}`,
  )
  lines.push(...roundLines(report, report.now).map((line) => `  ${line}`))
  if (firstByte) lines.push(`  first byte: ${quantilesInWords(firstByte)}`)
  return lines
}

/** What hosts are like; `avocet hosts` has one a line. */
function hostLines({ hosts, conditions }: StoreReport): string[] {
  return hosts.length === 0 ? [] : ['', `hosts: ${conditionsInWords(conditions)}`]
}

/** How densely hosts were requested, and whether what they asked for was obeyed: of each host in `report --host`, of all of them in `--json`. */
function courtesyLines({ hosts, crawlDelay, retryAfter }: StoreReport): string[] {
  const known = hosts.flatMap(({ hostKey, courtesy, requests }) => (courtesy && requests > 0 ? { hostKey, courtesy } : []))
  const [first] = known
  if (first === undefined) return []
  const most = (within: 'mostInSecond' | 'mostInMinute'): string => {
    const { hostKey, courtesy } = known.reduce((a, b) => (b.courtesy[within] > a.courtesy[within] ? b : a), first)
    return `${formatCount(courtesy[within])} to ${printable(hostKey)}`
  }
  const unruled = known.filter(({ courtesy }) => unruledOf(courtesy) > 0).map(({ hostKey }) => hostKey)
  return [
    '',
    'politeness',
    `  most requests in 1 s: ${most('mostInSecond')}; in 60 s: ${most('mostInMinute')}`,
    ...(unruled.length === 0 ? [] : [`  robots.txt: NOT OBEYED at ${firstOf(unruled)}`]),
    `  Crawl-delay, Request-rate: ${obeyedInWords(crawlDelay)}`,
    `  Retry-After: ${obeyedInWords(retryAfter)}`,
  ]
}

/** `asked by 12 hosts, obeyed at all of them`. */
function obeyedInWords({ asked, broken }: Obeyed): string {
  if (asked === 0) return 'no host asked'
  return `asked by ${formatCountOf(asked, 'host')}, ${broken.length === 0 ? 'obeyed' : `NOT OBEYED at ${firstOf(broken)}`}`
}

function firstOf(hostKeys: readonly string[]): string {
  const others = hostKeys.length > 3 ? ` and ${formatCount(hostKeys.length - 3)} more` : ''
  return `${hostKeys.slice(0, 3).map(printable).join(', ')}${others}`
}
