// The two charts of a series: requests a second with refusals and failures, and how long answers took.
import { h } from 'preact'
import type { Series } from '../series.ts'
import { Chart } from './chart.ts'
import { durationText, rateText } from './words.ts'
import type { Drawn } from './view-scope.ts'

/** Requests a second. `level`: the rate that was found. */
export function drawnRates({ widthMs, points }: Series, label: string, level: number | null = null): Drawn {
  const whole = withGaps({ widthMs, points })
  const perSecond = (count: number): number => (count * 1_000) / widthMs
  return h(Chart, {
    key: `rate ${label}${level === null ? '' : ' level'}`,
    label,
    at: whole.map(({ at }) => at),
    lines: [
      { name: 'requests/s', colour: 'good', values: whole.map(({ requests }) => perSecond(requests)), isFilled: true },
      { name: 'refused/s', colour: 'refused', values: whole.map(({ refusals }) => perSecond(refusals)) },
      { name: 'failed/s', colour: 'failed', values: whole.map(({ failures }) => perSecond(failures)) },
      ...(whole.some(({ foundRps }) => typeof foundRps === 'number')
        ? [{ name: 'found/s', colour: 'accent' as const, values: whole.map(({ foundRps = null }) => foundRps) }]
        : []),
    ],
    words: rateText,
    level,
  })
}

/** How long answers took. */
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
