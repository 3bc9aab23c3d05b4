// The read side of the store, on the frontier's own connection or on one of its own beside a crawl that goes on. Statements are prepared when they are asked:
// who reads a store at rest asks a few of them, and seldom.
import type { Counts, FrontierInfo, FrontierReader, HostRecord, MemoryPage, StoredOrder, TableRow } from '@avocet/core/store'
import {
  HOST_RECORD_COLUMNS,
  hostRecordOf,
  itemRecordOf,
  presentCounts,
  type HostRecordRow,
  type ItemRecordRow,
} from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { ProcessTable } from '../process/process-table.ts'
import { handlerErrorsOf } from '../outcome/handler-error-table.ts'
import { sinksOf } from '../outcome/sink-table.ts'
import { CRAWL_MEMORY, memoriesByProcess, type CrawlPartRow } from '../outcome/memory-table.ts'
import { recordsOf, rejectGroupsIn, rejectsOf } from './reject-rows.ts'
import { missingRequests, requestsOf, requestsOfUrl, visitsOf } from './request-rows.ts'

const COUNTS = `SELECT known, known - done - moved - failed AS waiting, done, moved, failed, items, again, rejects, (SELECT count(*) FROM record) AS records,
  (SELECT count(*) FROM host) AS hosts, (SELECT count(*) FROM host WHERE retired_for IS NOT NULL) AS retiredHosts,
  (SELECT coalesce(sum(ready + delayed - again), 0) FROM host WHERE retired_for IS NOT NULL) AS retired FROM crawl`
const FAILURES = 'SELECT word AS reason, failed AS count FROM reason WHERE failed > 0 ORDER BY failed DESC, word'
const TABLE = 'SELECT plugin, key, json FROM plugin_row WHERE plugin = ? AND key > ? ORDER BY key LIMIT ?'
const ORDERS = 'SELECT at, json FROM orders WHERE at > ? ORDER BY at'
const ITEMS = `SELECT i.seq, i.request, i.ordinal, i.json, i.visit, r.path, h.origin FROM item i JOIN request r ON r.id = i.request
  JOIN host h ON h.id = r.host WHERE i.seq > ? ORDER BY i.seq LIMIT ?`

/** Reads one store. `close` does nothing: whoever opened the database closes it. */
export function storeReader(db: Database, path: string, monotonic: () => number): FrontierReader {
  const processes = new ProcessTable(db, path)
  const alive = (): ReadonlySet<number> => processes.others(monotonic()).alive
  const read = async <Answer>(ask: () => Answer): Promise<Answer> => {
    try {
      return ask()
    } catch (thrown) {
      throw storeError(thrown, path)
    }
  }
  return {
    info: () => read(() => infoOf(db, processes, monotonic())),
    counts: () => read(() => countsOf(db)),
    crawlMemories: () => read(() => [...memoriesByProcess(db.prepare<unknown[], CrawlPartRow>(CRAWL_MEMORY).all()).values()]),
    orders: (after) => read(() => db.prepare<unknown[], StoredOrder>(ORDERS).all(after)),
    hosts: (page) => read(() => hostsOf(db, page, alive())),
    host: (hostKey) => read(() => hostsOf(db, { hostKey }, alive())[0]),
    memories: (page) => read(() => memoriesOf(db, page)),
    history: (url) => read(() => requestsOfUrl(db, url)),
    requests: (query) => read(() => requestsOf(db, query)),
    probation: ({ limit }) => read(() => missingRequests(db, limit)),
    failures: () => read(() => db.prepare<unknown[], { readonly reason: string; readonly count: number }>(FAILURES).all()),
    handlerErrors: () => read(() => handlerErrorsOf(db)),
    rejects: (query) => read(() => rejectsOf(db, query)),
    rejectGroups: () => read(() => rejectGroupsIn(db)),
    items: ({ afterSeq, limit }) =>
      read(() => db.prepare<unknown[], ItemRecordRow>(ITEMS).all(afterSeq, limit).map(itemRecordOf)),
    visits: (query) => read(() => visitsOf(db, query)),
    records: (page) => read(() => recordsOf(db, page)),
    table: ({ plugin, afterKey = '', limit }) => read(() => db.prepare<unknown[], TableRow>(TABLE).all(plugin, afterKey, limit)),
    sinks: () => read(() => sinksOf(db)),
    close: () => Promise.resolve(),
  }
}

function infoOf(db: Database, table: ProcessTable, now: number): FrontierInfo {
  const row = db.prepare<unknown[], { readonly name: string; readonly created_at: number }>('SELECT * FROM crawl').get()
  const held = db.prepare<unknown[], number>('SELECT count(*) FROM host WHERE owner = ?').pluck()
  const processes = table.living(now, (id) => held.get(id) ?? 0)
  return { name: row?.name ?? '', createdAt: row?.created_at ?? 0, liveProcesses: processes.length, processes }
}

function countsOf(db: Database): Counts {
  const row = db.prepare<unknown[], Required<Counts>>(COUNTS).get()
  if (row === undefined) throw Object.assign(new Error('the crawl has no row'), { code: 'SQLITE_CORRUPT' })
  return presentCounts(row)
}

/** One host, or a page of them. */
function hostsOf(
  db: Database,
  {
    hostKey,
    afterHostKey = '',
    limit = 1,
    parts,
  }: Partial<Parameters<FrontierReader['hosts']>[0]> & { readonly hostKey?: string },
  alive: ReadonlySet<number>,
): HostRecord[] {
  const select = `SELECT ${HOST_RECORD_COLUMNS} FROM host WHERE key ${hostKey === undefined ? '>' : '='} ? ORDER BY key LIMIT ?`
  const rows = db.prepare<unknown[], HostRecordRow>(select).all(hostKey ?? afterHostKey, limit)
  const memory = db.prepare<unknown[], [part: string, json: string]>('SELECT part, json FROM host_memory WHERE host = ?').raw()
  const one = db.prepare<unknown[], [string, string]>('SELECT part, json FROM host_memory WHERE host = ? AND part = ?').raw()
  return rows.map((row) => {
    const all = parts === undefined ? memory.all(row.id) : parts.flatMap((part) => one.all(row.id, part))
    return hostRecordOf(row, alive, Object.fromEntries(all))
  })
}

function memoriesOf(
  db: Database,
  { part, mentioning, after = '0', limit }: Parameters<FrontierReader['memories']>[0],
): MemoryPage {
  const rows = db
    .prepare<unknown[], { readonly host: number; readonly json: string }>(
      'SELECT host, json FROM host_memory WHERE host > ? AND part = ? AND instr(json, ?) > 0 ORDER BY host LIMIT ?',
    )
    .all(Number(after), part, mentioning, limit)
  const next = rows.length < limit ? undefined : rows.at(-1)?.host
  return { texts: rows.map(({ json }) => json), ...(next !== undefined && { next: String(next) }) }
}
