// A whole store at rest as rows of its tables, which a store of the other kind can take: how a crawl moves to another machine.
//
// Both kinds have these tables with these columns, so a row is copied as it is. Where one kind writes a value in another way (a flag, a fingerprint, the number
// of an item), the form here is what SQLite has, but for fingerprints, which are hexadecimal digits. What can be worked out from the rows (queues of what was
// never tried, counts, indexes) is not copied.
import type { FrontierReader } from '@avocet/core/store'
import { STATES } from './states.ts'

/** The tables in the order in which they are copied, with their columns. All but sinks and orders are read by ranges of the first one. */
export const COPIED_TABLES = {
  crawl: 'id, name, created_at, last_at, run, canonicalisation, host_keying',
  handler: 'id, word',
  reason: 'id, word',
  handler_error: 'id, kind, json, seen_at',
  host: 'id, key, origin, ready_at, retried, epoch, abandoned, probation, retired_for, probe_at',
  host_memory: 'host, part, json',
  crawl_memory: 'process, part, json',
  request: 'id, host, path, fingerprint, parent, depth, rank, handler, anchor',
  extra: 'id, method, headers, body, data, hops, redirected_from, identity, asked_at',
  attempt: 'id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, run',
  delayed: 'id, host, not_before, rank',
  visited:
    'id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, asked_at, asked_by, page_at, page_visit',
  trouble: 'id, reason, blame, target, error',
  death: 'id, runs',
  item: 'seq, request, visit, ordinal, json',
  record: 'seq, request, visit, ordinal, json',
  reject: 'id, source, request, visit, ordinal, json, reason, kind, at',
  sink: 'name, item_seq, record',
  orders: 'at, json',
} as const

/** Tables that are read as a whole, and which of their rows. */
export const COPIED_WHOLE: Partial<Record<CopiedTable, string>> = { sink: 'WHERE record IS NOT NULL', orders: '' }

/** Name of a table that is copied. */
export type CopiedTable = keyof typeof COPIED_TABLES

/** A row by its columns. */
export type CopiedRow = Readonly<Record<string, string | number | null>>

/** Some rows of one table. */
export interface CopiedRows {
  readonly table: CopiedTable
  readonly rows: readonly CopiedRow[]
}

/** The reader of a store that can be copied. */
export interface CopiedReader extends FrontierReader {
  /** All of the store at rest. Nobody can begin to crawl in it until the last row is read, or `return` is called. */
  rows(): AsyncGenerator<CopiedRows>
}

/** A store that another one can be copied into. */
export interface Restoring {
  /**
   * Fills this store, which is open and empty, in transactions of bounded size; it is to be closed then, and opened anew. One that was only half filled says so
   * when it is opened. Throws AVO_FRONTIER_UNUSABLE for a store that has something, AVO_FRONTIER_CORRUPT for rows of no crawl.
   */
  restore(rows: AsyncIterable<CopiedRows>): Promise<void>
}

/** How a kind of store reads its rows. */
export interface RowSource {
  /** The highest value of what the ranges of a table go by; 0 for an empty one. */
  last(table: CopiedTable): number | Promise<number>
  /** Rows beyond `after`, `upTo` at most. */
  rows(table: CopiedTable, after: number, upTo: number): readonly CopiedRow[] | Promise<readonly CopiedRow[]>
}

/** Width of a range. */
export const COPIED_AT_ONCE = 1_024

/** All rows of a store, by ranges: each has all rows of a host or a process together. */
export async function* copiedRows(source: RowSource): AsyncGenerator<CopiedRows> {
  for (const table of Object.keys(COPIED_TABLES) as CopiedTable[]) {
    const last = table in COPIED_WHOLE ? 1 : await source.last(table)
    for (let after = 0; after < last; after += COPIED_AT_ONCE) {
      const rows = await source.rows(table, after, Math.min(after + COPIED_AT_ONCE, last))
      if (rows.length > 0) yield { table, rows }
    }
  }
}

/** The columns of a table to select; `written`: how a store writes some of them, by `table.column`. */
export function copiedColumns(table: CopiedTable, written: Readonly<Record<string, string>>): string {
  const columns = COPIED_TABLES[table].split(', ')
  return columns
    .map((column) => (`${table}.${column}` in written ? `${written[`${table}.${column}`]} AS ${column}` : column))
    .join(', ')
}

const [DONE, MOVED, FAILED] = ['done', 'moved', 'failed'].map((state) => STATES.indexOf(state as (typeof STATES)[number]))

/** What each host has, counted from copied rows; `{S}` stands for the schema. */
export const COPIED_HOST_COUNTS: string = `SELECT r.host, count(*) FILTER (WHERE a.id IS NULL AND d.id IS NULL) AS ready, count(d.id) AS delayed,
  count(d.id) FILTER (WHERE a.state > 0) AS again, count(*) FILTER (WHERE a.state = ${String(DONE)}) AS done,
  count(*) FILTER (WHERE a.state = ${String(MOVED)}) AS moved, count(*) FILTER (WHERE a.state = ${String(FAILED)}) AS failed
  FROM {S}.request r LEFT JOIN {S}.attempt a ON a.id = r.id LEFT JOIN {S}.delayed d ON d.id = r.id GROUP BY r.host`

/** How many failed requests each reason has. */
export const COPIED_REASON_COUNTS: string = `SELECT t.reason, count(*) AS failed FROM {S}.trouble t JOIN {S}.attempt a ON a.id = t.id
  WHERE t.reason IS NOT NULL AND a.state = ${String(FAILED)} GROUP BY t.reason`
