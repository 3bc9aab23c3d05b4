// The version before the present one, for tests of how a store is raised: it has no watched items, and removes none.
import Database from 'better-sqlite3'

/** Makes the store at `path`, which nobody has open, one of version 1. */
export function toVersionOne(path: string): void {
  const columns = ['host', 'watch_key', 'watch_value'].map((name) => `ALTER TABLE reject DROP COLUMN ${name};`)
  const tables =
    'DROP INDEX reject_held; DROP TABLE watched; DROP TABLE shown; DROP TABLE change; DROP TABLE item_age; ALTER TABLE crawl DROP COLUMN items_gone; ALTER TABLE crawl DROP COLUMN changes_gone;'
  new Database(path).exec(`${tables} ${columns.join(' ')} PRAGMA user_version = 1`).close()
}
