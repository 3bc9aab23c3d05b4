// What readers say of a crawl: its totals, errors in the user's code, sinks and hosts, from the columns that stores on SQL tables have of them.
import {
  isUntilResumed,
  storedJson,
  type Counts,
  type HandlerError,
  type HandlerErrorGroup,
  type HostRecord,
  type MemoryParts,
  type SinkRecord,
  type SinkStanding,
} from '@avocet/core/store'
import { joinedUrl, NEVER } from './states.ts'

/** Totals as readers see them: what there is none of is not said. */
export function presentCounts({ records, again, rejects, ...counts }: Required<Counts>): Counts {
  return {
    ...counts,
    ...(records > 0 && { records }),
    ...(again > 0 && { again }),
    ...(rejects > 0 && { rejects }),
  }
}

/** Columns of a kind of errors, with the page that failed with it first. */
export interface HandlerErrorRow {
  readonly json: string
  readonly pages: number
  readonly path: string
  readonly origin: string
  readonly handler: string
}

/** A row as readers see it. */
export function handlerErrorOf(row: HandlerErrorRow): HandlerErrorGroup {
  return { ...(JSON.parse(row.json) as HandlerError), count: row.pages, url: joinedUrl(row), handler: row.handler }
}

/** What is kept of a sink. Throws AVO_FRONTIER_CORRUPT. */
export function sinkRecordOf(text: string): SinkRecord {
  return storedJson(text, 'what is kept of a sink') as SinkRecord
}

/** A sink as readers see it; `behind`: how many items are beyond its mark. */
export function sinkStandingOf({ record, behind }: { readonly record: string; readonly behind: number }): SinkStanding {
  const known = sinkRecordOf(record)
  const { suspects = [], mark: { itemSeq } = { itemSeq: 0 } } = known
  return { ...known, behind: behind + suspects.filter(({ seq }) => seq <= itemSeq).length }
}

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
