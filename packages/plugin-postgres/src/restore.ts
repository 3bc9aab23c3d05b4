// Fills an empty crawl with the rows of another store: a statement for each range of a table, as JSON, whose values the server reads as the columns have them.
//
// From before the first row until after the last one the tables are of a version that nobody opens, so what fails or is killed leaves nothing that could be
// taken for a crawl. Its statements need not reach the disk one by one: the last one does, and WAL is in order.
// The index of known URLs is made at the end, and so is what follows from the rows: queues, counts, numbers of items.
import { AvocetError } from '@avocet/core'
import { COPIED_HOST_COUNTS, COPIED_REASON_COUNTS, type CopiedRow, type CopiedRows, type CopiedTable } from '@avocet/store-sql'
import type { ServerConnections } from './connection/connections.ts'
import { inRange, jsonText, MOST_INT, MOST_SMALLINT, storableText } from './connection/storable-text.ts'
import { LeasedHost } from './held-host.ts'
import { isTooLong, storedWord } from './names/word-ids.ts'
import { packed } from './schema/packed-memory.ts'
import { HALF_LOADED_VERSION } from './schema/schema-version.ts'
import { FINGERPRINT_INDEX, POSTGRES_SCHEMA_VERSION, SUMMARIZE_PATHS } from './schema/tables.sql.ts'

/** Numbers of items that share a row of `item_group`. */
const GROUP = 256
const GROUP_BASE = `(grp - 1) * ${String(GROUP)}`

/** Nobody else is here, and nothing is. */
const ALONE = `NOT EXISTS (SELECT 1 FROM {S}.process WHERE id > 0 AND id <> $1)`
const BEGIN = `UPDATE {S}.crawl SET schema_version = ${String(HALF_LOADED_VERSION)} WHERE ${ALONE} AND NOT EXISTS (SELECT 1 FROM {S}.request)
  AND NOT EXISTS (SELECT 1 FROM {S}.host) AND NOT EXISTS (SELECT 1 FROM {S}.item) AND NOT EXISTS (SELECT 1 FROM {S}.crawl_memory) RETURNING {SAME}`
const END = `WITH sure AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true) AS set)
  UPDATE {S}.crawl SET schema_version = ${String(POSTGRES_SCHEMA_VERSION)}, name = $2, created_at = $3, crawl_at = $4, run = $5, canonicalisation = $6 FROM sure
  WHERE ${ALONE} RETURNING {SAME}`

/** What follows from the rows, in this order. */
const CONCLUSIONS: readonly string[] = [
  FINGERPRINT_INDEX,
  SUMMARIZE_PATHS,
  'ANALYZE {S}.request, {S}.attempt, {S}.delayed, {S}.host, {S}.trouble',
  'UPDATE {S}.trouble t SET error = NULL WHERE error IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {S}.handler_error WHERE id = t.error)',
  `INSERT INTO {S}.ready (rank, id, host) SELECT r.rank, r.id, r.host FROM {S}.request r WHERE NOT EXISTS (SELECT 1 FROM {S}.attempt a WHERE a.id = r.id)
   AND NOT EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = r.id) ORDER BY r.host, r.rank, r.id`,
  `UPDATE {S}.host h SET ready = s.ready, delayed = s.delayed, again = s.again, done = s.done, moved = s.moved, failed = s.failed
   FROM (${COPIED_HOST_COUNTS}) s WHERE h.id = s.host`,
  'SELECT {S}.refresh_hosts(array_agg(id)) FROM {S}.host HAVING count(*) > 0',
  `INSERT INTO {S}.reason_total (failed, process, reason) SELECT failed, 0, reason FROM (${COPIED_REASON_COUNTS}) s`,
  `INSERT INTO {S}.item_group (id, xid, base, size, items) SELECT grp, pg_current_xact_id(), ${GROUP_BASE}, max(n), sum(items) FROM (
     SELECT grp, n, 1 AS items FROM {S}.item UNION ALL SELECT grp, n, 0 FROM {S}.record) y GROUP BY grp ORDER BY grp`,
  'UPDATE {S}.numbering SET next_base = coalesce((SELECT max(base + size) FROM {S}.item_group), 0)',
  `UPDATE {S}.process SET known = (SELECT count(*) FROM {S}.request), items = (SELECT count(*) FROM {S}.item), rejects = (SELECT count(*) FROM {S}.reject),
     done = s.done, moved = s.moved, failed = s.failed, again = s.again FROM (SELECT coalesce(sum(done), 0) AS done, coalesce(sum(moved), 0) AS moved,
     coalesce(sum(failed), 0) AS failed, coalesce(sum(again), 0) AS again FROM {S}.host) s WHERE id = 0`,
  `SELECT setval('{S}.request_id', greatest(max(id), 1), count(*) > 0) FROM {S}.request`,
  ...['handler', 'reason', 'handler_error', 'host', 'item_group', 'reject'].map((table) => continuedIds(table, `{S}.${table}`)),
  continuedIds('process', '(SELECT id FROM {S}.process UNION ALL SELECT process FROM {S}.crawl_memory) p'),
]

