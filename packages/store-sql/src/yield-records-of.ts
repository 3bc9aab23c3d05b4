// Items, records and rejects at rest, from the columns that stores on SQL tables have of them.
import {
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  type DocumentRecord,
  type ItemRecord,
  type RejectGroup,
  type RejectRecord,
} from '@avocet/core/store'
import { urlOf } from './states.ts'

/** Columns of an item and its page. */
export interface ItemRecordRow {
  readonly seq: number
  readonly request: number
  readonly visit: number
  readonly ordinal: number
  readonly json: string
  readonly path: string
  readonly origin: string
}

/** Columns of a record and its document. */
export interface DocumentRecordRow extends ItemRecordRow {
  readonly handler: string
}

/** A row as readers see it. */
export function itemRecordOf({ seq, request, ordinal, json, visit, path, origin }: ItemRecordRow): ItemRecord {
  const item = { seq, requestId: request, url: urlOf(path, origin), ordinal, json }
  return visit > 0 ? { ...item, visit } : item
}

/** A row as readers see it. */
export function documentRecordOf(row: DocumentRecordRow): DocumentRecord {
  return { ...itemRecordOf(row), handler: row.handler }
}

// Rejects: one by one, and by groups of reasons.

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

/** The query for groups, with the page of the first of each; `{S}` stands for the schema. */
export const REJECT_GROUPS: string = `SELECT g.source, j.reason, g.count, r.path, h.origin FROM (
    SELECT source, kind, count(*) AS count, min(id) AS first FROM {S}.reject GROUP BY source, kind ORDER BY count DESC, first LIMIT ${MAX_REJECT_GROUPS}) g
  JOIN {S}.reject j ON j.id = g.first LEFT JOIN {S}.request r ON r.id = j.request LEFT JOIN {S}.host h ON h.id = r.host ORDER BY g.count DESC, g.first`

/** The query for how many each source has. */
export const REJECTS_BY_SOURCE = 'SELECT source, count(*) AS count FROM {S}.reject GROUP BY source ORDER BY source'

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
