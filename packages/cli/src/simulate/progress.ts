// Says on stderr, every two real seconds, how far a simulation is and how fast it runs.
import { say } from '../output/people.ts'
import { formatCount, formatDuration } from '../text/quantity.ts'
import type { Place } from '../place.ts'
import type { Watching } from './run-simulation.ts'

const LINE_MS = 2_000

/** Tells, until it is disposed. `look` is asked at each line. */
export function tellProgress({ clock, stderr }: Pick<Place, 'clock' | 'stderr'>, look: () => Watching): Disposable {
  const startedAt = clock.monotonic()
  let next: Disposable
  const plan = (): void => {
    next = clock.at(clock.now() + LINE_MS, () => {
      say(stderr, progressLine(look(), clock.monotonic() - startedAt))
      plan()
    })
  }
  plan()
  return { [Symbol.dispose]: () => next[Symbol.dispose]() }
}

/** One line, such as `1 h 20 min: 9,411 pages, 12,000 requests a real second, 4,800 times as fast as life`. */
export function progressLine({ elapsedMs, status }: Watching, realMs: number): string {
  const perSecond = (status.run.requests * 1_000) / Math.max(1, realMs)
  return `${formatDuration(elapsedMs)}: ${formatCount(status.run.pages)} pages, ${formatCount(perSecond)} requests a real second, ${formatCount(elapsedMs / Math.max(1, realMs))} times as fast as life`
}

/** What a finished simulation took, in one line. */
export function speedLine(requests: number, realMs: number): string {
  const perMinute = (requests * 60_000) / Math.max(1, realMs)
  return `simulated ${formatCount(requests)} requests in ${formatDuration(realMs)}, ${formatCount(perMinute)} a minute`
}
