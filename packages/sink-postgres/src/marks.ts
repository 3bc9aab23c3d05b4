// How far the sink is, kept in the database: a mark changes in the transaction that writes the rows, so each item is there exactly once.
//
// The mark is also the fence. Who writes says which mark it has seen; if another process has moved it since (this one was asleep, or was taken for
// dead), no row of its transaction is written. Items that come late, in a batch that does not move the mark (they failed alone before), are remembered one
// by one, with their numbers.
import type { SinkItem } from '@avocet/core/sink'
import type { PostgresConnection } from './postgres-connection.ts'
import { quoted } from './identifiers.ts'

/** Whose mark: of a sink of a crawl, for one table. */
export interface MarkKey {
  /** Schema of the table, in which the marks are as well. */
  readonly schema: string
  readonly table: string
  readonly crawl: string
  readonly sink: string
}

const WHERE = 'crawl = $1 AND sink = $2 AND relation = $3'

/** Makes the tables of the marks, unless they are there. */
export async function makeMarks(connection: PostgresConnection, schema: string): Promise<void> {
  const [marks, late] = namesIn(schema)
  const [{ are } = {}] = await connection.query('SELECT to_regclass($1) IS NOT NULL AND to_regclass($2) IS NOT NULL AS are', [
    marks,
    late,
  ])
  if (are === true) return
  const owner = 'crawl text, sink text, relation text'
  await connection.query(
    `CREATE TABLE IF NOT EXISTS ${marks} (${owner}, item_seq bigint NOT NULL, late_seq bigint NOT NULL DEFAULT 0,
      written_at timestamptz, PRIMARY KEY (crawl, sink, relation))`,
  )
  await connection.query(`CREATE TABLE IF NOT EXISTS ${late} (${owner}, item text, PRIMARY KEY (crawl, sink, relation, item))`)
}

/** The mark as it is in the database. */
export interface KeptMark {
  /** 0 for the first time. */
  readonly itemSeq: number
  /** No item behind this number has come late. */
  readonly lateSeq: number
}

/** Reads it. Waits for a transaction that may be about to change it. */
export async function readMark(connection: PostgresConnection, key: MarkKey): Promise<KeptMark> {
  const [marks] = namesIn(key.schema)
  await connection.query(
    `INSERT INTO ${marks} (crawl, sink, relation, item_seq) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING`,
    valuesOf(key),
  )
  const [row] = await connection.query(`SELECT item_seq, late_seq FROM ${marks} WHERE ${WHERE} FOR UPDATE`, valuesOf(key))
  return { itemSeq: Number(row?.['item_seq']), lateSeq: Number(row?.['late_seq']) }
}

/** Forgets the mark of a table that is gone: whatever takes its place begins with the first item. */
export async function forgetMark(connection: PostgresConnection, key: MarkKey): Promise<void> {
  for (const name of namesIn(key.schema)) await connection.query(`DELETE FROM ${name} WHERE ${WHERE}`, valuesOf(key))
}

/** Moves the mark from what this process has `seen`. False if it is not there any more: then nothing may be written. */
export async function moveMark(
  connection: PostgresConnection,
  key: MarkKey,
  { seen, to }: { readonly seen: KeptMark; readonly to: KeptMark },
): Promise<boolean> {
  const [marks] = namesIn(key.schema)
  const moved = await connection.query(
    `UPDATE ${marks} SET item_seq = $5, late_seq = $6, written_at = statement_timestamp() WHERE ${WHERE} AND item_seq = $4 RETURNING 1`,
    [...valuesOf(key), seen.itemSeq, to.itemSeq, to.lateSeq],
  )
  return moved.length === 1
}

/** Of items that come late, those that did not come late before. */
export async function newOfLate<Item extends SinkItem<unknown>>(
  connection: PostgresConnection,
  key: MarkKey,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const [, late] = namesIn(key.schema)
  const rows = await connection.query(
    `INSERT INTO ${late} (crawl, sink, relation, item) SELECT $1, $2, $3, unnest($4::text[]) ON CONFLICT DO NOTHING RETURNING item`,
    [...valuesOf(key), items.map(nameOf)],
  )
  const fresh = new Set(rows.map(({ item }) => item))
  return items.filter((item) => fresh.has(nameOf(item)))
}

function nameOf({ key, seq }: SinkItem<unknown>): string {
  return `${key} ${seq}`
}

function namesIn(schema: string): readonly [marks: string, late: string] {
  return [`${quoted(schema)}.avocet_sink`, `${quoted(schema)}.avocet_sink_late`]
}

function valuesOf({ crawl, sink, table }: MarkKey): readonly string[] {
  return [crawl, sink, table]
}
