// Damage to stores of the tests, as a bad disk does it: pages of a table or an index that nobody can read.
import { readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'

/** Which pages. */
export interface Damage {
  /** Of the table or the index. */
  readonly name: string
  /** Only leaves, or only inner pages. */
  readonly kind?: 'leaf' | 'internal'
  /** Only so many, from the second on. */
  readonly count?: number
}

/** Overwrites them in the file of a store that is closed. Throws when there are none: a test of damage that does none would pass. */
export function damage(path: string, { name, kind, count }: Damage): void {
  const db = new Database(path)
  db.pragma('wal_checkpoint(TRUNCATE)')
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  const all = db
    .prepare<unknown[], number>('SELECT pageno FROM dbstat WHERE name = ? AND pagetype LIKE ? ORDER BY path')
    .pluck()
    .all(name, kind ?? '%')
  db.close()
  const pages = count === undefined ? all : all.slice(1, 1 + count)
  if (pages.length === 0) throw new Error(`expected pages of ${name} to damage, found ${all.length} in all`)
  const bytes = readFileSync(path)
  for (const page of pages) bytes.fill(0xff, (page - 1) * pageBytes, page * pageBytes)
  writeFileSync(path, bytes)
}
