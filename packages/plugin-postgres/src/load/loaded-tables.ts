// The tables that a load fills, with the columns that a dump has something of (schema/tables.sql.ts).
import { numbersText, textsText } from '../connection/array-text.ts'
import type { Queries } from '../connection/queries.ts'

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

// Rows of one table that are written together: a statement for thousands, an array for each column.

/** What a column can be. */
type ColumnType = 'bigint' | 'int' | 'smallint' | 'boolean' | 'text' | 'uuid'
type Value = string | number | boolean | null | undefined

const NUMBERS: ReadonlySet<ColumnType> = new Set(['bigint', 'int', 'smallint'])

/** Those of one table, none of which is there. */
class BulkRows<Column extends string> {
  readonly #insert: string
  readonly #types: readonly (readonly [Column, ColumnType])[]
  #rows: Readonly<Partial<Record<Column, Value>>>[] = []

  constructor(table: string, columns: Readonly<Record<Column, ColumnType>>) {
    this.#types = Object.entries(columns) as [Column, ColumnType][]
    const arrays = this.#types.map(([, type], n) => `$${String(n + 1)}::${type}[]`)
    this.#insert = `INSERT INTO {S}.${table} (${Object.keys(columns).join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`
  }

  /** What is absent is NULL. */
  add(row: Readonly<Partial<Record<Column, Value>>>): void {
    this.#rows.push(row)
  }

  /** Writes those that were added, in their order, and forgets them. */
  async write(queries: Pick<Queries, 'all'>): Promise<void> {
    const rows = this.#rows
    if (rows.length === 0) return
    this.#rows = []
    await queries.all(
      this.#insert,
      this.#types.map(([column, type]) => {
        const values = rows.map((row) => row[column])
        if (NUMBERS.has(type)) return numbersText(values as (number | null | undefined)[])
        return textsText(type === 'boolean' ? values.map(String) : (values as (string | null | undefined)[]))
      }),
    )
  }
}
