// A chart for each host that is worth one: its rate over time with its refusals marked, and the rate that its policy found.
import { formatCount } from '../../text/quantity.ts'
import type { HostReport } from '../host-report.ts'
import type { StoreReport } from '../store-report.ts'
import { rate } from '../words.ts'
import { worthDrawing } from '../which-hosts.ts'
import type { Span } from './axes.ts'
import { markup, type Markup } from './markup.ts'
import { rateChart, type RateChart } from './rate-chart.ts'

/** All in one span, so that they can be compared. */
export function hostCharts({ hosts }: StoreReport, span: Span, top: number): Markup | null {
  const drawn = worthDrawing(hosts, top)
  if (drawn.length === 0) return null
  const which = drawn.length < hosts.length ? `: ${formatCount(drawn.length)} of ${formatCount(hosts.length)}` : ''
  return markup`<h2>Rate by host${which}</h2>
<p class="quiet">Requests a second; <span class="key key-refused"></span>refused, <span class="key key-failed"></span>failed. The dashed line is the rate that the policy has found by now, where that is near.${drawn.length < hosts.length ? ' Those that refused most come first, then the busiest; --top N draws more.' : null}</p>
<div class="hosts">${drawn.map((host) => figure(host, span))}</div>`
}

/** What is drawn of one host. */
export function chartOf({ hostKey, timeline, foundRps }: HostReport, span: Span): RateChart {
  return {
    span,
    widthMs: timeline.widthMs,
    stretches: timeline.buckets,
    foundRps,
    title: `Requests a second to ${hostKey}`,
  }
}

function figure(host: HostReport, span: Span): Markup {
  const { hostKey, requests, refusals, failures, foundRps } = host
  const troubles = [
    refusals > 0 ? `, ${formatCount(refusals)} refused` : '',
    failures > 0 ? `, ${formatCount(failures)} failed` : '',
  ]
  return markup`<figure><figcaption><b>${hostKey}</b> ${formatCount(requests)} requests${troubles}${foundRps === null ? null : markup`, <span class="whole">found ${rate(foundRps)}</span>`}</figcaption>${rateChart(chartOf(host, span), 'small')}</figure>
`
}
