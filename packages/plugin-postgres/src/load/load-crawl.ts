// Fills an empty crawl from the records of a dump: a statement for some thousands of rows of a table, the next of them read while the last are written.
//
// From before the first record until after the last one the tables are of a version that nobody opens, so a load that fails or is killed leaves nothing that
// could be taken for a crawl. Its statements need not reach the disk one by one: the last one does, and WAL is in order.
// The index of known URLs is made at the end, and so is what follows from the rows: queues, counts, numbers of items.
import { AvocetError } from '@avocet/core'
import { DumpWatch, type DumpCounts, type DumpedStore, type DumpRecord } from '@avocet/core/store'
import { STATES } from '@avocet/store-sql'
import type { ServerConnections } from '../connection/connections.ts'
import { FINGERPRINT_INDEX, SUMMARIZE_PATHS, POSTGRES_SCHEMA_VERSION } from '../schema/tables.sql.ts'
import { HALF_LOADED_VERSION } from '../schema/schema-version.ts'
import { GROUP_BASE, CrawlRows } from './crawl-rows.ts'

/** Records that are written together: some 100 ms. */
const AT_ONCE = 5_000

/** Nobody else is here, and nothing is. */
const ALONE = `NOT EXISTS (SELECT 1 FROM {S}.process WHERE id > 0 AND id <> $1)`
const BEGIN = `UPDATE {S}.crawl SET schema_version = ${String(HALF_LOADED_VERSION)} WHERE ${ALONE} AND NOT EXISTS (SELECT 1 FROM {S}.request)
  AND NOT EXISTS (SELECT 1 FROM {S}.host) AND NOT EXISTS (SELECT 1 FROM {S}.item) AND NOT EXISTS (SELECT 1 FROM {S}.crawl_memory) RETURNING {SAME}`
const END = `WITH sure AS MATERIALIZED (SELECT set_config('synchronous_commit', 'on', true) AS set)
  UPDATE {S}.crawl SET schema_version = ${String(POSTGRES_SCHEMA_VERSION)}, name = $2, created_at = $3, crawl_at = $4, run = $5 FROM sure
  WHERE ${ALONE} RETURNING {SAME}`

const [DONE, MOVED, FAILED] = ['done', 'moved', 'failed'].map((state) => STATES.indexOf(state as (typeof STATES)[number]))

/** What follows from the rows, in this order. */
const CONCLUSIONS: readonly string[] = [
  FINGERPRINT_INDEX,
  SUMMARIZE_PATHS,
  'ANALYZE {S}.request, {S}.attempt, {S}.delayed, {S}.host, {S}.trouble',
  `INSERT INTO {S}.ready (rank, id, host) SELECT r.rank, r.id, r.host FROM {S}.request r WHERE NOT EXISTS (SELECT 1 FROM {S}.attempt a WHERE a.id = r.id)
   AND NOT EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = r.id) ORDER BY r.host, r.rank, r.id`,
  `UPDATE {S}.host h SET ready = s.ready, delayed = s.delayed, again = s.again, done = s.done, moved = s.moved, failed = s.failed FROM (
     SELECT c.host, sum(c.ready)::int AS ready, sum(c.delayed)::int AS delayed, sum(c.again)::int AS again, sum(c.done)::int AS done,
       sum(c.moved)::int AS moved, sum(c.failed)::int AS failed FROM (
       SELECT host, count(*) AS ready, 0 AS delayed, 0 AS again, 0 AS done, 0 AS moved, 0 AS failed FROM {S}.ready GROUP BY host
       UNION ALL SELECT d.host, 0, count(*), count(*) FILTER (WHERE a.state > 0), 0, 0, 0 FROM {S}.delayed d LEFT JOIN {S}.attempt a ON a.id = d.id
         GROUP BY d.host
       UNION ALL SELECT r.host, 0, 0, 0, count(*) FILTER (WHERE a.state = ${String(DONE)}), count(*) FILTER (WHERE a.state = ${String(MOVED)}),
         count(*) FILTER (WHERE a.state = ${String(FAILED)}) FROM {S}.attempt a JOIN {S}.request r ON r.id = a.id WHERE a.state > 0 GROUP BY r.host) c
     GROUP BY c.host) s WHERE h.id = s.host`,
  'SELECT {S}.refresh_hosts(array_agg(id)) FROM {S}.host HAVING count(*) > 0',
  `INSERT INTO {S}.reason_total (failed, process, reason) SELECT count(*), 0, t.reason FROM {S}.trouble t JOIN {S}.attempt a ON a.id = t.id
   WHERE t.reason IS NOT NULL AND a.state = ${String(FAILED)} GROUP BY t.reason`,
  `INSERT INTO {S}.item_group (id, xid, base, size, items) SELECT grp, pg_current_xact_id(), ${GROUP_BASE}, max(n), sum(items) FROM (
     SELECT grp, n, 1 AS items FROM {S}.item UNION ALL SELECT grp, n, 0 FROM {S}.record) y GROUP BY grp ORDER BY grp`,
  'UPDATE {S}.numbering SET next_base = coalesce((SELECT max(base + size) FROM {S}.item_group), 0)',
  `UPDATE {S}.process SET known = (SELECT count(*) FROM {S}.request), items = (SELECT count(*) FROM {S}.item), rejects = (SELECT count(*) FROM {S}.reject),
     done = s.done, moved = s.moved, failed = s.failed, again = s.again FROM (SELECT coalesce(sum(done), 0) AS done, coalesce(sum(moved), 0) AS moved,
     coalesce(sum(failed), 0) AS failed, coalesce(sum(again), 0) AS again FROM {S}.host) s WHERE id = 0`,
  `SELECT setval('{S}.request_id', greatest(max(id), 1), count(*) > 0) FROM {S}.request`,
]

