// What a host answered in the last three minutes, as a row of bars: good ones upwards, refusals and failures in another colour on top of them.
import { h } from 'preact'
import { count } from './words.ts'
import type { Drawn } from './view-scope.ts'

const WIDTH = 96
const HEIGHT = 20

/** `recent`: good, bad, good, bad, …, the oldest first. */
export function spark(recent: readonly number[]): Drawn {
  const slices = Array.from({ length: recent.length / 2 }, (_, n) => ({ good: recent[2 * n] ?? 0, bad: recent[2 * n + 1] ?? 0 }))
  const most = Math.max(1, ...slices.map(({ good, bad }) => good + bad))
  const step = WIDTH / Math.max(1, slices.length)
  const bar = (n: number, from: number, to: number): string => {
    const [low, high] = [from, to].map((value) => HEIGHT - (value / most) * HEIGHT)
    return to > from
      ? `M${(n * step).toFixed(1)} ${low?.toFixed(1)}h${(step - 1).toFixed(1)}V${high?.toFixed(1)}h${(1 - step).toFixed(1)}z`
      : ''
  }
  const good = slices.map((slice, n) => bar(n, 0, slice.good)).join('')
  const bad = slices.map((slice, n) => bar(n, slice.good, slice.good + slice.bad)).join('')
  const sum = (kind: 'good' | 'bad'): number => slices.reduce((all, slice) => all + slice[kind], 0)
  const label = `last 3 minutes: ${count(sum('good'))} answers, ${count(sum('bad'))} refused or failed`
  return h(
    'svg',
    { class: 'spark', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: 'img', 'aria-label': label },
    [h('path', { d: good, class: 'good' }), h('path', { d: bad, class: 'bad' })],
  )
}
