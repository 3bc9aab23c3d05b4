// A version before the first one, for tests of how a store is raised: it lacked a column and a table.
import Database from 'better-sqlite3'
import { UPGRADES } from '../src/file/connect.ts'

/** Lets this process raise stores of version 0. */
export function knowVersionZero(): void {
  UPGRADES.set(
    0,
    `ALTER TABLE host ADD COLUMN probe_at INTEGER;
     CREATE TABLE death (id INTEGER PRIMARY KEY, runs INTEGER NOT NULL) STRICT;`,
  )
}

/** Makes the store at `path`, which nobody has open, one of version 0. */
export function toVersionZero(path: string): void {
  knowVersionZero()
  new Database(path).exec('ALTER TABLE host DROP COLUMN probe_at; DROP TABLE death; PRAGMA user_version = 0').close()
}
