// The charts of a page: throughput and times to the first byte, within the span of time in which anything was requested.
import type { ReportPart, Span } from '@avocet/html-report'
import { formatDuration } from '../text/quantity.ts'
import type { CrawlTimeline } from './crawl-timeline.ts'

interface Timed {
  /** Epoch ms; null = never. */
  readonly firstAt: number | null
  readonly timeline: CrawlTimeline
}

/** From the first request to the end of the last bucket in which something ended. */
export function spanOf({ firstAt, timeline }: Timed): Span | undefined {
  const [first, last] = [timeline.steps[0], timeline.steps.at(-1)]
  if (first === undefined || last === undefined) return undefined
  return { from: firstAt === null ? first.at : Math.min(firstAt, first.at + timeline.widthMs), until: last.at + timeline.widthMs }
}

/** Both. */
export function chartsOf({ widthMs, steps }: CrawlTimeline, span: Span): readonly ReportPart[] {
  return [
    {
      kind: 'rate',
      title: 'Throughput',
      chart: { title: 'Requests a second: answered, failed, refused', span, widthMs, stretches: steps },
      note: `requests a second, in steps of ${formatDuration(widthMs).replace('.0 ', ' ')}`,
    },
    { kind: 'latency', title: 'Time to the first byte', chart: { span, widthMs, steps } },
  ]
}
