// The part of a frontier that is for stores which several processes may have open: what the others do, and until when this one holds its hosts.
import type { MemoryParts } from './frontier-reader.ts'

/** The part of a frontier that is for stores which several processes may have open. Usable from `open` on. */
export interface Sharing {
  /** What other processes wrote of their crawl memory, as `LeaseResult.crawlMemories`: what was told by either is not told again. */
  news(): Promise<readonly MemoryParts[]>
  /** Whether another process has committed since this was last asked. Cheap (≤ 10 µs). */
  changedElsewhere(): boolean
  /**
   * How many hosts this process should hold at most, so that others get theirs: an equal share of all that are held or due, at least 1. Undefined
   * while no other process stood idle within the last seconds. Cheap.
   */
  share(now: number): number | undefined
  /** Absent where the processes of a store share a machine, and with it a monotonic clock. */
  readonly tenure?: Tenure
}

/**
 * By what time, and until when, a process holds its hosts, where the store is on another machine: no clock of this one is known there, and a process that
 * cannot reach it may have been buried. All three are synchronous and cheap (≤ 1 µs).
 */
export interface Tenure {
  /** The crawl's time, epoch ms. It stands in the store and never goes back; the crawl's clock follows it. */
  now(): number
  /** The crawl's time, epoch ms, from which on nothing may be sent: until then nobody can have taken the hosts of this process. */
  heldUntil(): number
  /**
   * Rises whenever this process has signed in anew, because it was silent for too long: what it leased in an earlier term is lost.
   * Once `heldUntil` has passed it rises before `heldUntil` does: whoever saw that has dropped all hosts, and nobody would ask for them again.
   */
  term(): number
}
