// What a scrape shows, as plain data: the status of the crawl, what was counted, and each process as it is now.
import type { CrawlReport } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
import type { CrawlBook } from './crawl-book.ts'

/** One process of a crawl, as it is now. */
export interface LiveFigures {
  readonly residentBytes: number
  readonly heapBytes: number
  /** Of its event loop, in seconds. Absent before it was measured. */
  readonly loopDelay?: Readonly<Record<'p50' | 'p99' | 'max', number>>
}

/** The process that answers. Numbers that its system does not tell are absent. */
export interface OwnFigures {
  readonly cpuSeconds: number
  readonly residentBytes: number
  /** Seconds since 1970. */
  readonly startedAt: number
  readonly openFds?: number
  readonly maxFds?: number
}

/** The status without its hosts. */
export type ShownStatus = Omit<CrawlStatus, 'hosts' | 'liveHosts'>

/** A crawl, as it is shown. */
export interface MeasuredCrawl {
  readonly status: ShownStatus
  /** How many hosts of its store are what: `fine`, `slow`, `refusing`, … Absent where nobody has read them. */
  readonly conditions?: CrawlReport['conditions']
  readonly book: CrawlBook
  /** By number; those that live. */
  readonly processes: ReadonlyMap<number, LiveFigures>
}
