// The rows of a crawl on a server, to be copied: read by ranges of keys, all in one view.
//
// The row of the crawl is locked meanwhile, so that nobody signs in: a crawl that begins waits until the copy is made. Beats do not wait. On a replica nothing
// can be locked: the view is of one moment there too, and a crawl that begins on its primary meanwhile is not in it.
// A host that has an owner is copied as one whose holder died: a crawl at rest has no other.
import {
  COPIED_AT_ONCE,
  COPIED_TABLES,
  COPIED_WHOLE,
  copiedColumns,
  copiedRows,
  type CopiedRow,
  type CopiedRows,
  type CopiedTable,
} from '@avocet/store-sql'
import type { Queries, Snapshot } from '../connection/queries.ts'
import { unpacked } from '../schema/packed-memory.ts'
import { numberAll } from './postgres-reader.ts'

/** Columns that are written in another way here. */
const WRITTEN = {
  'crawl.last_at': 'crawl_at',
  'host.abandoned': '(abandoned OR owner IS NOT NULL)::int',
  'host.probation': 'probation::int',
  'request.fingerprint': `replace(fingerprint::text, '-', '')`,
  'item.seq': 'base + n',
  'record.seq': 'base + n',
}

/** Groups of items in a range, which may have some hundreds each. */
const GROUPS_AT_ONCE = 16

/** Columns that are ids of requests. */
const OF_REQUESTS: Partial<Record<CopiedTable, readonly string[]>> = {
  ...{ request: ['id', 'parent'], extra: ['id'], attempt: ['id'], delayed: ['id'], visited: ['id', 'asked_by'], trouble: ['id'] },
  ...{ death: ['id'], item: ['request'], record: ['request'], reject: ['request'] },
}

/** All rows of the crawl that `queries` ask. Throws AVO_FRONTIER_… */
export async function* crawlRows(queries: Queries): AsyncGenerator<CopiedRows> {
  await numberAll(queries)
  const view = await queries.snapshot()
  try {
    const [server] = await view.all<{ readonly is_replica: boolean }>('SELECT pg_is_in_recovery() AS is_replica')
    // Whoever signs in locks this row for itself; a beat only changes it. Nobody signs in on a replica, which takes no locks.
    if (server?.is_replica !== true) await view.all('SELECT id FROM {S}.crawl WHERE id = 1 FOR KEY SHARE')
    const ids = await DenseIds.read(view)
    yield* copiedRows({
      last: (table) => lastOf(view, table),
      rows: async (table, after, upTo) => (await rowsOf(view, table, [after, upTo])).map((row) => withDense(table, row, ids)),
    })
  } finally {
    await view.end()
  }
}

async function lastOf(view: Snapshot, table: CopiedTable): Promise<number> {
  const { key, width } = placeOf(table)
  const [row] = await view.all<{ readonly last: number }>(`SELECT coalesce(max(${key}), 0) AS last FROM {S}.${table}`)
  return (row?.last ?? 0) * width
}

async function rowsOf(view: Snapshot, table: CopiedTable, range: readonly number[]): Promise<readonly CopiedRow[]> {
  const { from, key, width } = placeOf(table)
  const select = `SELECT ${copiedColumns(table, WRITTEN)} FROM ${from}`
  const whole = COPIED_WHOLE[table]
  if (whole !== undefined) return view.all(`${select} ${whole}`)
  const rows = await view.all<CopiedRow>(
    `${select} WHERE ${key} > $1 AND ${key} <= $2 ORDER BY 1`,
    range.map((end) => end / width),
  )
  if (table !== 'host_memory' && table !== 'crawl_memory') return rows
  return rows.flatMap((row) => Object.entries(unpacked(String(row['json']))).map(([part, json]) => ({ ...row, part, json })))
}

/** Where it is read, and by ranges of what. */
function placeOf(table: CopiedTable): { readonly from: string; readonly key: string; readonly width: number } {
  if (table === 'item' || table === 'record')
    return { from: `{S}.${table} JOIN {S}.item_group g ON g.id = grp`, key: 'grp', width: COPIED_AT_ONCE / GROUPS_AT_ONCE }
  return { from: `{S}.${table}`, key: COPIED_TABLES[table].split(', ')[0] ?? '', width: 1 }
}

function withDense(table: CopiedTable, row: CopiedRow, ids: DenseIds): CopiedRow {
  const columns = (OF_REQUESTS[table] ?? []).filter((column) => row[column] !== null)
  return { ...row, ...Object.fromEntries(columns.map((column) => [column, ids.of(Number(row[column]))])) }
}

// Ids of requests without gaps: the sequence of the server leaves some out, SQLite none.
//
// Kept as runs of ids without a gap between them, so its size is that of the gaps, which come from URLs that two processes found at the same moment.

/** Rows that are looked at in one statement: half a second. */
const COUNTED_AT_ONCE = 1_000_000

const RUNS = `SELECT min(id) AS first, max(id) AS last FROM (
    SELECT id, id - row_number() OVER (ORDER BY id) AS shift FROM (SELECT id FROM {S}.request WHERE id > $1 ORDER BY id LIMIT $2) page) placed
  GROUP BY shift ORDER BY first`

/** Of one view of a store. */
class DenseIds {
  readonly #firsts: number[] = []
  /** How many ids are missing before each. */
  readonly #missing: number[] = []
  #last = 0
  #count = 0

  static async read(view: Pick<Snapshot, 'all'>): Promise<DenseIds> {
    const ids = new DenseIds()
    for (;;) {
      const before = ids.#count
      for (const run of await view.all<{ readonly first: number; readonly last: number }>(RUNS, [ids.#last, COUNTED_AT_ONCE]))
        ids.#take(run)
      if (ids.#count - before < COUNTED_AT_ONCE) return ids
    }
  }

  /** The place of a request among all, from 1. */
  of(id: number): number {
    let [low, high] = [0, this.#firsts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.#firsts[middle] ?? Infinity) <= id) low = middle
      else high = middle
    }
    return id - (this.#missing[low] ?? 0)
  }

  #take({ first, last }: { readonly first: number; readonly last: number }): void {
    const missing = first - 1 - this.#count
    if (this.#missing.at(-1) !== missing) {
      this.#firsts.push(first)
      this.#missing.push(missing)
    }
    this.#count += last - first + 1
    this.#last = last
  }
}
