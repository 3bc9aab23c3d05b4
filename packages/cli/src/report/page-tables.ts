// The tables of the page: what was given up and why, how each host was treated, and how each went. None where there is nothing to show.
import type { TableColumn, RateChart, ReportPart, TableRow } from '@avocet/html-report'
import { budgetInWords, CLOSED_FOR } from '../text/left-undone.ts'
import { formatCount, formatCountOf, formatDuration, formatMoment, formatRate } from '../text/quantity.ts'
import { isBroken } from './courtesy.ts'
import type { HostReport } from './host-report.ts'
import { keptInWords } from './store-lines.ts'
import type { StoreReport } from './store-report.ts'
import { busiest, leastPolite } from './which-hosts.ts'
import { crawlDelayInWords, retryAfterInWords, robotsInWords, stateOfHost } from './words.ts'

/** More rows would make a file that no browser likes; `--json` has them all. */
const MAX_ROWS = 2_000
const REASONS = 8

/** Pages that were given up, by class. */
export function deadLetterTable({ deadLetters }: StoreReport): readonly ReportPart[] {
  const columns = [text('class'), number('pages'), text('what it means'), text('reasons')]
  const rows = deadLetters.map(({ class: kind, means, count, reasons }): TableRow => {
    const first = reasons.slice(0, REASONS).map((each) => `${formatCount(each.count)} × ${each.reason}`)
    return { cells: [kind, formatCount(count), means, `${first.join(', ')}${reasons.length > REASONS ? ' …' : ''}`] }
  })
  return rows.length === 0 ? [] : [{ kind: 'table', title: 'Pages given up', columns, rows }]
}

/** Pages that are missing and not yet believed to be gone. */
export function probationTable({ probation: { pages, requests } }: StoreReport): readonly ReportPart[] {
  if (pages === 0) return []
  const missing = `${formatCountOf(pages, 'page')} missing when last requested, and not yet treated as gone`
  return [
    {
      kind: 'table',
      title: 'Pages on probation',
      note: `${missing}${pages > requests.length ? '; those missing longest' : ''}.`,
      columns: [text('page', 'name'), text('why'), text('since'), number('visits in a row'), text('requested again')],
      rows: requests.map(({ url, why, since, visits, nextAt }) => ({
        cells: [url, why, formatMoment(since), formatCount(visits), formatMoment(nextAt)],
      })),
    },
  ]
}

/** Patterns of URLs that bring nothing new. */
export function closedTable({ closedPatterns }: StoreReport): readonly ReportPart[] {
  if (closedPatterns.length === 0) return []
  return [
    {
      kind: 'table',
      title: 'Patterns of URLs closed',
      note: [{ code: 'avocet scope accept' }, ' opens one again, from the next run on.'],
      columns: [text('pattern', 'name'), text('why'), text('since'), number('pages seen'), number('refused')],
      rows: closedPatterns.map(({ pattern, reason, since, pages, refused }) => ({
        cells: [pattern, CLOSED_FOR[reason], formatMoment(since), formatCount(pages), formatCount(refused)],
      })),
    },
  ]
}

/** Pages of which links wait for a budget. */
export function waitingLinksTable({ waitingLinks }: StoreReport): readonly ReportPart[] {
  if (waitingLinks.length === 0) return []
  const accept = { code: 'avocet scope accept' }
  return [
    {
      kind: 'table',
      title: 'Links that wait for a budget',
      note: ['They are followed when their site has given more. ', accept, ' lifts the budget, from the next run on.'],
      columns: [text('page', 'name'), text('until'), number('links, at most')],
      rows: waitingLinks.map(({ url, budget, links }) => ({ cells: [url, budgetInWords(budget), formatCount(links)] })),
    },
  ]
}

/** How each host was treated: for its owner. */
export function courtesyTable(report: StoreReport): readonly ReportPart[] {
  const rows = leastPolite(report.hosts, MAX_ROWS)
  if (rows.length === 0) return []
  const wishes = [text('robots.txt, age'), text('Crawl-delay'), text('Retry-After')]
  return [
    {
      kind: 'table',
      title: 'Politeness',
      lead: `Crawl-delay: ${keptInWords(report.crawlDelay)}. Retry-After: ${keptInWords(report.retryAfter)}.`,
      note: 'Most requests that started in any second and in any minute, and the smallest gap between two starts.',
      columns: [text('host', 'name'), number('in 1 s'), number('in 60 s'), number('smallest gap'), ...wishes],
      rows: rows.flatMap((host) => courtesyRow(host, report.now)),
      ...cut(report.hosts.length),
    },
  ]
}

function courtesyRow({ hostKey, courtesy }: HostReport, now: number): readonly TableRow[] {
  if (courtesy === null) return []
  const { mostInSecond, mostInMinute, smallestGapMs } = courtesy
  const felt = [formatCount(mostInSecond), formatCount(mostInMinute), formatDuration(smallestGapMs)]
  const wishes = [robotsInWords(courtesy, now), crawlDelayInWords(courtesy), retryAfterInWords(courtesy)]
  return [{ cells: [hostKey, ...felt, ...wishes], isBad: isBroken(courtesy) }]
}

/** Every host in a line, with the shape of its rate. */
export function hostsTable({ hosts, now }: StoreReport, chartOf: (host: HostReport) => RateChart | null): readonly ReportPart[] {
  if (hosts.length === 0) return []
  const heads = ['found', 'requests', 'refused', 'failed', 'done', 'given up', 'waiting', 'half in', '9 in 10 in']
  return [
    {
      kind: 'table',
      title: 'Hosts',
      columns: [text('host', 'name'), text('rate over time'), ...heads.map(number), text('state')],
      rows: busiest(hosts, MAX_ROWS).map((host) => hostRow(host, chartOf(host), now)),
      ...cut(hosts.length),
    },
  ]
}

function hostRow(host: HostReport, chart: RateChart | null, now: number): TableRow {
  const { hostKey, requests, refusals, failures, done, failed, waiting, firstByte } = host
  const counts = [requests, refusals, failures, done, failed, waiting].map(formatCount)
  const times = [formatDuration(firstByte?.halfMs), formatDuration(firstByte?.nineInTenMs)]
  return { cells: [hostKey, chart, formatRate(host.foundRps), ...counts, ...times, stateOfHost(host, now)] }
}

function cut(hosts: number): { readonly foot?: string } {
  return hosts <= MAX_ROWS ? {} : { foot: `${formatCount(MAX_ROWS)} of ${formatCount(hosts)} hosts; --json has them all.` }
}

function text(name: string, kind: 'text' | 'name' = 'text'): TableColumn {
  return { name, kind }
}

function number(name: string): TableColumn {
  return { name, kind: 'number' }
}
