// Items, records and rejects at rest. Whoever reads items by number gives numbers to those that have none first, so that none is missed.
import {
  type ChangeQuery,
  type ChangeRecord,
  MAX_REJECT_GROUPS,
  OTHER_REASONS,
  type ItemQuery,
  type ItemRecord,
  type RequestItemsQuery,
  type RejectGroup,
  type RejectQuery,
  type RejectRecord,
} from '@avocet/core/store'
import type { SqlReads } from './sql-reads.ts'
import { joinedUrl, urlOf } from './states.ts'

/** Columns of an item and its page. */
interface ItemRecordRow {
  readonly seq: number
  readonly request: number
  readonly visit: number
  readonly ordinal: number
  readonly json: string
  readonly path: string
  readonly origin: string
}

/** Items, or records, by their numbers. */
export async function yieldsOf(
  sql: SqlReads,
  { afterSeq = 0, limit = Number.MAX_SAFE_INTEGER, newestFirst, recordsOf }: ItemQuery,
): Promise<readonly ItemRecord[]> {
  // Nearly no crawl has records: items need not be looked through for them.
  if (recordsOf !== undefined && (await sql.all('SELECT 1 FROM {S}.record LIMIT 1')).length === 0) return []
  await sql.number()
  const { from, after, order } = sql.yields(recordsOf === undefined ? 'item' : 'record', newestFirst ? 'DESC' : 'ASC')
  const ofHandler = recordsOf === undefined ? '' : 'AND w.word = $3'
  const rows = await sql.all<ItemRecordRow>(
    `SELECT ${sql.seq} AS seq, i.request, i.visit, i.ordinal, i.json, r.path, h.origin FROM ${from}
     ${sql.one('request', 'r', 'i.request')} ${sql.one('host', 'h', 'r.host')} ${sql.one('handler', 'w', 'r.handler')}
     WHERE ${after} ${ofHandler} ORDER BY ${order} LIMIT $2`,
    [afterSeq, limit, ...(recordsOf === undefined ? [] : [sql.word(recordsOf)])],
  )
  return rows.map(itemRecordOf)
}

/** A row as readers see it. */
function itemRecordOf(row: ItemRecordRow): ItemRecord {
  const { seq, request, ordinal, json, visit } = row
  const item = { seq, requestId: request, url: joinedUrl(row), ordinal, json }
  return visit > 0 ? { ...item, visit } : item
}

/** Above all numbers of visits and places. */
const NEWEST = 2 ** 31 - 1

/** Items of one request, the newest first, by the index of their places: what other requests have is not read. */
export async function itemsOfRequest(
  sql: SqlReads,
  { requestId, before, limit }: RequestItemsQuery,
): Promise<readonly ItemRecord[]> {
  await sql.number()
  const rows = await sql.all<ItemRecordRow>(
    `SELECT ${sql.seq} AS seq, i.request, i.visit, i.ordinal, i.json, r.path, h.origin FROM {S}.item i ${sql.numbering}
     ${sql.one('request', 'r', 'i.request')} ${sql.one('host', 'h', 'r.host')}
     WHERE i.request = $1 AND (i.visit, i.ordinal) < ($2, $3) AND ${sql.seq} IS NOT NULL ORDER BY i.visit DESC, i.ordinal DESC LIMIT $4`,
    [requestId, before === undefined ? NEWEST : (before.visit ?? 0), before?.ordinal ?? NEWEST, limit],
  )
  return rows.map(itemRecordOf)
}

/** Columns of a change and its page. */
interface ChangeRow extends Omit<ChangeRecord, 'hostKey' | 'url' | 'requestId' | 'before' | 'after'> {
  readonly request: number
  readonly path: string
  readonly origin: string
  readonly host_key: string
  readonly before: string | null
  readonly after: string | null
}

/** Changes of watched items. */
export async function changesOf(sql: SqlReads, query: ChangeQuery): Promise<readonly ChangeRecord[]> {
  const { afterSeq = 0, since, hostKey, key, newestFirst, limit = Number.MAX_SAFE_INTEGER } = query
  await sql.number()
  const direction = newestFirst ? 'DESC' : 'ASC'
  // Those of a key are few, and found by it.
  const ofKey = { from: `{S}.change i ${sql.numbering}`, after: `${sql.seq} > $1`, order: `${sql.seq} ${direction}` }
  const { from, after, order } = key === undefined ? sql.yields('change', direction) : ofKey
  const [values, where]: [unknown[], string[]] = [[afterSeq, limit], [after]]
  if (since !== undefined) where.push(`i.at >= $${String(values.push(since))}`)
  if (key !== undefined) where.push(`i.key = $${String(values.push(sql.word(key)))}`)
  if (hostKey !== undefined) where.push(`h.key = $${String(values.push(hostKey))}`)
  const rows = await sql.all<ChangeRow>(
    `SELECT ${sql.seq} AS seq, i.kind, h.key AS host_key, i.key, i.before, i.after, i.request, i.visit, i.at, r.path, h.origin FROM ${from}
     ${sql.one('request', 'r', 'i.request')} ${sql.one('host', 'h', 'i.host')} WHERE ${where.join(' AND ')} ORDER BY ${order} LIMIT $2`,
    values,
  )
  return rows.map(changeRecordOf)
}

