// The store as a stream of records: read in pages by key, each in a transaction of its own. Meant for a store at rest: nobody writes meanwhile.
import {
  DUMP_VERSION,
  type DumpedHost,
  type DumpRecord,
  type HandlerError,
  type SinkRecord,
  type DumpedRequest,
  type Fingerprint,
} from '@avocet/core/store'
import { NEVER, dumpedRequestOf, type DumpedRequestRow } from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'
import { CRAWL_MEMORY, memoriesByProcess, type CrawlPartRow } from '../outcome/memory-table.ts'
import type { CrawlRow } from '../outcome/crawl-totals.ts'

// A request as a record of a dump, from all tables that have something of it.

/** A row of `REQUESTS`. */
type StoredRequestRow = DumpedRequestRow & { readonly fingerprint: Buffer }

/** Requests after an id, in order: parameters are that id and how many. */
const REQUESTS: string = `SELECT r.id, r.path, r.fingerprint, r.parent, r.depth, r.rank, r.anchor, h.key AS host_key, h.origin, w.word AS handler,
  e.method, e.headers, e.body, e.data, e.hops, e.redirected_from, e.identity, e.asked_at AS first_asked_at,
  a.state, a.attempts, a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, a.run,
  y.word AS reason, t.blame, t.target, k.kind AS error_kind, d.not_before, x.runs AS deaths,
  v.visits, v.due_at, v.skipped, v.etag, v.last_modified, v.body_hash, v.missing, v.missing_since, v.asked_at, v.asked_by, v.page_at, v.page_visit
  FROM request r JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler LEFT JOIN extra e ON e.id = r.id LEFT JOIN attempt a ON a.id = r.id
  LEFT JOIN trouble t ON t.id = r.id LEFT JOIN reason y ON y.id = t.reason LEFT JOIN handler_error k ON k.id = t.error
  LEFT JOIN delayed d ON d.id = r.id LEFT JOIN death x ON x.id = r.id
  LEFT JOIN visited v ON v.id = r.id WHERE r.id > ? ORDER BY r.id LIMIT ? + 0`

/** The record of a row. */
function dumpedRequest(row: StoredRequestRow): DumpedRequest {
  return dumpedRequestOf(row, row.fingerprint.toString('latin1') as Fingerprint)
}

const AT_ONCE = 1_000

interface HostRow {
  readonly id: number
  readonly key: string
  readonly origin: string
  readonly ready_at: number
  readonly retried: number
  readonly epoch: number
  readonly probation: number
  readonly abandoned: number
  readonly retired_for: string | null
  readonly probe_at: number | null
}

interface YieldRow {
  readonly seq: number
  readonly request: number
  readonly visit: number
  readonly ordinal: number
  readonly json: string
}

interface RejectRow extends Omit<YieldRow, 'seq' | 'json'> {
  readonly id: number
  readonly source: string
  readonly json: string | null
  readonly reason: string
  readonly at: number
  readonly retried: number
}

/** All records of the store. */
export async function* dumpStore(db: Database): AsyncGenerator<DumpRecord> {
  const crawl = db.prepare<unknown[], CrawlRow & { readonly run: number }>('SELECT * FROM crawl').get()
  if (crawl === undefined) throw Object.assign(new Error('the crawl has no row'), { code: 'SQLITE_CORRUPT' })
  const { name, canonicalisation, host_keying: hostKeying, created_at: createdAt, last_at: lastAt, run } = crawl
  yield { type: 'store', version: DUMP_VERSION, name, canonicalisation, hostKeying, createdAt, lastAt, run }
  const errors = db.prepare<unknown[], { readonly kind: string; readonly json: string; readonly seen_at: number }>(
    'SELECT kind, json, seen_at FROM handler_error ORDER BY id',
  )
  for (const { kind, json, seen_at: seenAt } of errors.all())
    yield { type: 'handler-error', kind, error: JSON.parse(json) as HandlerError, seenAt }
  const hosts = yield* hostsOf(db)
  const memories = memoriesByProcess(db.prepare<unknown[], CrawlPartRow>(CRAWL_MEMORY).all())
  for (const parts of memories.values()) yield { type: 'memory', parts }
  const requests = yield* pages(db.prepare<unknown[], StoredRequestRow>(REQUESTS), dumpedRequest)
  const items = yield* yieldsOf(db, 'item')
  const records = yield* yieldsOf(db, 'record')
  const rejects = yield* rejectsOf(db)
  const sinks = db.prepare<unknown[], string>('SELECT record FROM sink WHERE record IS NOT NULL ORDER BY name').pluck().all()
  for (const record of sinks) yield { type: 'sink', record: JSON.parse(record) as SinkRecord }
  yield { type: 'end', hosts, requests, items, records, rejects, sinks: sinks.length }
}

/** Rows page by page, by their `id` or `seq`; returns how many there were. */
async function* pages<Row extends { readonly id: number } | { readonly seq: number }>(
  query: { all(after: number, limit: number): Row[] },
  toRecord: (row: Row) => DumpRecord,
): AsyncGenerator<DumpRecord, number> {
  let count = 0
  for (let after = 0; ;) {
    const rows = query.all(after, AT_ONCE)
    for (const row of rows) {
      after = 'id' in row ? row.id : row.seq
      yield toRecord(row)
    }
    count += rows.length
    if (rows.length < AT_ONCE) return count
  }
}

function hostsOf(db: Database): AsyncGenerator<DumpRecord, number> {
  const memory = db.prepare<unknown[], [string, string]>('SELECT part, json FROM host_memory WHERE host = +? ORDER BY part').raw()
  const query = db.prepare<unknown[], HostRow>(
    `SELECT id, key, origin, ready_at, retried, epoch, probation, abandoned, retired_for, probe_at FROM host WHERE id > ? ORDER BY id LIMIT ? + 0`,
  )
  return pages(query, (row) => hostRecord(row, memory.all(row.id)))
}

function hostRecord(row: HostRow, memory: readonly (readonly [string, string])[]): DumpedHost {
  const { key: hostKey, origin, ready_at, retried, epoch, probation, abandoned, retired_for, probe_at } = row
  return {
    type: 'host',
    hostKey,
    origin,
    readyAt: ready_at >= NEVER ? Infinity : ready_at,
    retried,
    epoch,
    onProbation: probation !== 0,
    ...(abandoned !== 0 && { abandoned: true }),
    ...(retired_for !== null && { retired: { reason: retired_for, probeAt: probe_at ?? Infinity } }),
    memory: Object.fromEntries(memory),
  }
}

function yieldsOf(db: Database, type: 'item' | 'record'): AsyncGenerator<DumpRecord, number> {
  const query = db.prepare<unknown[], YieldRow>(
    `SELECT seq, request, visit, ordinal, json FROM ${type} WHERE seq > ? ORDER BY seq LIMIT ? + 0`,
  )
  return pages(query, ({ request: requestId, seq, visit, ordinal, json }) => ({ type, seq, requestId, visit, ordinal, json }))
}

function rejectsOf(db: Database): AsyncGenerator<DumpRecord, number> {
  const query = db.prepare<unknown[], RejectRow>(
    'SELECT id, source, request, visit, ordinal, json, reason, at, retried FROM reject WHERE id > ? ORDER BY id LIMIT ? + 0',
  )
  return pages(query, ({ request: requestId, json, retried, ...row }) => ({
    type: 'reject',
    ...row,
    requestId,
    ...(json !== null && { json }),
    ...(retried !== 0 && { retried: true }),
  }))
}
