// A store on a server as a stream of records: read in pages by key, all in one view.
//
// The row of the crawl is locked meanwhile, so that nobody signs in: a crawl that begins waits until the dump is over. Beats do not wait. On a replica nothing
// can be locked: the view is of one moment there too, and a crawl that begins on its primary meanwhile is not in it.
// A host that has an owner is dumped as one whose holder died: a crawl at rest has no other.
import { AvocetError } from '@avocet/core'
import {
  DUMP_VERSION,
  type DumpedHost,
  type DumpRecord,
  type HandlerError,
  type MemoryParts,
  type SinkRecord,
} from '@avocet/core/store'
import { NEVER } from '@avocet/store-sql'
import type { Queries, Snapshot } from '../connection/queries.ts'
import { unpacked } from '../schema/packed-memory.ts'
import { DenseIds, dumpedRequests } from './dumped-requests.ts'
import { numberAll } from './yield-reads.ts'

const AT_ONCE = 1_000

interface CrawlRow {
  readonly name: string
  readonly canonicalisation: string
  readonly host_keying: string
  readonly created_at: number
  readonly crawl_at: number
  readonly run: number
}

interface HostRow {
  readonly id: number
  readonly key: string
  readonly origin: string
  readonly ready_at: number
  readonly retried: number
  readonly epoch: number
  readonly probation: boolean
  readonly abandoned: boolean
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
  readonly retried: boolean
}

/** All records of the store that `queries` ask. Throws AVO_FRONTIER_… */
export async function* dumpCrawl(queries: Queries): AsyncGenerator<DumpRecord> {
  await numberAll(queries)
  const view = await queries.snapshot()
  try {
    yield* recordsOf(view)
  } finally {
    await view.end()
  }
}

async function* recordsOf(view: Snapshot): AsyncGenerator<DumpRecord> {
  yield await headerOf(view)
  const errors = await view.all<{ readonly kind: string; readonly json: string; readonly seen_at: number }>(
    'SELECT kind, json, seen_at FROM {S}.handler_error ORDER BY id',
  )
  for (const { kind, json, seen_at: seenAt } of errors)
    yield { type: 'handler-error', kind, error: JSON.parse(json) as HandlerError, seenAt }
  const hosts = yield* hostsOf(view)
  for (const parts of await crawlMemoriesOf(view)) yield { type: 'memory', parts }
  const ids = await DenseIds.read(view)
  const requests = yield* dumpedRequests(view, ids)
  const items = yield* yieldsOf(view, 'item', ids)
  const records = yield* yieldsOf(view, 'record', ids)
  const rejects = yield* rejectsOf(view, ids)
  const sinks = await view.all<{ readonly record: string }>('SELECT record FROM {S}.sink WHERE record IS NOT NULL ORDER BY name')
  for (const { record } of sinks) yield { type: 'sink', record: JSON.parse(record) as SinkRecord }
  yield { type: 'end', hosts, requests, items, records, rejects, sinks: sinks.length }
}