/** Tables whose ids were given here, with the highest of them. */
const IDS = { host: 'host', process: 'process', handler_error: 'error' } as const

/**
 * Returns how many records there were. `process`: id of this one, which has the crawl open. Throws AVO_FRONTIER_UNUSABLE for a crawl that has something and for
 * what PostgreSQL cannot keep, AVO_FRONTIER_CORRUPT for a dump that is not whole, AVO_FRONTIER_….
 */
export async function loadCrawl(
  connections: ServerConnections,
  process: number,
  records: AsyncIterable<DumpRecord>,
): Promise<DumpCounts> {
  if ((await connections.all(BEGIN, [process])).length === 0)
    throw unusable('an empty store to load a dump into', 'one that holds a crawl; name another')
  await connections.all('DROP INDEX {S}.request_fingerprint')
  const rows = new CrawlRows(connections, process)
  const { counts, header } = await written(records, rows)
  for (const conclusion of CONCLUSIONS) await connections.all(conclusion)
  for (const [table, of] of Object.entries(IDS)) await continueIds(connections, table, rows.last[of])
  for (const table of ['item_group', 'reject']) {
    const [row] = await connections.all<{ readonly id: number | null }>(`SELECT max(id) AS id FROM {S}.${table}`)
    await continueIds(connections, table, row?.id ?? 0)
  }
  const { name, createdAt, lastAt, run } = header
  const ended = await connections.all(END, [process, name, Math.round(createdAt), Math.round(lastAt), run])
  if (ended.length === 0) throw unusable('to be alone while a dump is loaded', 'another process in this crawl; load it again')
  return counts
}

/** Writes all records: a batch at a time, while the next one is read. */
async function written(
  records: AsyncIterable<DumpRecord>,
  rows: CrawlRows,
): Promise<{ readonly counts: DumpCounts; readonly header: DumpedStore }> {
  const watch = new DumpWatch()
  let header: DumpedStore | undefined
  let writing = Promise.resolve()
  let batch: DumpRecord[] = []
  const write = async (): Promise<void> => {
    await writing
    writing = rows.write(batch)
    batch = []
    // It is waited for before the next one, and says then what went wrong.
    writing.catch(() => undefined)
  }
  let last = ''
  for await (const record of records) {
    watch.see(record)
    if (record.type === 'store') header = record
    // Requests need their hosts.
    if (batch.length >= AT_ONCE || (record.type !== last && record.type === 'request')) await write()
    last = record.type
    batch.push(record)
  }
  watch.assertEnded()
  await write()
  await writing
  if (header === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected a dump that says what it is of, got none')
  return { counts: watch.counts, header }
}

async function continueIds(connections: ServerConnections, table: string, last: number): Promise<void> {
  await connections.all(`ALTER TABLE {S}.${table} ALTER COLUMN id RESTART WITH ${String(last + 1)}`)
}

function unusable(expected: string, got: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_UNUSABLE', `expected ${expected}, got ${got}`)
}
