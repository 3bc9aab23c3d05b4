// Within which time answers began, over time: half of them, nine in ten, and 99 in 100, on a logarithmic scale.
import { across, amountAxis, timeAxis, type Area } from './axes.ts'
import { Markup, markup } from './markup.ts'
import type { LatencyChart, LatencyQuantiles, Span } from './report-page.ts'

const SIZES = {
  large: { width: 960, height: 240, area: { left: 56, top: 10, width: 894, height: 200 }, times: 10 },
  narrow: { width: 360, height: 220, area: { left: 46, top: 10, width: 306, height: 180 }, times: 4 },
} as const

const CURVES = [
  ['half', 'halfMs'],
  ['nine', 'nineInTenMs'],
  ['most', 'most99Ms'],
] as const satisfies readonly (readonly [string, keyof LatencyQuantiles])[]

type Known = readonly { readonly at: number; readonly firstByte: LatencyQuantiles }[]

/** The chart, as wide as the page, and once more for narrow ones; nothing when there was no answer. */
export function latencyChart({ span, widthMs, steps }: LatencyChart): Markup | null {
  const known = steps.flatMap(({ at, firstByte }) => (firstByte === null ? [] : [{ at: at + widthMs / 2, firstByte }]))
  if (known.length === 0) return null
  return markup`${drawn(known, span, 'large')}${drawn(known, span, 'narrow')}`
}

function drawn(known: Known, span: Span, size: keyof typeof SIZES): Markup {
  const { width, height, area, times } = SIZES[size]
  const low = 10 ** Math.floor(Math.log10(Math.min(...known.map(({ firstByte }) => firstByte.halfMs))))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...known.map(({ firstByte }) => firstByte.most99Ms)) * 1.001))
  const heightOf = (ms: number): number => area.top + area.height - (Math.log10(ms / low) / Math.log10(high / low)) * area.height
  const marks: { y: number; word: string }[] = []
  for (let ms = low; ms <= high * 1.001; ms *= 10)
    marks.push({ y: heightOf(ms), word: ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s` })
  const title = 'Time to the first byte: half, nine in ten, and 99 in 100 answers'
  return markup`<svg class="${size}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}"><title>${title}</title>
${amountAxis(area, marks)}${timeAxis(span, area, times)}${curvesOf(known, span, { area, heightOf })}</svg>`
}

interface Place {
  readonly area: Area
  readonly heightOf: (ms: number) => number
}

function curvesOf(known: Known, span: Span, { area, heightOf }: Place): readonly Markup[] {
  const inside = (at: number): number => Math.min(span.until, Math.max(span.from, at))
  return CURVES.map(([name, field]) => {
    const points = known.map(
      ({ at, firstByte }) => `${Math.round(across(span, area, inside(at)))},${heightOf(firstByte[field]).toFixed(1)}`,
    )
    // A single point would be a line without length: it is drawn across.
    const [only] = points.length === 1 ? points : []
    const path =
      only === undefined ? points.join(' ') : `${area.left},${only.split(',')[1]} ${area.left + area.width},${only.split(',')[1]}`
    return Markup.ours(`<polyline class="curve curve-${name}" points="${path}"/>`)
  })
}
