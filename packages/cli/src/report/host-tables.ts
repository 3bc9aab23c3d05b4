// The tables of the page that are about hosts: which need a look, how each went, what waits for what, and how each was treated. Trouble comes first.
import { hasDriedUp } from '@avocet/core/tools'
import type { RateChart, ReportPart, TableRow } from '@avocet/html-report'
import { formatCount, formatCountOf } from '../text/quantity.ts'
import { isBroken, unruledOf } from './courtesy.ts'
import type { HostReport } from './host-report.ts'
import { duration, moment, number, rate, text } from './page-columns.ts'
import { obeyedInWords } from './store-lines.ts'
import type { StoreReport } from './store-report.ts'
import { troubleCounts, troublesOf } from './host-trouble.ts'
import { leastPolite } from './which-hosts.ts'
import { crawlDelayInWords, retryAfterInWords, robotsInWords, stateOfHost } from './words.ts'

/** More rows would make a file that no browser likes; `--json` has them all. */
const MAX_ROWS = 2_000

/** What needs a look, with its reason and a page that shows it. */
export function troubleTable({ hosts, now }: StoreReport): readonly ReportPart[] {
  if (hosts.length === 0) return []
  const troubles = troublesOf(hosts, now)
  const healthy = formatCountOf(hosts.length - troubles.length, 'host')
  if (troubles.length === 0)
    return [{ kind: 'sentence', text: `No trouble at ${healthy}: none was given up, and few requests were refused or failed.` }]
  const rows = troubles.slice(0, MAX_ROWS).map(({ host, kind, reason, sample }): TableRow => {
    const counts = [host.waiting, host.requests, host.refusals, host.failures].map(formatCount)
    return { cells: [host.hostKey, kind, reason, sample, ...counts, moment(host.lastAt)] }
  })
  return [
    {
      kind: 'table',
      title: 'Hosts in trouble',
      lead: `${troubleCounts(troubles)}; ${healthy} healthy.`,
      columns: [
        text('host', 'name'),
        text('trouble', 'word'),
        text('reason'),
        text('last page that shows it'),
        ...['waiting', 'requests', 'refused', 'failed'].map(number),
        number('last request'),
      ],
      rows,
      ...cut(troubles.length),
    },
  ]
}

/** Every host in a line, with the shape of its rate: those in trouble first, then the others by name. */
export function hostsTable({ hosts, now }: StoreReport, chartOf: (host: HostReport) => RateChart | null): readonly ReportPart[] {
  if (hosts.length === 0) return []
  const troubled = troublesOf(hosts, now).map(({ host }) => host)
  const isTroubled = new Set(troubled)
  const ordered = [...troubled, ...hosts.filter((host) => !isTroubled.has(host))]
  const heads = ['requests', 'refused', 'failed', 'pages', 'items', 'given up', 'waiting', 'found', 'half in', '9 in 10 in']
  return [
    {
      kind: 'table',
      title: 'All hosts',
      columns: [text('host', 'name'), text('state'), { name: 'rate over time', kind: 'shape' }, ...heads.map(number)],
      rows: ordered.slice(0, MAX_ROWS).map((host) => hostRow(host, chartOf(host), { now, isBad: isTroubled.has(host) })),
      ...cut(hosts.length),
    },
  ]
}

function hostRow(
  host: HostReport,
  chart: RateChart | null,
  { now, isBad }: { readonly now: number; readonly isBad: boolean },
): TableRow {
  const { hostKey, requests, refusals, failures, done, failed, waiting, firstByte, handlers } = host
  const items = handlers.reduce((sum, each) => sum + each.items, 0)
  const counts = [requests, refusals, failures, done, items, failed, waiting].map(formatCount)
  const times = [duration(firstByte?.halfMs), duration(firstByte?.nineInTenMs)]
  // Why it was given up is in the table of the hosts in trouble.
  const state = host.state === 'given-up' ? 'given up' : stateOfHost(host, now)
  return { cells: [hostKey, state, chart, ...counts, rate(host.foundRps), ...times], isBad }
}