/** New ids of the table are beyond all of `from`. */
function continuedIds(table: string, from: string): string {
  return `SELECT setval(pg_get_serial_sequence('{S}.${table}', 'id'), greatest(max(id), 1), count(*) > 0) FROM ${from}`
}

/**
 * `process`: id of this one, which has the crawl open. Throws AVO_FRONTIER_UNUSABLE for a crawl that has something and for what PostgreSQL cannot keep,
 * AVO_FRONTIER_CORRUPT for rows of no crawl, AVO_FRONTIER_….
 */
export async function restoreCrawl(
  connections: ServerConnections,
  process: number,
  copied: AsyncIterable<CopiedRows>,
): Promise<void> {
  if ((await connections.all(BEGIN, [process])).length === 0)
    throw unusable('an empty store to copy into', 'one that holds a crawl; name another')
  await connections.all('DROP INDEX {S}.request_fingerprint')
  let crawl: CopiedRow | undefined
  for await (const some of copied) {
    if (some.table === 'crawl') [crawl] = some.rows
    else await insert(connections, some.table, rowsHere(some, process))
  }
  if (crawl === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected the rows of a crawl, got none of it')
  for (const conclusion of CONCLUSIONS) await connections.all(conclusion)
  const { name, created_at, last_at, run, canonicalisation } = crawl
  const ended = await connections.all(END, [process, name, created_at, last_at, run, canonicalisation])
  if (ended.length === 0) throw unusable('to be alone while a crawl is copied', 'another process in this crawl; copy it again')
}

async function insert(connections: ServerConnections, table: CopiedTable, rows: readonly CopiedRow[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {}).join(', ')
  await connections.all(
    `INSERT INTO {S}.${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::{S}.${table}, $1)`,
    [jsonText(rows)],
  )
}

/** The rows as the tables here have them. Crawl memory is of processes that are gone: their ids follow that of this one. */
function rowsHere({ table, rows }: CopiedRows, process: number): readonly CopiedRow[] {
  if (table === 'host_memory') return memoryRows(rows)
  if (table === 'crawl_memory')
    return rows.map(({ process: gone, part, json }) => ({
      ...{ no: 1, process: Number(gone) + process, part: storedWord(String(part)) },
      json: packed({ [String(part)]: String(json) }),
    }))
  const stored = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, storedValue(value, table, column)])),
  )
  if (table !== 'item' && table !== 'record') return stored
  return stored.map(({ seq, ...row }) => {
    const grp = Math.ceil(Number(seq) / GROUP)
    return { ...row, grp, n: Number(seq) - (grp - 1) * GROUP }
  })
}

function memoryRows(rows: readonly CopiedRow[]): CopiedRow[] {
  const hosts = new Map<number, Record<string, string>>()
  for (const { host, part, json } of rows) hosts.set(Number(host), { ...hosts.get(Number(host)), [String(part)]: String(json) })
  return [...hosts].flatMap(([id, parts]) =>
    new LeasedHost({ id, key: '', origin: '', epoch: 0, isTakenOver: false }, {}).rowsWith(parts).map((row) => ({ ...row })),
  )
}

/** What an index has, or what names things: what is too long is cut. */
const WORDS: ReadonlySet<string> = new Set(['reason.word', 'handler_error.kind', 'reject.source', 'reject.kind', 'sink.name'])
/** What is to be kept as it is, or not at all; whether an index has it. */
const EXACT: ReadonlyMap<string, boolean> = new Map([
  ...(['handler.word', 'host.key'] as const).map((column) => [column, true] as const),
  ...(['request.path', 'extra.method', 'extra.body', 'extra.redirected_from'] as const).map((column) => [column, false] as const),
])
/** Columns of small numbers. */
const MOST: Readonly<Record<string, number>> = {
  ...{ status: MOST_SMALLINT, attempts: MOST_SMALLINT, free_attempts: MOST_SMALLINT, duration_ms: MOST_INT },
}

function storedValue(value: string | number | null, table: CopiedTable, column: string): string | number | null {
  if (value === null) return null
  if (typeof value === 'number') return inRange(value, MOST[column])
  const place = `${table}.${column}`
  if (WORDS.has(place)) return storedWord(value)
  const isIndexed = EXACT.get(place)
  if (isIndexed !== undefined && (value.includes('\0') || (isIndexed && isTooLong(value))))
    throw unusable(`${place} without U+0000 that an index can have`, JSON.stringify(value.slice(0, 40)))
  return storableText(value)
}

function unusable(expected: string, got: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_UNUSABLE', `expected ${expected}, got ${got}`)
}
