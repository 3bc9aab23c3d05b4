// The tables that a load fills, with the columns that a dump has something of (schema/tables.sql.ts).
import { BulkRows } from './bulk-rows.ts'

const COLUMNS = {
  host: {
    id: 'int',
    key: 'text',
    origin: 'text',
    ready_at: 'bigint',
    retried: 'int',
    epoch: 'int',
    abandoned: 'boolean',
    probation: 'boolean',
    retired_for: 'text',
    probe_at: 'bigint',
  },
  host_memory: { host: 'int', part: 'text', json: 'text' },
  crawl_memory: { no: 'bigint', process: 'int', part: 'text', json: 'text' },
  handler_error: { id: 'int', kind: 'text', json: 'text', seen_at: 'bigint' },
  request: {
    id: 'bigint',
    parent: 'bigint',
    rank: 'bigint',
    fingerprint: 'uuid',
    host: 'int',
    depth: 'int',
    handler: 'int',
    path: 'text',
    anchor: 'text',
  },
  extra: {
    id: 'bigint',
    asked_at: 'bigint',
    hops: 'int',
    method: 'text',
    headers: 'text',
    body: 'text',
    data: 'text',
    redirected_from: 'text',
    identity: 'text',
  },
  delayed: { id: 'bigint', not_before: 'bigint', rank: 'bigint', host: 'int' },
  attempt: {
    id: 'bigint',
    fetched_at: 'bigint',
    wire_bytes: 'bigint',
    duration_ms: 'int',
    run: 'int',
    status: 'smallint',
    state: 'smallint',
    attempts: 'smallint',
    free_attempts: 'smallint',
  },
  visited: {
    id: 'bigint',
    due_at: 'bigint',
    missing_since: 'bigint',
    asked_at: 'bigint',
    asked_by: 'bigint',
    page_at: 'bigint',
    visits: 'int',
    skipped: 'int',
    missing: 'int',
    page_visit: 'int',
    etag: 'text',
    last_modified: 'text',
    body_hash: 'text',
  },
  trouble: { id: 'bigint', reason: 'int', error: 'int', blame: 'text', target: 'text' },
  death: { id: 'bigint', runs: 'int' },
  item: { grp: 'bigint', request: 'bigint', n: 'int', visit: 'int', ordinal: 'int', json: 'text' },
  record: { grp: 'bigint', request: 'bigint', n: 'int', visit: 'int', ordinal: 'int', json: 'text' },
  reject: {
    id: 'bigint',
    request: 'bigint',
    at: 'bigint',
    visit: 'int',
    ordinal: 'int',
    retried: 'boolean',
    source: 'text',
    kind: 'text',
    reason: 'text',
    json: 'text',
  },
  sink: { item_seq: 'bigint', name: 'text', record: 'text' },
} as const

/** Rows of each, to be written. */
export type LoadedTables = {
  readonly [Table in keyof typeof COLUMNS]: BulkRows<Extract<keyof (typeof COLUMNS)[Table], string>>
}

/** None of them has any yet. */
export function loadedTables(): LoadedTables {
  return Object.fromEntries(
    Object.entries(COLUMNS).map(([table, columns]) => [table, new BulkRows<string>(table, columns)]),
  ) as LoadedTables
}
