// The report as a page for a browser: what it says, in words. How it looks is up to @avocet/html-report.
import { formatBytes } from '@avocet/core/tools'
import type { Fact, RateChart, ReportPage, ReportPart, Span } from '@avocet/html-report'
import { formatCount, formatCountOf, formatDuration, formatMoment, formatRate, formatShare } from '../text/quantity.ts'
import type { HostReport } from './host-report.ts'
import { endsTable, runsTable } from './ends-and-runs.ts'
import { courtesyTable, hostsTable, itemsTable, troubleTable, waitingTable } from './host-tables.ts'
import { chartsOf, spanOf } from './page-charts.ts'
import { closedTable, deadLetterTable, probationTable, rejectsTable, sinksTable } from './page-tables.ts'
import type { StoreReport } from './store-report.ts'
import { worthDrawing } from './which-hosts.ts'
import { stateOfStore } from './words.ts'
import { commandName } from '../text/command-line.ts'

/** The whole page. `top` hosts get a chart of their own; paths of outputs are relative to `folder`. */
export function reportPage(report: StoreReport, top: number, folder?: string): ReportPage {
  const span = spanOf(report)
  return {
    title: report.name,
    subtitle: whenOf(report),
    facts: factsOf(report),
    parts: [
      ...(span === undefined ? withoutCharts(report) : []),
      ...troubleTable(report),
      ...deadLetterTable(report),
      ...rejectsTable(report),
      ...sinksTable(report, folder),
      ...(span === undefined ? [] : chartsOf(report.timeline, span)),
      ...endsTable(report.hosts),
      ...waitingTable(report),
      ...hostsTable(report, (host) => (span === undefined || host.requests === 0 ? null : rateChartOf(host, span))),
      ...itemsTable(report),
      ...courtesyTable(report),
      ...probationTable(report),
      ...closedTable(report),
      ...(span === undefined ? [] : hostCharts(report, span, top)),
      ...runsTable(report.lastRuns),
    ],
    footer: [
      'Written by ',
      { code: `${commandName()} report` },
      ` at ${formatMoment(report.now)}. All times are UTC. Times to the first byte are rounded up, by √2 at most.`,
    ],
  }
}

function withoutCharts({ state }: StoreReport): readonly ReportPart[] {
  return state === 'unused' ? [] : [{ kind: 'sentence', text: 'No details: it was crawled without the journal.' }]
}

function whenOf(report: StoreReport): string {
  const { firstAt, lastAt, runs } = report
  if (firstAt === null || lastAt === null) return `${stateOfStore(report)}; store ${report.store}`
  return `${formatMoment(firstAt)} to ${formatMoment(lastAt)}, ${formatCountOf(runs.length, 'run')}, ${stateOfStore(report)}; store ${report.store}`
}

function factsOf({ counts, requests, refusals, failures, wireBytes, firstByte, firstAt, lastAt }: StoreReport): readonly Fact[] {
  const fact = (name: string, value: string, note: string | null = null): Fact => ({ name, value, note })
  const waiting = counts.retired > 0 ? `${formatCount(counts.retired)} at hosts that were given up` : null
  return [
    fact('pages', formatCount(counts.done), `of ${formatCount(counts.known)} known`),
    fact('items', formatCount(counts.items), counts.rejects === undefined ? null : `${formatCount(counts.rejects)} set aside`),
    fact('waiting', formatCount(counts.waiting), waiting),
    fact('given up', formatCount(counts.failed), 'pages'),
    fact('hosts', formatCount(counts.hosts), counts.retiredHosts > 0 ? `${formatCount(counts.retiredHosts)} given up` : null),
    fact('took', firstAt === null || lastAt === null ? '–' : formatDuration(lastAt - firstAt), 'first to last request'),
    fact('requests', formatCount(requests), formatBytes(wireBytes)),
    fact('refused', formatCount(refusals), formatShare(refusals, requests)),
    fact('failed', formatCount(failures), `${formatShare(failures, requests)}, without an answer`),
    fact(
      'half answer within',
      formatDuration(firstByte?.halfMs),
      firstByte === null ? null : `9 in 10 within ${formatDuration(firstByte.nineInTenMs)}`,
    ),
  ]
}

/** All in one span, so that they can be compared. */
function hostCharts({ hosts }: StoreReport, span: Span, top: number): readonly ReportPart[] {
  const drawn = worthDrawing(hosts, top)
  if (drawn.length === 0) return []
  const all = drawn.length === hosts.length
  return [
    {
      kind: 'rates',
      title: `Rate by host${all ? '' : `: ${formatCount(drawn.length)} of ${formatCount(hosts.length)}`}`,
      ...(!all && { note: 'Those that refused most come first, then the busiest; --top N draws more.' }),
      charts: drawn.map((host) => ({
        name: host.hostKey,
        note: endsInWords(host),
        ...(host.foundRps !== null && { found: `found ${formatRate(host.foundRps)}` }),
        chart: rateChartOf(host, span),
      })),
    },
  ]
}

function rateChartOf({ hostKey, timeline, foundRps }: HostReport, span: Span): RateChart {
  const { widthMs, buckets } = timeline
  return { title: `Requests a second to ${hostKey}`, span, widthMs, stretches: buckets, foundRps }
}

function endsInWords({ requests, refusals, failures }: HostReport): string {
  const refused = refusals > 0 ? `, ${formatCount(refusals)} refused` : ''
  const failed = failures > 0 ? `, ${formatCount(failures)} failed` : ''
  return `${formatCount(requests)} requests${refused}${failed}`
}
