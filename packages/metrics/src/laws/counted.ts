// What is counted of a crawl beside what its status has, and what a scrape shows of it, as plain data.
import type { CrawlReport } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'

/** What is counted. Behind the space: the label. */
export type CountKey =
  | 'page'
  | `response ${StatusClass}`
  | `refusal ${number}`
  | `failure ${string}`
  | `latency ${number | 'sum'}`
  | `commit ${number | 'sum'}`

/** Classes of statuses; `other`: what is none. */
export type StatusClass = (typeof STATUS_CLASSES)[number]

/** All of them. */
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'other'] as const

/** The statuses that refuse. */
export const REFUSALS = [429, 503] as const

/** The process of a crawl, as it is now. */
export interface LiveFigures {
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
  /** How often something was counted. */
  readonly counted: (key: CountKey) => number
  readonly live: LiveFigures
}
