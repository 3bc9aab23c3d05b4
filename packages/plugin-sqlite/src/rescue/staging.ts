// Rows that were read, each table by its key, before anything is made of them. The first row of a key counts: pages that a tree leads to are read first.
import type { Database } from '../file/driver.ts'
import { BulkInsert } from '../file/bulk-insert.ts'
import type { PageFile } from './page-file.ts'
import { rowsOfPage, type PageRows } from './page-cells.ts'
import { PageOwners, type Roots } from './page-owners.ts'
import { columnValues, ROW_SHAPES, shapeOf } from './row-shapes.ts'

/** By name of a table: what makes a row of it the only one. */
const KEYS: Readonly<Record<string, string>> = {
  host_memory: 'host, part',
  crawl_memory: 'process, part',
  export: 'target',
  sink: 'name',
  host_word: 'id',
  handler_word: 'id',
  reason_word: 'id',
  item_once: 'seq',
  record_place: 'seq',
}

/** What was read. */
export interface Staged {
  readonly pages: number
  /** Pages with missing rows, or that cannot be read at all. */
  readonly damagedPages: number
  /** Tables and indexes that they belong to; '' for pages that belong to none. */
  readonly damagedTables: readonly string[]
  readonly rows: number
  /** Pages of the write-ahead log that cannot be read: their earlier versions were used. */
  readonly damagedInLog: number
}

/** Called once for so many pages. */
const PAGES_PER_REPORT = 1_024

/** Reads every row in `file` into tables of the attached database `staged`. */
export function stage(
  db: Database,
  file: PageFile,
  { usual, reached }: { readonly usual: Roots; readonly reached: (done: number, total: number) => void },
): Staged {
  const inserts = new Map(ROW_SHAPES.map(({ name, columns }) => [name, stagedTable(db, name, columns)]))
  const owners = new PageOwners(file, usual)
  let rows = 0
  let seen = 0
  let damagedPages = 0
  const damagedTables = new Set<string>()
  const take = (page: number): void => {
    const owner = owners.of(page)
    const read = rowsOfPage(file, page)
    if (read === undefined ? owner !== undefined : read.bad > 0) {
      damagedPages++
      damagedTables.add(owner ?? '')
    }
    rows += insertRows(read, owner, inserts)
    if (++seen % PAGES_PER_REPORT === 0) reached(seen, file.count)
  }
  for (let page = 1; page <= file.count; page++) if (owners.of(page) !== undefined) take(page)
  for (let page = 1; page <= file.count; page++) if (owners.of(page) === undefined && !owners.isFree(page)) take(page)
  for (const insert of inserts.values()) insert.flush()
  reached(file.count, file.count)
  return { pages: file.count, damagedPages, damagedTables: [...damagedTables].sort(), rows, damagedInLog: file.damagedInLog }
}

function insertRows(read: PageRows | undefined, owner: string | undefined, inserts: ReadonlyMap<string, BulkInsert>): number {
  let rows = 0
  for (const row of read?.rows ?? []) {
    const shape = shapeOf(row, owner)
    if (shape === undefined) continue
    inserts.get(shape.name)?.add(columnValues(row, shape))
    rows++
  }
  return rows
}

function stagedTable(db: Database, name: string, columns: readonly (readonly [name: string, ...unknown[]])[]): BulkInsert {
  const names = columns.map(([column]) => column)
  const key = KEYS[name] ?? names[0]
  db.exec(`CREATE TABLE staged.${name} (${names.join(', ')}, PRIMARY KEY (${key})) WITHOUT ROWID`)
  return new BulkInsert(
    db,
    { into: `staged.${name} (${names.join(', ')})`, row: `(${names.map(() => '?').join(', ')})` },
    () => {},
  )
}
