// The tables of the report: what was given up and why, how each host was treated, and how each went.
import { budgetInWords, CLOSED_FOR } from '../../text/left-undone.ts'
import { formatCount, formatCountOf, formatDuration, formatMoment, formatRate } from '../../text/quantity.ts'
import { isBroken } from '../courtesy.ts'
import type { HostReport } from '../host-report.ts'
import { keptInWords } from '../store-lines.ts'
import type { StoreReport } from '../store-report.ts'
import { busiest, leastPolite } from '../which-hosts.ts'
import { crawlDelayInWords, retryAfterInWords, robotsInWords, stateOfHost } from '../words.ts'
import type { Span } from './axes.ts'
import { markup, type Filling, type Markup } from './markup.ts'
import { chartOf, rateSpark } from './rate-chart.ts'

/** More rows would make a file that no browser likes; `--json` has them all. */
const MAX_ROWS = 2_000
const REASONS = 8

/** Pages that were given up, by class. */
export function deadLetterTable({ deadLetters }: StoreReport): Markup | null {
  if (deadLetters.length === 0) return null
  return markup`<h2>Pages given up</h2><div class="scroll"><table>
<tr><th class="text">class</th><th>pages</th><th class="text">what it means</th><th class="text">reasons</th></tr>
${deadLetters.map(
  ({ class: kind, means, count, reasons }) =>
    markup`<tr><td class="text">${kind}</td><td>${formatCount(count)}</td><td class="text">${means}</td><td class="text">${reasons
      .slice(0, REASONS)
      .map((each) => `${formatCount(each.count)} × ${each.reason}`)
      .join(', ')}${reasons.length > REASONS ? ' …' : null}</td></tr>
`,
)}</table></div>`
}

/** Pages that are missing and not yet believed to be gone. */
export function probationTable({ probation: { pages, requests } }: StoreReport): Markup | null {
  if (pages === 0) return null
  return markup`<h2>Pages on probation</h2>
<p class="quiet">${formatCountOf(pages, 'page')} missing when last asked for, and not yet believed to be gone${pages > requests.length ? markup`; those missing longest` : null}.</p>
<div class="scroll"><table>
<tr><th class="text">page</th><th class="text">why</th><th class="text">since</th><th>visits in a row</th><th class="text">asked for again</th></tr>
${requests.map(
  ({ url, why, since, visits, nextAt }) =>
    markup`<tr><td class="name">${url}</td><td class="text">${why}</td><td class="text">${formatMoment(since)}</td><td>${formatCount(visits)}</td><td class="text">${formatMoment(nextAt)}</td></tr>
`,
)}</table></div>`
}

/** Patterns of URLs that bring nothing new. */
export function closedTable({ closedPatterns }: StoreReport): Markup | null {
  if (closedPatterns.length === 0) return null
  return markup`<h2>Patterns of URLs closed</h2>
<p class="quiet"><code>avocet scope accept</code> opens one again, from the next run on.</p>
<div class="scroll"><table>
<tr><th class="text">pattern</th><th class="text">why</th><th class="text">since</th><th>pages seen</th><th>refused</th></tr>
${closedPatterns.map(
  ({ pattern, reason, since, pages, refused }) =>
    markup`<tr><td class="name">${pattern}</td><td class="text">${CLOSED_FOR[reason]}</td><td class="text">${formatMoment(since)}</td><td>${formatCount(pages)}</td><td>${formatCount(refused)}</td></tr>
`,
)}</table></div>`
}

/** Pages of which links wait for a budget. */
export function waitingLinksTable({ waitingLinks }: StoreReport): Markup | null {
  if (waitingLinks.length === 0) return null
  return markup`<h2>Links that wait for a budget</h2>
<p class="quiet">They are followed when their site has given more. <code>avocet scope accept</code> lifts the budget, from the next run on.</p>
<div class="scroll"><table>
<tr><th class="text">page</th><th class="text">until</th><th>links, at most</th></tr>
${waitingLinks.map(
  ({ url, budget, links }) =>
    markup`<tr><td class="name">${url}</td><td class="text">${budgetInWords(budget)}</td><td>${formatCount(links)}</td></tr>
`,
)}</table></div>`
}

/** How each host was treated: for its owner. */
export function courtesyTable(report: StoreReport): Markup | null {
  const rows = leastPolite(report.hosts, MAX_ROWS)
  if (rows.length === 0) return null
  return markup`<h2>Politeness</h2>
<p>Crawl-delay: ${keptInWords(report.crawlDelay)}. Retry-After: ${keptInWords(report.retryAfter)}.</p>
<p class="quiet">Most requests that started in any second and in any minute, and the smallest gap between two starts.</p>
<div class="scroll"><table>
<tr><th class="text">host</th><th>in 1 s</th><th>in 60 s</th><th>smallest gap</th><th class="text">robots.txt, age</th><th class="text">Crawl-delay</th><th class="text">Retry-After</th></tr>
${rows.map((host) => courtesyRow(host, report.now))}</table></div>${cut(report.hosts.length)}`
}

function courtesyRow({ hostKey, courtesy }: HostReport, now: number): Markup | null {
  if (courtesy === null) return null
  const { mostInSecond, mostInMinute, smallestGapMs } = courtesy
  return markup`<tr${isBroken(courtesy) ? markup` class="bad"` : null}><td class="name">${hostKey}</td><td>${formatCount(mostInSecond)}</td><td>${formatCount(mostInMinute)}</td><td>${formatDuration(smallestGapMs)}</td><td class="text">${robotsInWords(courtesy, now)}</td><td class="text">${crawlDelayInWords(courtesy)}</td><td class="text">${retryAfterInWords(courtesy)}</td></tr>
`
}

/** Every host in a line, with the shape of its rate. */
export function hostTableHtml({ hosts, now }: StoreReport, span: Span | undefined): Markup | null {
  if (hosts.length === 0) return null
  const heads = ['found', 'requests', 'refused', 'failed', 'done', 'given up', 'waiting', 'half in', '9 in 10 in']
  return markup`<h2>Hosts</h2><div class="scroll"><table>
<tr><th class="text">host</th><th class="text">rate over time</th>${heads.map((head) => markup`<th>${head}</th>`)}<th class="text">state</th></tr>
${busiest(hosts, MAX_ROWS).map((host) => hostRow(host, span, now))}</table></div>${cut(hosts.length)}`
}

function hostRow(host: HostReport, span: Span | undefined, now: number): Markup {
  const { hostKey, requests, firstByte } = host
  const cells: readonly Filling[] = [
    formatRate(host.foundRps),
    ...[requests, host.refusals, host.failures, host.done, host.failed, host.waiting].map(formatCount),
    formatDuration(firstByte?.halfMs),
    formatDuration(firstByte?.nineInTenMs),
  ]
  const spark = span === undefined || requests === 0 ? null : rateSpark(chartOf(host, span))
  return markup`<tr><td class="name">${hostKey}</td><td class="text">${spark}</td>${cells.map((cell) => markup`<td>${cell}</td>`)}<td class="text">${stateOfHost(host, now)}</td></tr>
`
}

function cut(hosts: number): Markup | null {
  return hosts <= MAX_ROWS
    ? null
    : markup`<p class="quiet">${formatCount(MAX_ROWS)} of ${formatCount(hosts)} hosts; --json has them all.</p>`
}
