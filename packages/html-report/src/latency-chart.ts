// Within which time answers began, over time: half of them, nine in ten, and 99 in 100, on a logarithmic scale.
import { across, amountAxis, timeAxis, type Area } from './axes.ts'
import { Markup, markup } from './markup.ts'
import type { LatencyChart, LatencyQuantiles } from './report-page.ts'

const AREA: Area = { left: 56, top: 10, width: 894, height: 200 }

const CURVES = [
  ['half', 'halfMs'],
  ['nine', 'nineInTenMs'],
  ['most', 'most99Ms'],
] as const satisfies readonly (readonly [string, keyof LatencyQuantiles])[]

/** The chart; nothing when there was no answer. */
export function latencyChart({ span, widthMs, steps }: LatencyChart): Markup | null {
  const known = steps.flatMap(({ at, firstByte }) => (firstByte === null ? [] : [{ at: at + widthMs / 2, firstByte }]))
  if (known.length === 0) return null
  const low = 10 ** Math.floor(Math.log10(Math.min(...known.map(({ firstByte }) => firstByte.halfMs))))
  const high = 10 ** Math.ceil(Math.log10(Math.max(...known.map(({ firstByte }) => firstByte.most99Ms)) * 1.001))
  const heightOf = (ms: number): number => AREA.top + AREA.height - (Math.log10(ms / low) / Math.log10(high / low)) * AREA.height
  const marks: { y: number; word: string }[] = []
  for (let ms = low; ms <= high * 1.001; ms *= 10)
    marks.push({ y: heightOf(ms), word: ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s` })
  const inside = (at: number): number => Math.min(span.until, Math.max(span.from, at))
  const curves = CURVES.map(([name, field]) => {
    const points = known.map(
      ({ at, firstByte }) => `${Math.round(across(span, AREA, inside(at)))},${heightOf(firstByte[field]).toFixed(1)}`,
    )
    // A single point would be a line without length: it is drawn across.
    const [only] = points.length === 1 ? points : []
    const path =
      only === undefined ? points.join(' ') : `${AREA.left},${only.split(',')[1]} ${AREA.left + AREA.width},${only.split(',')[1]}`
    return Markup.ours(`<polyline class="curve curve-${name}" points="${path}"/>`)
  })
  const title = 'Time to the first byte: half, nine in ten, and 99 in 100 answers'
  return markup`<svg viewBox="0 0 960 240" role="img" aria-label="${title}"><title>${title}</title>
${amountAxis(AREA, marks)}${timeAxis(span, AREA, 10)}${curves}</svg>`
}
