// Requests a second over time, as bars: what was answered, and on top of it what was refused and what failed.
import { across, amountAxis, roundAbove, timeAxis, upwards, type Area } from './axes.ts'
import { Markup, markup } from './markup.ts'
import type { RateChart } from './report-page.ts'

const LARGE = { width: 960, height: 240, area: { left: 46, top: 10, width: 904, height: 200 }, times: 10 }
const SMALL = { width: 320, height: 110, area: { left: 34, top: 8, width: 280, height: 78 }, times: 4 }
const SPARK: Area = { left: 0, top: 1, width: 96, height: 16 }
/** Times what was asked. */
const FAR_ABOVE = 3
/** Of a bar, so that a single one is seen. */
const LEAST_WIDTH = 1.2

/** `large` for the whole crawl, `small` for one host. */
export function rateChart(chart: RateChart, size: 'large' | 'small'): Markup {
  const { width, height, area, times } = size === 'large' ? LARGE : SMALL
  const most = roundAbove(heightOf(chart))
  const marks = [0, most / 2, most].map((rps) => ({ y: upwards(area, rps, most), word: amount(rps) }))
  return markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${chart.title}">
<title>${chart.title}</title>${amountAxis(area, marks)}${timeAxis(chart.span, area, times)}${bars(chart, area, most)}${foundLine(chart, area, most)}</svg>`
}

/** A line of a table: the shape alone. */
export function rateSpark(chart: RateChart): Markup {
  return markup`<svg class="spark" viewBox="0 0 96 18" role="img" aria-label="${chart.title}">${bars(chart, SPARK, mostIn(chart))}</svg>`
}

/** One path for each kind, however many bars: 800 hosts are in one file. A path is as long as it is, unlike a text. */
function bars(chart: RateChart, area: Area, most: number): Markup {
  const paths = { well: '', failed: '', refused: '' }
  for (const stretch of chart.stretches) {
    const well = stretch.requests - stretch.refusals - stretch.failures
    let below = 0
    for (const [kind, count] of [
      ['well', well],
      ['failed', stretch.failures],
      ['refused', stretch.refusals],
    ] as const) {
      if (count <= 0) continue
      const from = upwards(area, rpsOf(chart, below), most)
      below += count
      // A refusal among a thousand answers is still a mark.
      const to = Math.min(from - (kind === 'well' ? 0 : LEAST_WIDTH), upwards(area, rpsOf(chart, below), most))
      paths[kind] += barOf(chart, area, { at: stretch.at, from, to })
    }
  }
  return markup`${(['well', 'failed', 'refused'] as const).map((kind) =>
    paths[kind] === '' ? null : Markup.ours(`<path class="bar-${kind}" d="${paths[kind]}"/>`),
  )}`
}

function barOf({ span, widthMs }: RateChart, area: Area, { at, from, to }: { at: number; from: number; to: number }): string {
  const left = Math.max(area.left, across(span, area, at))
  const right = Math.min(area.left + area.width, across(span, area, at + widthMs))
  const x = Math.min(left, area.left + area.width - LEAST_WIDTH)
  return `M${short(x)} ${short(from)}V${short(to)}h${short(Math.max(LEAST_WIDTH, right - left))}V${short(from)}z`
}

function foundLine({ foundRps }: RateChart, area: Area, most: number): Markup | null {
  if (foundRps === undefined || foundRps === null || foundRps > most) return null
  const y = upwards(area, foundRps, most)
  return markup`<line class="found" x1="${area.left}" x2="${area.left + area.width}" y1="${y}" y2="${y}"/>`
}

function mostIn(chart: RateChart): number {
  return chart.stretches.reduce((most, { requests }) => Math.max(most, rpsOf(chart, requests)), 0)
}

/** The rate that was found is drawn unless what was asked would be flat beside it: a Crawl-delay, or a quota, binds first. */
function heightOf(chart: RateChart): number {
  const { foundRps } = chart
  const mostRps = mostIn(chart)
  return foundRps === undefined || foundRps === null || foundRps > FAR_ABOVE * mostRps ? mostRps : Math.max(mostRps, foundRps)
}

/** A crawl that is shorter than a stretch is not slower for it. */
function rpsOf({ span, widthMs }: RateChart, requests: number): number {
  return (requests * 1_000) / Math.max(1_000, Math.min(widthMs, span.until - span.from))
}

function amount(rps: number): string {
  return rps >= 1_000 ? `${Number((rps / 1_000).toPrecision(3))}k` : String(Number(rps.toPrecision(2)))
}

function short(pixels: number): string {
  return String(Math.round(pixels * 10) / 10)
}