async function headerOf(view: Snapshot): Promise<DumpRecord> {
  const [server] = await view.all<{ readonly is_replica: boolean }>('SELECT pg_is_in_recovery() AS is_replica')
  // Whoever signs in locks this row for itself; a beat only changes it. Nobody signs in on a replica, which takes no locks.
  const lock = server?.is_replica === true ? '' : 'FOR KEY SHARE'
  const [crawl] = await view.all<CrawlRow>(`SELECT * FROM {S}.crawl WHERE id = 1 ${lock}`)
  if (crawl === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected the row of the crawl, got none')
  const { name, canonicalisation, host_keying: hostKeying, created_at: createdAt, crawl_at: lastAt, run } = crawl
  return { type: 'store', version: DUMP_VERSION, name, canonicalisation, hostKeying, createdAt, lastAt, run }
}

async function* hostsOf(view: Snapshot): AsyncGenerator<DumpRecord, number> {
  let count = 0
  for (let after = 0; ;) {
    const rows = await view.all<HostRow>(
      `SELECT id, key, origin, ready_at, retried, epoch, probation, abandoned OR owner IS NOT NULL AS abandoned, retired_for, probe_at FROM {S}.host
       WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, AT_ONCE],
    )
    const upTo = rows.at(-1)?.id ?? after
    const memories = await memoriesOf(view, after, upTo)
    for (const row of rows) yield hostRecord(row, memories.get(row.id) ?? {})
    count += rows.length
    if (rows.length < AT_ONCE) return count
    after = upTo
  }
}

async function memoriesOf(view: Snapshot, after: number, upTo: number): Promise<ReadonlyMap<number, MemoryParts>> {
  const rows = await view.all<{ readonly host: number; readonly json: string }>(
    'SELECT host, json FROM {S}.host_memory WHERE host > $1 AND host <= $2 ORDER BY host, part',
    [after, upTo],
  )
  return partsBy(rows.map(({ host, json }) => [host, json]))
}

async function crawlMemoriesOf(view: Snapshot): Promise<readonly MemoryParts[]> {
  const rows = await view.all<{ readonly process: number; readonly json: string }>(
    'SELECT process, json FROM {S}.crawl_memory ORDER BY process, part',
  )
  return [...partsBy(rows.map(({ process, json }) => [process, json])).values()]
}

function partsBy(rows: readonly (readonly [of: number, json: string])[]): ReadonlyMap<number, MemoryParts> {
  const parts = new Map<number, MemoryParts>()
  for (const [of, json] of rows) parts.set(of, { ...parts.get(of), ...unpacked(json) })
  return parts
}

function hostRecord(row: HostRow, memory: MemoryParts): DumpedHost {
  const { key: hostKey, origin, ready_at, retried, epoch, probation: onProbation, abandoned, retired_for, probe_at } = row
  return {
    ...{ type: 'host', hostKey, origin, readyAt: ready_at >= NEVER ? Infinity : ready_at, retried, epoch, onProbation },
    ...(abandoned && { abandoned }),
    ...(retired_for !== null && { retired: { reason: retired_for, probeAt: probe_at ?? Infinity } }),
    memory,
  }
}

/** By groups, in the order of their numbers, from the one on that the first number is in. */
async function* yieldsOf(view: Snapshot, type: 'item' | 'record', ids: DenseIds): AsyncGenerator<DumpRecord, number> {
  let count = 0
  for (let after = 0; ;) {
    const rows = await view.all<YieldRow>(
      `SELECT g.base + i.n AS seq, i.request, i.visit, i.ordinal, i.json FROM {S}.item_group g
       JOIN LATERAL (SELECT * FROM {S}.${type} WHERE grp = g.id ORDER BY n) i ON true
       WHERE g.base >= coalesce((SELECT max(base) FROM {S}.item_group WHERE base <= $1), 0) AND g.base + i.n > $1 ORDER BY g.base, i.n LIMIT $2`,
      [after, AT_ONCE],
    )
    for (const { seq, request, visit, ordinal, json } of rows)
      yield { type, seq, requestId: ids.of(request), visit, ordinal, json }
    count += rows.length
    if (rows.length < AT_ONCE) return count
    after = rows.at(-1)?.seq ?? after
  }
}

async function* rejectsOf(view: Snapshot, ids: DenseIds): AsyncGenerator<DumpRecord, number> {
  let count = 0
  for (let after = 0; ;) {
    const rows = await view.all<RejectRow>(
      'SELECT id, source, request, visit, ordinal, json, reason, at, retried FROM {S}.reject WHERE id > $1 ORDER BY id LIMIT $2',
      [after, AT_ONCE],
    )
    for (const { request, json, retried, ...row } of rows)
      yield {
        ...{ type: 'reject', ...row, requestId: ids.of(request) },
        ...(json !== null && { json }),
        ...(retried && { retried }),
      }
    count += rows.length
    if (rows.length < AT_ONCE) return count
    after = rows.at(-1)?.id ?? after
  }
}
