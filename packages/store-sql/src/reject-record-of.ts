// Rejects at rest, from the columns that stores on SQL tables have of them: one by one, and by groups of reasons.
import { MAX_REJECT_GROUPS, OTHER_REASONS, type RejectGroup, type RejectRecord } from '@avocet/core/store'
import { urlOf } from './states.ts'

/** Columns of a reject, its page and its item. Of a flag, SQLite has 0 and 1. */
export interface RejectRecordRow extends Omit<RejectRecord, 'requestId' | 'url' | 'hostKey' | 'seq' | 'retried'> {
  readonly request: number
  readonly path: string
  readonly origin: string
  readonly host_key: string
  readonly seq: number | null
  readonly retried: number | boolean
}

/** Columns of a group and of the page of its first reject. */
export interface RejectGroupRow {
  readonly source: string
  readonly reason: string
  readonly count: number
  readonly path: string | null
  readonly origin: string | null
}

/** How many rejects a source has. */
export interface RejectCount {
  readonly source: string
  readonly count: number
}

/** A row as readers see it. */
export function rejectRecordOf(row: RejectRecordRow): RejectRecord {
  const { id, source, request: requestId, handler, visit, ordinal, json, reason, at, seq } = row
  return {
    ...{ id, source, requestId, url: urlOf(row.path, row.origin), hostKey: row.host_key, handler, visit, ordinal },
    ...(seq !== null && { seq }),
    ...{ json, reason, at },
    ...(Boolean(row.retried) && { retried: true as const }),
  }
}

/** Groups as readers see them, the largest first. Where there are too many, `bySource` says what is in none of them: that is one more a source. */
export function rejectGroupsOf(rows: readonly RejectGroupRow[], bySource: readonly RejectCount[]): RejectGroup[] {
  const groups = rows.map(({ path, origin, ...row }) => ({ ...row, url: path === null ? '' : urlOf(path, origin ?? '') }))
  if (groups.length < MAX_REJECT_GROUPS) return groups
  const others = bySource.flatMap(({ source, count }) => {
    const listed = groups.filter((group) => group.source === source)
    const left = count - listed.reduce((sum, group) => sum + group.count, 0)
    return left > 0 ? [{ source, reason: OTHER_REASONS, count: left, url: listed[0]?.url ?? '' }] : []
  })
  return [...groups, ...others]
}
