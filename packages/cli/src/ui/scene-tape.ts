// Requests in each second of the last ten minutes, from the counts of scenes: for crawls of several processes, of which only scenes are known.
import type { Series, SeriesPoint } from '@avocet/dashboard'
import type { CrawlStatus } from '@avocet/core/tools'

const SECOND_MS = 1_000
const SECONDS = 600

type EndedCounts = Pick<CrawlStatus['run'], 'requests' | 'failures'>

/** The tape of several processes. */
export class SceneTape {
  readonly refusals = null
  #points: SeriesPoint[] = []
  #last: { readonly at: number; readonly run: EndedCounts } | undefined

  /** Takes what the counts are at `at`, epoch ms; to be called about once a second. */
  take(at: number, run: EndedCounts): void {
    const start = Math.floor(at / SECOND_MS) * SECOND_MS
    if (this.#last !== undefined && start <= this.#last.at) return
    if (this.#last !== undefined) {
      // A process that died takes its last counts along until they are merged.
      const requests = Math.max(0, run.requests - this.#last.run.requests)
      const failures = Math.max(0, run.failures - this.#last.run.failures)
      this.#points = [...this.#points, { at: start, requests, refusals: null, failures, halfMs: null, nineInTenMs: null }].slice(
        -SECONDS,
      )
    }
    this.#last = { at: start, run }
  }

  lately(): Series {
    return { widthMs: SECOND_MS, points: this.#points }
  }
}
