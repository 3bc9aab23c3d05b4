// Requests a second over time, as bars: what was answered, and on top of it what was refused and what failed.
import { across, amountAxis, roundAbove, timeAxis, upwards, type Area } from './axes.ts'
import { Markup, markup } from './markup.ts'
import type { RateChart, Stretch } from './report-page.ts'

const SIZES = {
  large: { width: 960, height: 240, area: { left: 46, top: 10, width: 904, height: 200 }, times: 10 },
  /** The same on a telephone: drawn anew, for words that shrink with a picture are not read. */
  narrow: { width: 360, height: 220, area: { left: 40, top: 10, width: 312, height: 180 }, times: 4 },
  small: { width: 320, height: 110, area: { left: 34, top: 8, width: 280, height: 78 }, times: 4 },
} as const
const SPARK: Area = { left: 0, top: 1, width: 96, height: 16 }
/** Bars of a spark: each has three pixels. */
const SPARK_BARS = 32
/** Times what was asked. */
const FAR_ABOVE = 3
/** Of a bar, so that a single one is seen. */
const LEAST_WIDTH = 1.2

/** For the whole crawl: as wide as the page, and once more for narrow ones. The style sheet shows one of them. */
export function rateCharts(chart: RateChart): Markup {
  return markup`${rateChart(chart, 'large')}${rateChart(chart, 'narrow')}`
}

/** `small` for one host of many. */
export function rateChart(chart: RateChart, size: keyof typeof SIZES): Markup {
  const { width, height, area, times } = SIZES[size]
  const most = roundAbove(heightOf(chart))
  const marks = [0, most / 2, most].map((rps) => ({ y: upwards(area, rps, most), word: amount(rps) }))
  return markup`<svg class="${size}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${chart.title}">
<title>${chart.title}</title>${amountAxis(area, marks)}${timeAxis(chart.span, area, times)}${bars(chart, area, most)}${foundLine(chart, area, most)}</svg>`
}

/** A line of a table: the shape alone. The counts beside it say the same to those who cannot see it. */
export function rateSpark(chart: RateChart): Markup {
  const coarse = inBars(chart, SPARK_BARS)
  return markup`<svg class="spark" viewBox="0 0 96 18" aria-hidden="true">${bars(coarse, SPARK, mostIn(coarse))}</svg>`
}

/** At most `most` stretches of one width: 800 hosts are in one file. What is in a stretch stays together. */
function inBars(chart: RateChart, most: number): RateChart {
  const { from, until } = chart.span
  const widthMs = Math.max(chart.widthMs, (until - from) / most)
  const places = new Map<number, Stretch>()
  for (const stretch of chart.stretches) {
    const at = from + Math.floor((stretch.at - from) / widthMs) * widthMs
    const { requests = 0, refusals = 0, failures = 0 } = places.get(at) ?? {}
    places.set(at, {
      at,
      requests: requests + stretch.requests,
      refusals: refusals + stretch.refusals,
      failures: failures + stretch.failures,
    })
  }
  return { ...chart, widthMs, stretches: [...places.values()] }
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
