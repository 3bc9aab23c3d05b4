// Processes of other containers when a store is opened: only their beats tell whether they live, so one that was killed may pass for alive for a minute.
//
// Its clock may have been wrong, and a process that took over its time would pass it on: waits stay where the wrong clock put them, for as long as each restart
// comes within the minute. So where its time differs from that of the process that opens the store, and no other has the store open, the latter waits until it
// beats again, or counts as dead. Beats come every 10 s. Reported as AVO_FRONTIER_BUSY, so that a crawl waits as it does for a lock: says why, and can be
// stopped.
import { AvocetError } from '@avocet/core'
import { formatDuration } from '@avocet/core/plugin'
import { SETBACK_TOLERANCE_MS, SILENT_MS } from '@avocet/core/store'
import type { Peer } from './process-table.ts'

/** What one process has seen of them, from one attempt to open a store to the next. */
export class UnseenProcesses {
  /** When it last looked in vain, in ms of the monotonic clock: a process that has beaten since then lives. */
  #lookedAt = Infinity

  /**
   * Throws AVO_FRONTIER_BUSY where it is not known yet whether `alive`, whose time is `aheadMs` later than one's own (negative: sooner), live at all.
   */
  assertKnown(path: string, alive: readonly Peer[], { aheadMs, monotonic }: { aheadMs: number; monotonic: number }): void {
    const isKnown = alive.some(({ isVisible, heartbeat }) => isVisible || heartbeat > this.#lookedAt)
    const isWaiting = !isKnown && Math.abs(aheadMs) > SETBACK_TOLERANCE_MS
    this.#lookedAt = isWaiting ? monotonic : Infinity
    if (!isWaiting) return
    const silentMs = monotonic - Math.max(...alive.map(({ heartbeat }) => heartbeat))
    const off = `${formatDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} this one`
    throw new AvocetError(
      'AVO_FRONTIER_BUSY',
      `${path}: expected to know whether the process of another container that had the store open still runs, for its clock is ${off}; ` +
        `got its last sign of life ${formatDuration(silentMs)} ago; try again in ${formatDuration(SILENT_MS - silentMs)}`,
    )
  }
}
