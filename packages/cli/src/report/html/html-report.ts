// The report as one file that needs nothing else: charts and tables, for a browser, a mail or a printer.
import { formatBytes } from '@avocet/core'
import { formatCount, formatCountOf, formatDuration, formatMoment, formatShare } from '../../text/quantity.ts'
import type { StoreReport } from '../store-report.ts'
import { stateOfStore } from '../words.ts'
import type { Span } from './axes.ts'
import { closedTable, courtesyTable, deadLetterTable, hostTableHtml, probationTable, waitingLinksTable } from './host-tables.ts'
import { latencyChart } from './latency-chart.ts'
import { Markup, markup, type Filling } from './markup.ts'
import { hostCharts, rateChart } from './rate-chart.ts'
import { STYLE } from './style.ts'

/** Nothing is loaded and nothing runs, whatever slipped in. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'"

/** The whole file. `top` hosts get a chart of their own. */
export function htmlReport(report: StoreReport, top: number): string {
  const span = spanOf(report)
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${report.name}: report of a crawl</title>${Markup.ours(`<style>${STYLE}</style>`)}</head><body>
<h1>${report.name}</h1>
<p class="quiet">${whenOf(report)}</p>
${facts(report)}
${span === undefined ? withoutCharts(report) : chartsOf(report, span)}
${deadLetterTable(report)}
${probationTable(report)}
${closedTable(report)}
${waitingLinksTable(report)}
${span === undefined ? null : hostCharts(report, span, top)}
${courtesyTable(report)}
${hostTableHtml(report, span)}
<footer>Written by <code>avocet report</code> at ${formatMoment(report.now)}. All times are UTC. Times to the first byte are rounded up, by √2 at most.</footer>
</body></html>
`.toString()
}

function withoutCharts({ state }: StoreReport): Markup | null {
  return state === 'unused' ? null : markup`<p>No details: it was crawled without the journal.</p>`
}

/** From the first request to the end of the last bucket in which something ended. */
function spanOf({ firstAt, timeline }: StoreReport): Span | undefined {
  const [first, last] = [timeline.steps[0], timeline.steps.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { from: firstAt === null ? first.at : Math.min(firstAt, first.at + timeline.widthMs), until: last.at + timeline.widthMs }
}

function whenOf(report: StoreReport): string {
  const { firstAt, lastAt, runs } = report
  if (firstAt === null || lastAt === null) return `${stateOfStore(report)}; store ${report.store}`
  return `${formatMoment(firstAt)} to ${formatMoment(lastAt)}, ${formatCountOf(runs.length, 'run')}, ${stateOfStore(report)}; store ${report.store}`
}

function facts(report: StoreReport): Markup {
  const { counts, requests, refusals, failures, firstByte, firstAt, lastAt } = report
  const fact = (name: string, value: string, more: Filling = null): Markup =>
    markup`<div><dt>${name}</dt><dd>${value}</dd>${more === null ? null : markup`<small>${more}</small>`}</div>`
  const waiting = counts.retired > 0 ? `${formatCount(counts.retired)} at hosts that were given up` : null
  return markup`<dl class="facts">
${fact('pages', formatCount(counts.done), `of ${formatCount(counts.known)} known`)}
${fact('items', formatCount(counts.items))}
${fact('waiting', formatCount(counts.waiting), waiting)}
${fact('given up', formatCount(counts.failed), 'pages')}
${fact('hosts', formatCount(counts.hosts), counts.retiredHosts > 0 ? `${formatCount(counts.retiredHosts)} given up` : null)}
${fact('took', firstAt === null || lastAt === null ? '–' : formatDuration(lastAt - firstAt), 'first to last request')}
${fact('requests', formatCount(requests), formatBytes(report.wireBytes))}
${fact('refused', formatCount(refusals), formatShare(refusals, requests))}
${fact('failed', formatCount(failures), formatShare(failures, requests))}
${fact('half answer within', formatDuration(firstByte?.halfMs), firstByte === null ? null : `9 in 10 within ${formatDuration(firstByte.nineInTenMs)}`)}
</dl>`
}

function chartsOf({ timeline }: StoreReport, span: Span): Markup {
  const title = 'Requests a second, all hosts: answered, failed, refused'
  const { widthMs, steps: stretches } = timeline
  return markup`<h2>Throughput</h2><figure>${rateChart({ span, widthMs, stretches, title }, 'large')}
<figcaption><span class="key key-well"></span>answered<span class="key key-failed"></span>failed<span class="key key-refused"></span>refused (429, 503); requests a second, in steps of ${formatDuration(widthMs).replace('.0 ', ' ')}</figcaption></figure>
<h2>Time to the first byte</h2><figure>${latencyChart(timeline, span)}
<figcaption><span class="key key-half"></span>half of the answers<span class="key key-nine"></span>9 in 10<span class="key key-most"></span>99 in 100</figcaption></figure>`
}
