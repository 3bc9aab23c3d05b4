// The page of one host, for its owner: what was asked of it, when, how fast, whether its wishes were obeyed, and how to contact the crawler.
import type { Fact, ReportPage, ReportPart, TableRow } from '@avocet/html-report'
import { formatBytes } from '@avocet/core/tools'
import { formatCount, formatDuration, formatMoment, formatRate, formatShare } from '../text/quantity.ts'
import { crawlTimeline } from './crawl-timeline.ts'
import { endsTable, runsTable } from './ends-and-runs.ts'
import { wishRows, type AboutCrawl } from './host-lines.ts'
import type { HostReport } from './host-report.ts'
import { text } from './page-columns.ts'
import { chartsOf, spanOf } from './page-charts.ts'
import { runsAt, stateOfHost } from './words.ts'
import { commandName } from '../text/command-line.ts'

/** The whole page. */
export function hostPage(host: HostReport, about: AboutCrawl): ReportPage {
  const runs = runsAt(host, about.lastRuns)
  const timeline = crawlTimeline([host])
  const span = spanOf({ firstAt: host.firstAt, timeline })
  return {
    title: host.hostKey,
    subtitle: `How the crawl ${about.name} treated this host; ${stateOfHost(host, about.now)}`,
    facts: factsOf(host),
    parts: [
      ...contact(runs.at(-1)?.userAgent),
      ...(host.courtesy === null ? [{ kind: 'sentence', text: 'No details: it was crawled without the journal.' } as const] : []),
      ...wishes(host),
      ...(span === undefined ? [] : chartsOf(timeline, span)),
      ...endsTable([host]),
      ...runsTable(runs),
    ],
    footer: [
      'Written by ',
      { code: `${commandName()} report --host` },
      ` at ${formatMoment(about.now)}. All times are UTC. To compare them with your own log, search it for the user agent.`,
    ],
  }
}

/** Site owners must be able to reach the one who crawls. */
function contact(userAgent: string | undefined): readonly ReportPart[] {
  if (userAgent === undefined) return []
  const named = userAgent.match(/https?:\/\/[^\s);,]+|[^\s(<;,+]+@[^\s)>;,]+/g) ?? []
  const whom = named.length === 0 ? '; it names no contact' : `; contact: ${named.join(', ')}`
  return [{ kind: 'sentence', text: ['Requests were sent as ', { code: userAgent }, `${whom}.`] }]
}

function factsOf({
  requests,
  refusals,
  failures,
  wireBytes,
  firstAt,
  lastAt,
  foundRps,
  firstByte,
  courtesy,
  ...host
}: HostReport): readonly Fact[] {
  const fact = (name: string, value: string, note: string | null = null): Fact => ({ name, value, note })
  const most = (count: number | undefined): string => (count === undefined ? '–' : formatCount(count))
  return [
    fact('requests', formatCount(requests), formatBytes(wireBytes)),
    fact('pages', formatCount(host.done), `${formatCount(host.waiting)} waiting, ${formatCount(host.failed)} given up`),
    fact('refused', formatCount(refusals), formatShare(refusals, requests)),
    fact('failed', formatCount(failures), formatShare(failures, requests)),
    fact('most in any second', most(courtesy?.mostInSecond), `${most(courtesy?.mostInMinute)} in any minute`),
    fact('smallest gap', formatDuration(courtesy?.smallestGapMs), 'from start to start'),
    fact('rate', formatRate(foundRps), 'learned from its answers'),
    fact('half answered within', formatDuration(firstByte?.halfMs), `9 in 10 within ${formatDuration(firstByte?.nineInTenMs)}`),
    ...(firstAt === null || lastAt === null
      ? []
      : [fact('crawled for', formatDuration(lastAt - firstAt), `${formatMoment(firstAt)} to ${formatMoment(lastAt)}`)]),
  ]
}

/** robots.txt, Crawl-delay and Retry-After: what was asked, and whether it was obeyed. */
function wishes({ courtesy, lastAt }: HostReport): readonly ReportPart[] {
  if (courtesy === null || lastAt === null) return []
  const rows = wishRows(courtesy).map(({ name, words, isBad }): TableRow => ({ cells: [name, words], isBad }))
  return [{ kind: 'table', title: 'What the host asked for', columns: [text('wish', 'name'), text('result')], rows }]
}
