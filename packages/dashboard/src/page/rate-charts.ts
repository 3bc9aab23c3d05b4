// The two charts of a series: requests a second with refusals and failures, and how long answers took.
import { h } from 'preact'
import { HISTORY_SPANS, type HistorySpan, type Series } from '../series.ts'
import { Chart, type ChartLine } from './chart.ts'
import type { Drawn } from './view-scope.ts'
import { durationText, rateText } from './words.ts'

/** Requests a second. `level`: the rate that was found. */
export function drawnRates({ widthMs, points }: Series, label: string, level: number | null = null): Drawn {
  const whole = withGaps({ widthMs, points })
  const perSecond = (count: number | null): number | null => (count === null ? null : (count * 1_000) / widthMs)
  return h(Chart, {
    key: `rate ${label}${level === null ? '' : ' level'}`,
    label,
    at: whole.map(({ at }) => at),
    lines: [
      { name: 'requests/s', colour: 'good', values: whole.map(({ requests }) => perSecond(requests)), isFilled: true },
      ...ofKnown(
        'refused/s',
        'refused',
        whole.map(({ refusals }) => perSecond(refusals)),
      ),
      ...ofKnown(
        'errors/s',
        'failed',
        whole.map(({ failures }) => perSecond(failures)),
      ),
      ...ofKnown(
        'found/s',
        'accent',
        whole.map(({ foundRps = null }) => foundRps),
      ),
    ],
    words: rateText,
    level,
  })
}

/** A line, unless nothing is known of it: what is not known is no zero. */
function ofKnown(name: string, colour: ChartLine['colour'], values: ChartLine['values']): readonly ChartLine[] {
  return values.some((value) => value !== null) ? [{ name, colour, values }] : []
}

/** How long answers took, to their first byte. */
export function drawnLatency(series: Series, label: string): Drawn {
  const whole = withGaps(series)
  return h(Chart, {
    key: `latency ${label}`,
    label,
    at: whole.map(({ at }) => at),
    lines: [
      { name: 'half within', colour: 'accent', values: whole.map(({ halfMs }) => halfMs) },
      { name: '9 in 10 within', colour: 'quiet', values: whole.map(({ nineInTenMs }) => nineInTenMs) },
    ],
    words: durationText,
  })
}

/** Stretches in which nothing happened, which are not sent: at the two edges of each gap, so that a line goes down to zero and stays there. */
function withGaps({ widthMs, points }: Series): Series['points'] {
  return points.flatMap((point, n) => {
    const before = points[n - 1]
    if (before === undefined || point.at - before.at <= widthMs * 1.5) return [point]
    const empty = { requests: 0, refusals: 0, failures: 0, halfMs: null, nineInTenMs: null, foundRps: null }
    return [{ at: before.at + widthMs, ...empty }, { at: point.at - widthMs, ...empty }, point]
  })
}

// Which span of time a chart shows: buttons, one of which is pressed.

const WORDS: Readonly<Record<HistorySpan, string>> = {
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  whole: 'Whole crawl',
}

/** What a span is called in the name of a chart. */
export function spanInWords(span: HistorySpan): string {
  return span === 'whole' ? 'whole crawl' : `last ${span}`
}

/** The buttons. */
export function spanChoice(shown: HistorySpan, choose: (span: HistorySpan) => void): Drawn {
  return h(
    'div',
    { class: 'choice', role: 'group', 'aria-label': 'Time shown' },
    HISTORY_SPANS.map((span) =>
      h('button', { key: span, 'aria-pressed': span === shown, onClick: () => choose(span) }, WORDS[span]),
    ),
  )
}
