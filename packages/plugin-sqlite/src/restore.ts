// Fills an empty store with the rows of another one: a transaction for some thousands; what follows from them is worked out at the end.
//
// Until the last row is there the file is of no version that opens (`LOADING_VERSION`): whoever opens a store that was half filled is told so, and may start
// over. The index of known URLs is made at the end, in one go.
import { AvocetError } from '@avocet/core'
import {
  COPIED_HOST_COUNTS,
  COPIED_REASON_COUNTS,
  COPIED_TABLES,
  type CopiedRow,
  type CopiedRows,
  type CopiedTable,
} from '@avocet/store-sql'
import type { Database, Statement } from './file/driver.ts'
import { LOADING_VERSION, SCHEMA_VERSION } from './file/schema.ts'
import { indexKnown } from './identity/identity-index.ts'
import type { StoredHost } from './queue/host-table.ts'
import type { Store } from './store.ts'

/** Rows of one transaction: some 200 ms. */
const AT_ONCE = 10_000
/** Hosts whose counts are written together. */
const HOSTS_AT_ONCE = 1_000

/** What follows from the rows, beside the counts of hosts. Requests without an attempt that wait for no moment are in spans: ranges of ids. */
const CONCLUSIONS = `
UPDATE trouble SET error = NULL WHERE error NOT IN (SELECT id FROM handler_error);
INSERT INTO span (host, rank, first, size, remaining) SELECT host, rank, min(id), count(*), count(*) FROM (
  SELECT host, rank, id, id - row_number() OVER (PARTITION BY host, rank ORDER BY id) AS run FROM request r
  WHERE NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = r.id) AND NOT EXISTS (SELECT 1 FROM delayed d WHERE d.id = r.id))
  GROUP BY host, rank, run;
UPDATE reason SET failed = s.failed FROM (${inMain(COPIED_REASON_COUNTS)}) s WHERE s.reason = reason.id`

const CRAWL = `UPDATE crawl SET name = @name, canonicalisation = @canonicalisation, created_at = @created_at, last_at = @last_at, run = @run,
  known = (SELECT count(*) FROM request), done = (SELECT coalesce(sum(done), 0) FROM host), moved = (SELECT coalesce(sum(moved), 0) FROM host),
  failed = (SELECT coalesce(sum(failed), 0) FROM host), again = (SELECT coalesce(sum(again), 0) FROM host),
  items = (SELECT count(*) FROM item), rejects = (SELECT count(*) FROM reject)`

/** Throws AVO_FRONTIER_UNUSABLE for a store that has something, AVO_FRONTIER_CORRUPT for rows of no crawl. */
export async function restoreStore(store: Store, copied: AsyncIterable<CopiedRows>): Promise<void> {
  assertEmpty(store)
  const { db, writer } = store
  const insert = insertions(store)
  let crawl: CopiedRow | undefined
  let batch: CopiedRows[] = []
  const write = async (): Promise<void> => {
    const some = batch
    batch = []
    await writer.write('now', () => {
      db.pragma(`user_version = ${LOADING_VERSION}`)
      for (const each of some) insert(each)
    })
  }
  await write()
  let size = 0
  for await (const some of copied) {
    if (some.table === 'crawl') [crawl] = some.rows
    else {
      batch.push(some)
      size += some.rows.length
    }
    if (size < AT_ONCE) continue
    size = 0
    await write()
  }
  if (crawl === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected the rows of a crawl, got none of it')
  const { name, canonicalisation, created_at, last_at, run } = crawl
  await write()
  await writer.write('surely', () => {
    db.exec(CONCLUSIONS)
    countHosts(store)
    db.prepare(CRAWL).run({ name, canonicalisation, created_at, last_at, run })
    indexKnown(db)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })
}

function assertEmpty({ totals, hosts, db }: Store): void {
  const { known, items } = totals.load()
  const memories = db.prepare<unknown[], number>('SELECT count(*) FROM crawl_memory').pluck().get() ?? 0
  if (known === 0 && items === 0 && memories === 0 && hosts.peek(1) === undefined) return
  throw new AvocetError('AVO_FRONTIER_UNUSABLE', 'expected an empty store to copy into, got one that holds a crawl; name another')
}

/** Inserts rows. Crawl memory is of processes that are gone, which the next one that opens the store inherits: their ids follow that of this one. */
function insertions({ db, processes }: Store): (copied: CopiedRows) => void {
  const statements = new Map<CopiedTable, Statement>()
  const beyond = db.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'process'")
  return ({ table, rows }) => {
    const columns = COPIED_TABLES[table].split(', ')
    const statement = statements.get(table) ?? inserting(db, table, columns)
    statements.set(table, statement)
    for (const row of rows) {
      if (table === 'crawl_memory') {
        const process = Number(row['process']) + processes.id
        statement.run({ ...row, process })
        beyond.run(process)
      } else statement.run(row)
    }
  }
}

function inserting(db: Database, table: CopiedTable, columns: readonly string[]): Statement {
  const values = columns.map((column) => (column === 'fingerprint' ? 'unhex(@fingerprint)' : `@${column}`))
  return db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values.join(', ')})`)
}

/** Writes what hosts have, and when they are due. */
function countHosts({ db, hosts }: Store): void {
  const counts = db.prepare<unknown[], StoredHost & { readonly host: number }>(inMain(COPIED_HOST_COUNTS)).all()
  for (const [n, { host, ...counted }] of counts.entries()) {
    const row = hosts.get(host)
    if (row === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', `expected the host ${host} of requests, got none`)
    Object.assign(row, counted)
    if (n % HOSTS_AT_ONCE === 0) hosts.save()
  }
  hosts.save()
}

function inMain(sql: string): string {
  return sql.replaceAll('{S}', 'main')
}
