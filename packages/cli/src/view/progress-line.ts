// The same as the live block in one line, for logs and pipes.
import { printable } from '../text/printable.ts'
import { formatCount, formatCountOf, formatRate, formatRoughly } from '../text/quantity.ts'
import type { Scene } from './scene.ts'
import { heldLine } from './totals.ts'

/** One line, such as `price-watch: 1,204 pages, 12.4 /s, 8 in flight, 311 waiting, 2 errors, about 25 s left`. */
export function progressLine(scene: Scene): string {
  const { status, pagesPerSecond, restMs } = scene.glance
  const { run } = status
  const parts = [
    formatCountOf(run.pages, 'page'),
    formatRate(pagesPerSecond),
    `${formatCount(status.inFlight)} in flight`,
    `${formatCount(status.waiting)} waiting`,
    formatCountOf(run.failed + run.pluginErrors, 'error'),
    ...(restMs === undefined ? [] : [`about ${formatRoughly(restMs)} left`]),
    ...(status.pausedFor === undefined ? [] : [`paused: ${printable(status.pausedFor)}`]),
    ...heldLine(scene),
  ]
  return `${printable(status.name)}: ${parts.join(', ')}`
}
