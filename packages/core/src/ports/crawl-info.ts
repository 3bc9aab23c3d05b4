// What a crawl says of itself when it opens a store, and what the store says of what it holds.
import type { Counts, MemoryParts } from './frontier-reader.ts'

/** What a store must agree on with the crawl that opens it. An edited spider never makes them disagree. */
export interface CrawlSpec {
  /** Name of the crawl, for messages. Empty: of whichever is there, for who changes it and runs none. */
  readonly name: string
  /** How host keys are made: `host` or `domain`. */
  readonly hostKeying: string
}

/** What the store held when it was opened. */
export interface CrawlInfo extends Pick<Counts, 'known' | 'waiting' | 'done' | 'moved' | 'failed' | 'items' | 'again'> {
  /** False when the store was empty. */
  readonly resumed: boolean
  /** done + moved + failed. */
  readonly settled: number
  /** Crawl memory of every process that ever wrote here, part by part; the crawl merges them. */
  readonly crawlMemories: readonly MemoryParts[]
  /** Those of them whose process is running. Absent: none is. */
  readonly running?: readonly MemoryParts[]
  /** How many were settled as `failed('poison')` on open, for they were in progress in three runs that died, and alone in the last. */
  readonly quarantined: number
  /**
   * Ms by which the clock is behind the latest moment in the store, when that is more than `SETBACK_TOLERANCE_MS`: it was ahead. All waits
   * in the store were moved back by as much on open.
   */
  readonly setBackMs?: number
  /**
   * How far the time of the store is ahead of `now`, when they differ: that of the process that has it open longest, or that which a store with a `tenure`
   * keeps (negative: behind it). This process goes by the store's time from then on; its waits were not moved.
   */
  readonly aheadMs?: number
  /** Moment of the last order as this process signed in; 0: there was none. */
  readonly orderedAt: number
}

/** What one process wrote under the name of a text. */
export interface LeftText {
  readonly text: string
  /** The process is running: what it wrote stays its own. What a process wrote that is gone is dropped once this one writes a text of that name. */
  readonly isRunning: boolean
}