/** What waits, by what it waits for. */
export function waitingTable({ hosts, now }: StoreReport): readonly ReportPart[] {
  const waiting = hosts.filter((host) => host.waiting > 0)
  if (waiting.length === 0) return []
  const causes = new Map<string, HostReport[]>()
  for (const host of waiting) {
    const cause = causeOf(host)
    causes.set(cause, [...(causes.get(cause) ?? []), host])
  }
  const rows = [...causes]
    .map(([cause, its]) => ({ cause, its, requests: its.reduce((sum, host) => sum + host.waiting, 0) }))
    .toSorted((a, b) => b.requests - a.requests)
    .slice(0, MAX_ROWS)
    .map(({ cause, its, requests }): TableRow => {
      const until = its.flatMap((host) => host.waitsFor?.until ?? [])
      const first = until.length === 0 ? null : until.reduce((a, b) => Math.min(a, b))
      return {
        cells: [
          cause,
          formatCount(requests),
          formatCount(its.length),
          first === null ? null : duration(first - now),
          its[0]?.hostKey ?? null,
        ],
      }
    })
  const columns = [
    text('what it waits for'),
    number('requests'),
    number('hosts'),
    number('first one in'),
    text('such as', 'name'),
  ]
  return [{ kind: 'table', title: 'Waiting', columns, rows }]
}

function causeOf({ state, retiredFor, waitsFor }: HostReport): string {
  if (state === 'given-up') return `its host was given up: ${retiredFor ?? ''}`
  if (state === 'crawled') return 'its turn: the host is being crawled'
  return waitsFor === null ? 'the next run' : `${waitsFor.why} (${waitsFor.by})`
}

/** What each handler got from each host. */
export function itemsTable({ hosts }: StoreReport): readonly ReportPart[] {
  const rows = hosts.flatMap(({ hostKey, handlers }) =>
    handlers.map((each): TableRow => {
      const { handler = 'further handlers', pages, items, dropped, rejects, spoiled, barren } = each
      const counts = [pages, items, dropped, rejects, spoiled].map(formatCount)
      const perPage = pages === 0 ? null : (items / pages).toFixed(items > 0 && items < pages ? 2 : 1)
      return { cells: [hostKey, handler, ...counts, perPage, formatCount(barren)], isBad: hasDriedUp(each) }
    }),
  )
  if (rows.length === 0) return []
  return [
    {
      kind: 'table',
      title: 'Items by host and handler',
      note: 'Of all runs. Handlers that stopped finding items are marked: the site may have changed.',
      columns: [
        text('host', 'name'),
        text('handler', 'name'),
        ...[
          'pages',
          'items',
          'dropped',
          'refused by the schema',
          'pages failed for an item',
          'items a page',
          'last pages without',
        ].map(number),
      ],
      rows: rows.slice(0, MAX_ROWS),
      ...(rows.length > MAX_ROWS && {
        foot: `${formatCount(MAX_ROWS)} of ${formatCount(rows.length)} rows; --json has them all.`,
      }),
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
      lead: `Crawl-delay: ${obeyedInWords(report.crawlDelay)}. Retry-After: ${obeyedInWords(report.retryAfter)}.`,
      note: 'Most requests that started in any second and in any minute, and the smallest gap between two starts.',
      columns: [text('host', 'name'), number('in 1 s'), number('in 60 s'), number('smallest gap'), ...wishes],
      rows: rows.flatMap((host) => courtesyRow(host, report.now)),
      ...cut(report.hosts.length),
    },
  ]
}

function courtesyRow({ hostKey, courtesy }: HostReport, now: number): readonly TableRow[] {
  if (courtesy === null) return []
  const { mostInSecond, mostInMinute, smallestGapMs, robots } = courtesy
  const felt = [formatCount(mostInSecond), formatCount(mostInMinute), duration(smallestGapMs)]
  const wishes = [robotsInWords(courtesy, now), crawlDelayInWords(courtesy), retryAfterInWords(courtesy)]
  return [
    { cells: [hostKey, ...felt, ...wishes], isBad: isBroken(courtesy) || (robots.copies.length > 0 && unruledOf(courtesy) > 0) },
  ]
}

function cut(rows: number): { readonly foot?: string } {
  return rows <= MAX_ROWS ? {} : { foot: `${formatCount(MAX_ROWS)} of ${formatCount(rows)} hosts; --json has them all.` }
}
