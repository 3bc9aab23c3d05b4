// The report on a store as text of at most 100 columns.
import {
  column,
  fit,
  fold,
  columnsOf,
  printable,
  formatCount,
  formatCountOf,
  formatMoment,
  formatRate,
  formatShare,
  formatBytes,
} from '@avocet/project/text'
import { formatDuration } from '@avocet/core/plugin'
import { commandLine } from '@avocet/project/place'
import { handlerErrorLine, roundLine, rejectGroupLine, driedUpLine, refusedLines, filesLine } from '../text/store-words.ts'
import { pagesIn } from '../exit-code.ts'
import { loginLine } from '../store/failed-logins.ts'
import { closedLines, conditionsInWords, givenUpInWords, knownInWords, probationLines } from '../text/left-undone.ts'
import { scopeSteps } from '../text/scope-steps.ts'
import { sinkLine } from '../text/sink-line.ts'
import { isBroken } from './courtesy.ts'
import type { HostReport } from './host-report.ts'
import type { Obeyed, StoreReport } from './store-report.ts'
import { busiest, leastPolite } from './host-lines.ts'
import { quantilesInWords, crawlDelayInWords, retryAfterInWords, robotsInWords, runLines, stateOfStore } from './words.ts'

/** Widest line. */
const COLUMNS = 100
/** What the other columns leave of it. */
const HOST_COLUMNS = 35
const REASONS = 4
const RETIRED = 5
const PROBATION = 5
const CLOSED = 10

/** Lines; each table has `top` hosts, and is no wider than the screen. `store`: as it was typed. What is a sentence is folded by who prints it. */
export function storeLines(
  report: StoreReport,
  top: number,
  {
    screenColumns = COLUMNS,
    store,
    folder,
  }: { readonly screenColumns?: number; readonly store?: string; readonly folder?: string } = {},
): string[] {
  const columns = Math.min(COLUMNS, screenColumns)
  const errors = report.handlerErrors.map((group) => handlerErrorLine(group, folder ?? '/'))
  const cut = [
    ...headLines(report),
    ...listLines('broken layout', report.driedUp.map(driedUpLine), top, 'host'),
    ...deadLetterLines(report),
    ...listLines('errors in handlers', errors, REASONS, 'kind'),
    ...listLines('items set aside, by reason', report.rejects.map(rejectGroupLine), REASONS, 'reason'),
    ...probationLines(report.probation, report.now, Math.min(top, PROBATION)),
    ...closedLines(report.closedPatterns, Math.min(top, CLOSED)),
    ...refusedLines(report.refusedLinks),
    ...retiredLines(report, top),
    ...hostTable(report, top, columns),
    ...courtesyTable(report, top, columns),
  ].map((line) => fit(line.trimEnd(), COLUMNS))
  return [
    ...cut,
    ...[
      ...sinkLines(report, folder),
      ...report.failedLogins.map((each) => `login of ${loginLine(each)}`),
      ...runLines(report.lastRuns),
    ].flatMap((line) => fold(line, columns)),
    ...stepLines(report, store),
  ]
}

/** Commands to copy, whole. */
function stepLines(report: StoreReport, store: string | undefined): string[] {
  const named = store === undefined ? [] : [store]
  const list =
    report.deadLetters.length === 0
      ? []
      : ['to see which pages failed, and how to retry:', `  ${commandLine(['dlq', 'list', ...named])}`]
  const steps = [...list, ...scopeSteps(report, store === undefined ? {} : { store })]
  return steps.length === 0 ? [] : ['', ...steps]
}

function headLines(report: StoreReport): string[] {
  const { name, counts, requests, refusals, failures, wireBytes, firstByte, hosts, runs } = report
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
  const ill = [part(refusals, 'refused'), part(failures, 'network errors')].join(', ')
  lines.push(
    `  ${formatCountOf(requests, 'request')} to ${formatCountOf(askedHosts, 'host')}, ${formatBytes(wireBytes)}: ${ill}`,
    `  ${knownInWords(report)}`,
  )
  lines.push(...report.rounds.map((each) => `  ${roundLine(each, report.now)}`))
  if (firstByte) lines.push(`  first byte: ${quantilesInWords(firstByte)}`)
  return lines
}

/** Folded, not cut: what is wrong is at the end of a line. */
function sinkLines({ sinks }: StoreReport, folder: string | undefined): string[] {
  return sinks.length === 0 ? [] : ['', 'sinks', ...sinks.map((sink) => `  ${sinkLine(sink, folder)}`)]
}

function deadLetterLines({ deadLetters }: StoreReport): string[] {
  if (deadLetters.length === 0) return []
  return [
    '',
    'failed, by reason',
    ...deadLetters.flatMap(({ class: kind, means, count, reasons }) => [
      `  ${column(kind, 10)} ${column(formatCount(count), 7, 'right')}  ${means}`,
      ...reasons.slice(0, REASONS).map((each) => `    ${formatCount(each.count)} × ${printable(each.reason)}`),
      ...more(reasons.length - REASONS, 'reason'),
    ]),
  ]
}

function retiredLines({ hosts, counts, now }: StoreReport, top: number): string[] {
  const retired = hosts.filter(({ retiredFor }) => retiredFor !== null).toSorted((a, b) => b.waiting - a.waiting)
  if (retired.length === 0) return []
  const shown = Math.min(top, RETIRED)
  return [
    '',
    `hosts given up: ${formatCount(retired.length)}, with ${formatCountOf(counts.retired, 'request')} left`,
    ...retired
      .slice(0, shown)
      .map(
        ({ hostKey, waiting, retiredFor, probeAt }) =>
          `  ${printable(hostKey)}: ${formatCount(waiting)} left, ${givenUpInWords(retiredFor ?? '', probeAt, now)}`,
      )
      .flatMap((line) => fold(line, COLUMNS)),
    ...more(retired.length - shown, 'host'),
  ]
}

