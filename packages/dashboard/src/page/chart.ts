// A chart over time, drawn by uPlot: the one place that knows it. For readers who cannot see it, its label says what the last value is.
import { h } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import type { Drawn } from './view-scope.ts'
import { clockText, visible } from './words.ts'

/** One line of a chart; null = nothing known at that moment. */
export interface ChartLine {
  readonly name: string
  /** Name of a colour of the style: `good`, `refused`, `failed`, `accent`, `quiet`. */
  readonly colour: string
  readonly values: readonly (number | null)[]
  readonly isFilled?: boolean
}

/** A chart. */
export interface ChartWish {
  readonly label: string
  /** Epoch ms, ascending. */
  readonly at: readonly number[]
  readonly lines: readonly ChartLine[]
  /** A value as words. */
  readonly words: (value: number) => string
  /** Drawn as a dashed line across. */
  readonly level?: number | null
}

/** Draws it, and again whenever its values, its width or the colours change. */
export function Chart(wish: ChartWish): Drawn {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | null>(null)
  const shape = wish.lines.map(({ name }) => name).join()
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const make = (): void => {
      drawn.current?.destroy()
      drawn.current = new uPlot(optionsOf(wish, element), dataOf(wish), element)
    }
    make()
    const resized = new ResizeObserver(() => drawn.current?.setSize({ width: element.clientWidth, height: element.clientHeight }))
    resized.observe(element)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    theme.addEventListener('change', make)
    return () => {
      resized.disconnect()
      theme.removeEventListener('change', make)
      drawn.current?.destroy()
      drawn.current = null
    }
  }, [shape])
  useEffect(() => drawn.current?.setData(dataOf(wish)))
  return h('div', { class: 'chart', role: 'img', 'aria-label': labelOf(wish) }, [
    h('div', { class: 'chart-place', ref: place }),
    h(
      'p',
      { class: 'chart-legend', 'aria-hidden': 'true' },
      wish.lines.map((line) =>
        h('span', { class: `legend is-${line.colour}` }, h('i', null), `${line.name} `, h('b', null, lastOf(line, wish))),
      ),
    ),
  ])
}

function dataOf({ at, lines, level = null }: ChartWish): uPlot.AlignedData {
  const across = level === null ? [] : [at.map(() => level)]
  return [at.map((moment) => moment / 1_000), ...lines.map(({ values }) => [...values]), ...across] as uPlot.AlignedData
}

function optionsOf({ lines, words, level = null }: ChartWish, element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element)
  const colour = colourIn(element)
  const grid = { stroke: colour('line'), width: 1 }
  const em = Number.parseFloat(style.fontSize)
  const font = `${Math.round(em * 0.8)}px ${style.fontFamily}`
  const axis = { stroke: colour('quiet'), grid, ticks: { show: false }, font }
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    padding: [8, 26, 0, 0],
    scales: { y: { range: (_plot, _low, high) => [0, Math.max(high, 1e-6) * 1.08] } },
    axes: [
      {
        ...axis,
        space: 5.7 * em,
        size: 2 * em,
        values: (_plot, splits, _axis, _space, stepSeconds) => splits.map((at) => momentText(at * 1_000, stepSeconds)),
      },
      {
        ...axis,
        size: 4 * em,
        space: 2.4 * em,
        values: (_plot, splits) => splits.map((value) => (value === 0 ? '0' : words(value).replace(/\.0\b/, ''))),
      },
    ],
    series: [
      {},
      ...lines.map((line) => ({
        stroke: colour(line.colour),
        width: 1.5,
        points: { show: false },
        gaps: wideGaps,
        ...(line.isFilled === true && { fill: `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)` }),
      })),
      ...(level === null ? [] : [{ stroke: colour('accent'), width: 1, dash: [5, 5], points: { show: false } }]),
    ],
  }
}

/** Share of the width over which a line is drawn although nothing is known in between: single moments would not be seen. */
const SPANNED = 0.05

const wideGaps: uPlot.Series.GapsRefiner = (plot, _series, _from, _to, gaps) =>
  gaps.filter(([from, to]) => to - from > plot.bbox.width * SPANNED)

const DAY_SECONDS = 86_400

/** As exactly as its step is wide. */
function momentText(at: number, stepSeconds: number): string {
  if (stepSeconds >= DAY_SECONDS) return new Date(at).toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
  return stepSeconds >= 60 ? clockText(at).slice(0, 5) : clockText(at)
}

/** A colour of the style by its name, as a canvas takes it: what a theme chooses is known once it is somebody's colour. */
function colourIn(element: HTMLElement): (name: string) => string {
  return (name) => {
    element.style.color = `var(--${name})`
    const { color } = getComputedStyle(element)
    element.style.color = ''
    return color
  }
}

function lastOf({ values }: ChartLine, { words }: Pick<ChartWish, 'words'>): string {
  const last = values.findLast((value) => value !== null)
  return last === undefined || last === null ? '–' : words(last)
}

function labelOf(wish: ChartWish): string {
  return `${visible(wish.label)}. Last: ${wish.lines.map((line) => `${line.name} ${lastOf(line, wish)}`).join(', ')}`
}