/** A row as readers see it. */
function changeRecordOf(row: ChangeRow): ChangeRecord {
  const { seq, kind, host_key: hostKey, key, request: requestId, visit, at, before, after } = row
  return {
    ...{ seq, kind, hostKey, key, url: joinedUrl(row), requestId, visit, at },
    ...(before !== null && { before: JSON.parse(before) as NonNullable<ChangeRecord['before']> }),
    ...(after !== null && { after: JSON.parse(after) as NonNullable<ChangeRecord['after']> }),
  }
}

// Rejects: one by one, and by groups of reasons.

/** Columns of a reject, its page and its item. */
interface RejectRecordRow extends Omit<RejectRecord, 'requestId' | 'url' | 'hostKey' | 'seq'> {
  readonly request: number
  readonly path: string
  readonly origin: string
  readonly host_key: string
  readonly seq: number | null
}

/** Columns of a group and of the page of its first reject. */
interface RejectGroupRow {
  readonly source: string
  readonly reason: string
  readonly count: number
  readonly path: string | null
  readonly origin: string | null
}

/** How many rejects a source has. */
interface RejectCount {
  readonly source: string
  readonly count: number
}

/** One by one. */
export async function rejectsOf(
  sql: SqlReads,
  { source, hostKey, afterId = 0, limit = Number.MAX_SAFE_INTEGER }: RejectQuery,
): Promise<RejectRecord[]> {
  const [values, where]: [unknown[], string[]] = [[afterId, limit], ['j.id > $1']]
  if (source !== undefined) where.push(`j.source = $${String(values.push(sql.word(source)))}`)
  if (hostKey !== undefined) where.push(`h.key = $${String(values.push(hostKey))}`)
  const rows = await sql.all<RejectRecordRow>(
    `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, ${sql.seq} AS seq, r.path,
     h.origin, h.key AS host_key, w.word AS handler FROM {S}.reject j
     ${sql.one('request', 'r', 'j.request')} ${sql.one('host', 'h', 'r.host')} ${sql.one('handler', 'w', 'r.handler')}
     LEFT JOIN {S}.item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal ${sql.numbering}
     WHERE ${where.join(' AND ')} ORDER BY j.id LIMIT $2`,
    values,
  )
  return rows.map(rejectRecordOf)
}

/** A row as readers see it. */
function rejectRecordOf(row: RejectRecordRow): RejectRecord {
  const { id, source, request: requestId, handler, visit, ordinal, json, reason, at, seq } = row
  return {
    ...{ id, source, requestId, url: joinedUrl(row), hostKey: row.host_key, handler, visit, ordinal },
    ...(seq !== null && { seq }),
    ...{ json, reason, at },
  }
}

/** How many there are by source and group of reasons, the largest group first. Where there are too many, what is in none of them is one more a source. */
export async function rejectGroupsOf({ all }: SqlReads): Promise<RejectGroup[]> {
  const rows = await all<RejectGroupRow>(
    `SELECT g.source, j.reason, g.count, r.path, h.origin FROM (
       SELECT source, kind, count(*) AS count, min(id) AS first FROM {S}.reject GROUP BY source, kind ORDER BY count DESC, first LIMIT ${MAX_REJECT_GROUPS}) g
     JOIN {S}.reject j ON j.id = g.first LEFT JOIN {S}.request r ON r.id = j.request LEFT JOIN {S}.host h ON h.id = r.host ORDER BY g.count DESC, g.first`,
  )
  const groups = rows.map(({ path, origin, ...row }) => ({ ...row, url: path === null ? '' : urlOf(path, origin ?? '') }))
  if (groups.length < MAX_REJECT_GROUPS) return groups
  const bySource = await all<RejectCount>('SELECT source, count(*) AS count FROM {S}.reject GROUP BY source ORDER BY source')
  const others = bySource.flatMap(({ source, count }) => {
    const listed = groups.filter((group) => group.source === source)
    const left = count - listed.reduce((sum, group) => sum + group.count, 0)
    return left > 0 ? [{ source, reason: OTHER_REASONS, count: left, url: listed[0]?.url ?? '' }] : []
  })
  return [...groups, ...others]
}