function hostTable({ hosts, conditions }: StoreReport, top: number, columns: number): string[] {
  const shown = busiest(hosts, top)
  if (shown.length === 0) return []
  const head = ['host', 'found', 'requests', 'refused', 'errors', 'done', 'items', 'waiting', 'median']
  const rows = shown.map((host) => [
    printable(host.hostKey),
    formatRate(host.foundRps),
    ...[host.requests, host.refusals, host.failures, host.done, itemsOf(host), host.waiting].map(formatCount),
    formatDuration(host.firstByte?.halfMs),
  ])
  return [
    '',
    `hosts: ${conditionsInWords(conditions)}${shown.length < hosts.length ? `; the busiest ${formatCount(shown.length)} of ${formatCount(hosts.length)}` : ''}`,
    ...tableLines([head, ...rows], { columns, numbers: head.length - 1, nameColumns: HOST_COLUMNS }),
  ]
}

function itemsOf({ handlers }: HostReport): number {
  return handlers.reduce((sum, { items }) => sum + items, 0)
}

/** Columns of wishes that few hosts have: Crawl-delay and Retry-After. */
const WISHES_FROM = 5

function courtesyTable(report: StoreReport, top: number, columns: number): string[] {
  const shown = leastPolite(report.hosts, top)
  if (shown.length === 0) return []
  const head = ['host', '1 s', '60 s', 'gap', 'robots.txt, age', 'Crawl-delay', 'Retry-After']
  const rows = shown.map((host) => courtesyCells(host, report.now))
  // A wish that no host has is in the lines below, and the names need the space.
  const isTold = head.map((_, n) => n < WISHES_FROM || rows.some((row) => (row[n] ?? '') !== ''))
  const told = [head, ...rows].map((row) => row.filter((_, n) => isTold[n]))
  const lines = tableLines(told, { columns, numbers: 3, nameColumns: HOST_COLUMNS })
  const isMarked = (n: number): boolean => {
    const courtesy = shown[n - 1]?.courtesy ?? null
    return courtesy !== null && isBroken(courtesy)
  }
  return [
    '',
    'politeness: most requests in 1 s and in 60 s, smallest gap between two starts',
    ...lines.map((line, n) => (isMarked(n) ? `!${line.slice(1)}` : line)),
    `  Crawl-delay: ${obeyedInWords(report.crawlDelay)}`,
    `  Retry-After: ${obeyedInWords(report.retryAfter)}`,
  ]
}

function courtesyCells({ hostKey, courtesy }: HostReport, now: number): readonly string[] {
  if (courtesy === null) return [printable(hostKey)]
  const { mostInSecond, mostInMinute, smallestGapMs } = courtesy
  const words = [robotsInWords(courtesy, now), crawlDelayInWords(courtesy), retryAfterInWords(courtesy)].map(printable)
  return [printable(hostKey), formatCount(mostInSecond), formatCount(mostInMinute), formatDuration(smallestGapMs), ...words]
}

/** `asked by 12 hosts, obeyed at all of them`. */
function obeyedInWords({ asked, broken }: Obeyed): string {
  if (asked === 0) return 'no host asked'
  if (broken.length === 0) return `asked by ${formatCountOf(asked, 'host')}, obeyed`
  const named = broken.slice(0, 3).map(printable).join(', ')
  const others = broken.length > 3 ? ` and ${formatCount(broken.length - 3)} more` : ''
  return `asked by ${formatCountOf(asked, 'host')}, NOT OBEYED at ${named}${others}`
}

/** A title, and at most `most` rows; nothing where there is none. */
function listLines(title: string, rows: readonly string[], most: number, noun: string): string[] {
  if (rows.length === 0) return []
  return ['', title, ...rows.slice(0, most).map((row) => `  ${row}`), ...more(rows.length - most, noun)]
}

function more(count: number, noun: string): string[] {
  return count > 0 ? [`    and ${formatCountOf(count, `more ${noun}`)}`] : []
}

/** What it looks like. */
interface TableLayout {
  /** Of the whole line. */
  readonly columns: number
  /** Cells after the name that are numbers, aligned to the right; those behind them are texts. */
  readonly numbers: number
  /** Most of the name, even where there is room. */
  readonly nameColumns: number
}

/** Shorter, a name says nothing: then the last texts are cut instead. */
const LEAST_NAME = 12

/** Lines; the first row is the head. All rows have as many cells. Texts must be printable. */
function tableLines(rows: readonly (readonly string[])[], { columns, numbers, nameColumns }: TableLayout): string[] {
  const widths = (rows[0] ?? []).map((_, n) => widest(rows.map((row) => columnsOf(row[n] ?? ''))))
  const [name = 0, ...others] = widths
  const gaps = 2 + others.length + (others.length > numbers ? 1 : 0)
  const left = columns - gaps - others.reduce((sum, each) => sum + each, 0)
  const first = Math.min(name, nameColumns, Math.max(LEAST_NAME, left))
  return rows.map(([title = '', ...cells]) => {
    const shown = cells.map((cell, n) => column(cell, others[n] ?? 0, n < numbers ? 'right' : 'left'))
    const texts = shown.slice(numbers).join(' ')
    const line = [`  ${column(title, first)}`, ...shown.slice(0, numbers)].join(' ')
    return column(texts === '' ? line : `${line}  ${texts}`, columns).trimEnd()
  })
}

function widest(widths: readonly number[]): number {
  return widths.reduce((a, b) => Math.max(a, b), 0)
}
