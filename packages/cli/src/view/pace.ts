// How fast a crawl goes and how long it will still take, from its status at two moments.
import type { CrawlStatus } from '@avocet/core'

/** A status with what only a series of them tells. */
export interface Glance {
  readonly status: CrawlStatus
  /** Over the last ten seconds. */
  readonly pagesPerSecond: number
  /** Known only while less is waiting than before: a crawl that still finds more than it fetches has no known end. */
  readonly restMs?: number
}

/** Long enough to smooth a host that answers every few seconds, short enough to follow. */
const WINDOW_MS = 10_000

/** Collects statuses, oldest first. */
export class Pace {
  #samples: CrawlStatus[] = []

  /** Adds `status` and looks back. */
  glance(status: CrawlStatus): Glance {
    this.#samples = [...this.#samples.filter(({ now }) => now > status.now - WINDOW_MS), status]
    const first = this.#samples[0] ?? status
    const elapsedMs = status.now - first.now
    if (elapsedMs <= 0) return { status, pagesPerSecond: 0 }
    const pagesPerSecond = ((status.run.pages - first.run.pages) * 1_000) / elapsedMs
    const shrunk = first.waiting - status.waiting
    // Half a window at least: after that, the first burst of links is over.
    if (shrunk <= 0 || status.waiting === 0 || elapsedMs < WINDOW_MS / 2) return { status, pagesPerSecond }
    return { status, pagesPerSecond, restMs: (status.waiting * elapsedMs) / shrunk }
  }
}
