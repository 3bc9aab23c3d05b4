// What this process uses: CPU, memory, descriptors, and how late its event loop is.
import { readdir, readFile } from 'node:fs/promises'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Clock } from '@avocet/core/store'
import type { LiveFigures, OwnFigures } from './laws/counted.ts'

/** How often the event loop is looked at: a delay that matters is longer, and fifty looks a second cost nothing to speak of. */
const RESOLUTION_MS = 20
/** Two servers that scrape do not take each other's delays away: those of one look are told again for so long. */
const WINDOW_MS = 10_000

/** Node measures from the timer that it set, so each delay has the resolution in it. */
const secondsOf = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3)

/** Delays of the event loop. */
export class LoopDelay implements Disposable {
  readonly #clock: Pick<Clock, 'monotonic' | 'scale'>
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #since: number
  #last: LiveFigures['loopDelay']

  constructor(clock: Pick<Clock, 'monotonic' | 'scale'>) {
    this.#clock = clock
    this.#since = clock.monotonic()
    this.#histogram.enable()
  }

  /** Since the last look, or the one before it where that was just now. Undefined before there is any. */
  look(): LiveFigures['loopDelay'] {
    if (this.#histogram.count === 0) return this.#last
    const now = this.#clock.monotonic()
    const isDue = now - this.#since >= WINDOW_MS * (this.#clock.scale ?? 1)
    if (!isDue && this.#last !== undefined) return this.#last
    const found = {
      p50: secondsOf(this.#histogram.percentile(50)),
      p99: secondsOf(this.#histogram.percentile(99)),
      max: secondsOf(this.#histogram.max),
    }
    if (!isDue) return found
    this.#histogram.reset()
    this.#since = now
    return (this.#last = found)
  }

  [Symbol.dispose](): void {
    this.#histogram.disable()
  }
}

/** CPU time of this process so far, in seconds. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Of this process, by the names that all exporters use. */
export async function ownFigures(): Promise<OwnFigures> {
  const [openFds, maxFds] = await Promise.all([openDescriptors(), mostDescriptors])
  return {
    cpuSeconds: cpuSeconds(),
    residentBytes: process.memoryUsage.rss(),
    startedAt: performance.timeOrigin / 1e3,
    ...(openFds !== undefined && { openFds }),
    ...(maxFds !== undefined && { maxFds }),
  }
}

/** Linux tells them; elsewhere the metric is not there. */
async function openDescriptors(): Promise<number | undefined> {
  return readdir('/proc/self/fd').then(
    ({ length }) => length,
    () => undefined,
  )
}

/** Asked once: Node raises the limit as it starts, and nothing changes it after that. */
const mostDescriptors: Promise<number | undefined> = readFile('/proc/self/limits', 'utf8').then(
  (limits) => {
    const most = Number(/^Max open files +(\d+)/m.exec(limits)?.[1])
    return Number.isInteger(most) ? most : undefined
  },
  () => undefined,
)
