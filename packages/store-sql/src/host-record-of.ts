// A host at rest, from the columns that stores on SQL tables have of it.
import { type HostRecord, isUntilResumed, type MemoryParts } from '@avocet/core/store'
import { NEVER } from './states.ts'

/** Its columns; `waiting` without what is due again. */
export interface HostRecordRow {
  readonly id: number
  readonly key: string
  readonly ready_at: number
  readonly waiting: number
  readonly done: number
  readonly moved: number
  readonly failed: number
  readonly again: number
  readonly retried: number
  readonly owner: number | null
  readonly retired_for: string | null
  readonly probe_at: number | null
}

/** The query for them, but for where. */
export const HOST_RECORD_COLUMNS =
  'id, key, ready_at, ready + delayed - again AS waiting, done, moved, failed, again, retried, owner, retired_for, probe_at'

/** A row as readers see it; `alive`: ids of the processes that live. */
export function hostRecordOf(row: HostRecordRow, alive: ReadonlySet<number>, memory: MemoryParts): HostRecord {
  const { key: hostKey, waiting, done, moved, failed, again, retried, owner, retired_for, probe_at } = row
  return {
    hostKey,
    waiting,
    done,
    moved,
    failed,
    retried,
    readyAt: row.ready_at >= NEVER || isUntilResumed(row.ready_at) ? Infinity : row.ready_at,
    held: owner !== null && alive.has(owner),
    memory,
    ...(again > 0 && { again }),
    ...(retired_for !== null && { retiredFor: retired_for, ...(probe_at !== null && { probeAt: probe_at }) }),
  }
}
