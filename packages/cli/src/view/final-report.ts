// The report of a run as text for people: what was done, what failed and why, what waits and until when.
import type { CrawlReport } from '@avocet/core'
import { printable } from '../text/printable.ts'
import { formatBytes, formatCount, formatCountOf, formatDuration } from '../text/quantity.ts'
import { plain, type Paint } from './paint.ts'

/** More are in `--json`. */
const MAX_ROWS = 10

const ENDED = {
  done: 'finished',
  patience: 'ended early',
  limit: 'ended at a limit',
  stopped: 'stopped',
  failed: 'failed',
} as const satisfies Record<CrawlReport['ended'], string>

/** Lines without control characters, for stderr. */
export function finalReport(report: CrawlReport, paint: Paint = plain): string[] {
  const { run, counts, ended } = report
  const tone = ended === 'done' ? 'good' : ended === 'failed' ? 'bad' : 'warn'
  const seconds = formatDuration(report.endedAt - report.startedAt)
  return [
    `${paint('title', printable(report.name))} ${paint(tone, ENDED[ended])} after ${seconds}: ${printable(report.why)}`,
    `  this run: ${formatCountOf(run.pages, 'page')}, ${formatCountOf(run.items, 'item')}, ${formatCountOf(run.requests, 'request')} (${formatCount(run.retried)} retried, ${formatCount(run.moved)} moved, ${formatCount(run.failed)} failed), ${formatBytes(run.wireBytes)}`,
    `  in all: ${formatCount(counts.known)} known, ${formatCount(counts.done)} done, ${formatCount(counts.moved)} moved, ${formatCount(counts.failed)} failed, ${formatCount(counts.waiting)} waiting, ${formatCountOf(counts.items, 'item')}, ${formatCountOf(counts.hosts, 'host')}`,
    ...section('failed', report.failures, ({ reason, count }) => `${formatCount(count)} × ${printable(reason)}`),
    ...section(
      'waiting',
      report.waitingHosts,
      (host) =>
        `${printable(host.hostKey)}: ${formatCount(host.waiting)}, ${untilOf(host.until, report.endedAt)} (${printable(host.why)})`,
    ),
    ...section(
      'given up',
      report.retiredHosts,
      (host) => `${printable(host.hostKey)}: ${formatCount(host.waiting)} left, ${printable(host.reason)}`,
    ),
    ...section('problems', report.problems, ({ message, count }) => `${formatCount(count)} × ${printable(message)}`),
  ]
}

function section<Row>(title: string, all: readonly Row[], line: (row: Row) => string): string[] {
  if (all.length === 0) return []
  const more = all.length - MAX_ROWS
  return [
    `  ${title}:`,
    ...all.slice(0, MAX_ROWS).map((row) => `    ${line(row)}`),
    ...(more > 0 ? [`    and ${formatCount(more)} more`] : []),
  ]
}

function untilOf(until: number, now: number): string {
  if (!Number.isFinite(until)) return 'until one of its exchanges settles'
  return until <= now ? 'due now' : `for ${formatDuration(until - now)}`
}
