// Where things stand in a chart: a scale of time, a scale of amounts, and the lines and words along them.
import { markup, type Markup } from './markup.ts'
import type { Span } from './report-page.ts'

/** The part of the picture that is drawn on. */
export interface Area {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const SECOND_MS = 1_000
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** Distances between two marks of time that people count in. */
const TIME_STEPS_MS = [
  ...[1, 5, 10, 30].map((n) => n * SECOND_MS),
  ...[1, 2, 5, 10, 30].map((n) => n * MINUTE_MS),
  ...[1, 3, 6, 12].map((n) => n * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90].map((n) => n * DAY_MS),
]

/** Where `at` is, from the left. */
export function across({ from, until }: Span, { left, width }: Area, at: number): number {
  return left + ((at - from) / Math.max(1, until - from)) * width
}

/** Where `amount` of `most` is, from the top. */
export function upwards({ top, height }: Area, amount: number, most: number): number {
  return top + height - (most <= 0 ? 0 : (amount / most) * height)
}

/** A round number that is at least `amount`: 1, 2 or 5 times a power of ten. */
export function roundAbove(amount: number): number {
  if (amount <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(amount))
  return ([1, 2, 5, 10].find((step) => step * power >= amount * 0.999_999) ?? 10) * power
}

/** Of a character of a time, in a picture of its own size: digits of 11 px, in a wide font. */
const CHARACTER = 6.6
/** How far a word may be beyond the area: pictures end there. */
const MARGIN = 4

/**
 * Words below the area, at most `most` of them, at round moments. In UTC. The last is moved to the left as far as it must be to end within the picture, or
 * left out where it would then touch the one before it.
 */
export function timeAxis(span: Span, area: Area, most: number): Markup {
  const stepMs = TIME_STEPS_MS.find((ms) => (span.until - span.from) / ms <= most) ?? 365 * DAY_MS
  const marks: Markup[] = []
  let free = -Infinity
  for (let at = Math.ceil(span.from / stepMs) * stepMs; at <= span.until; at += stepMs) {
    const x = across(span, area, at)
    const bottom = area.top + area.height
    const word = timeMark(at, stepMs)
    const half = (word.length * CHARACTER) / 2
    const middle = Math.min(x, area.left + area.width + MARGIN - half)
    marks.push(markup`<line class="grid" x1="${x}" x2="${x}" y1="${bottom}" y2="${bottom + 4}"/>`)
    if (middle - half < free) continue
    free = middle + half
    marks.push(markup`<text class="axis" x="${middle}" y="${bottom + 16}" text-anchor="middle">${word}</text>`)
  }
  return markup`${marks}`
}

/** Lines across the area, each with its word to the left. */
export function amountAxis(area: Area, marks: readonly { readonly y: number; readonly word: string }[]): Markup {
  const right = area.left + area.width
  return markup`${marks.map(
    ({ y, word }) =>
      markup`<line class="grid" x1="${area.left}" x2="${right}" y1="${y}" y2="${y}"/><text class="axis" x="${area.left - 6}" y="${y + 4}" text-anchor="end">${word}</text>`,
  )}`
}

function timeMark(at: number, stepMs: number): string {
  const text = new Date(at).toISOString()
  if (stepMs >= DAY_MS || at % DAY_MS === 0) return text.slice(5, 10)
  return stepMs < MINUTE_MS ? text.slice(11, 19) : text.slice(11, 16)
}
