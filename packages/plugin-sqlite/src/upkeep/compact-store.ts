// Makes the file of a store at rest as small as its contents: SQLite's VACUUM, in place, so that a kill at any moment leaves the store as it was.
//
// It writes the whole store anew, once into a temporary file and once into the write-ahead log: twice the contents must fit on the disk beside the store.
// Temporary files are made in the folder of the store, for /tmp is often small. Refused while processes crawl: they would wait for the lock all that time.
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AvocetError } from '@avocet/core'
import { systemClock } from '@avocet/core/store'
import { BLOCKING_MS, connect } from '../file/connect.ts'
import type { Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { ProcessTable } from '../process/process-table.ts'
import { quickCheck } from '../verify/verify-store.ts'

/** The result of `compactStore`: the size of the file, in bytes. */
export interface StoreCompaction {
  readonly bytesBefore: number
  readonly bytesAfter: number
}

/** How long a reader may take that is about to end. It blocks the loop. */
const READER_PATIENCE_MS = 1_000
/** What the disk should keep. */
const MARGIN_BYTES = 16 * 2 ** 20

/**
 * Gives the space that nothing of the store at `path` is in back to the disk. Contents stay as they are.
 *
 * Throws AVO_FRONTIER_BUSY while a process crawls in it or reads it, AVO_FRONTIER_FULL when twice its contents do not fit on the disk, AVO_FRONTIER_MISSING,
 * AVO_FRONTIER_FOREIGN, AVO_FRONTIER_VERSION, AVO_FRONTIER_CORRUPT, AVO_FRONTIER_UNUSABLE, AVO_NODE_TOO_OLD.
 *
 * @example
 * ```ts
 * const { bytesBefore, bytesAfter } = await compactStore('.avocet/books.db')
 * ```
 */
export async function compactStore(path: string): Promise<StoreCompaction> {
  // connect makes a store where there is none.
  const bytesBefore = sizeOf(path)
  const db = await connect(path, { synchronous: 'full', maxBytes: Infinity, openingMs: BLOCKING_MS, readonly: false })
  try {
    assertAtRest(db, path)
    quickCheck(db, path)
    assertRoom(db, path)
    db.pragma(`busy_timeout = ${READER_PATIENCE_MS}`)
    assertUnread(db, path)
    vacuum(db, path)
    if (!emptied(db)) throw busy(path, 'got one that began meanwhile; it keeps the old pages: compact again once it is done')
  } catch (thrown) {
    throw storeError(thrown, path)
  } finally {
    db.close()
  }
  return { bytesBefore, bytesAfter: sizeOf(path) }
}

/** Whether all of the write-ahead log is in the file. A reader that has begun before keeps it from that. */
function emptied(db: Database): boolean {
  const [row] = db.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[]
  return row?.busy === 0
}

/** With a reader the store is written anew into the log, which stays, and gives nothing back. */
function assertUnread(db: Database, path: string): void {
  // An empty log is of no hindrance to a checkpoint, also with a reader: the same version, written again, is a page of it.
  db.pragma(`user_version = ${Number(db.pragma('user_version', { simple: true }))}`)
  if (!emptied(db)) throw busy(path, 'got a reader, such as a backup; wait until it is done, and compact again')
}

function busy(path: string, got: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_BUSY', `${path}: expected a store that nobody reads while it is written anew, ${got}`)
}

function vacuum(db: Database, path: string): void {
  const { SQLITE_TMPDIR: before } = process.env
  process.env['SQLITE_TMPDIR'] = before ?? dirname(path)
  try {
    db.exec('VACUUM')
  } finally {
    if (before === undefined) delete process.env['SQLITE_TMPDIR']
  }
}

function sizeOf(path: string): number {
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size !== undefined) return size
  throw new AvocetError('AVO_FRONTIER_MISSING', `expected a store at ${path}, found none; check the name or path`)
}

function assertAtRest(db: Database, path: string): void {
  const living = new ProcessTable(db, path).living(systemClock().monotonic(), () => 0)
  if (living.length === 0) return
  const pids = living.map(({ pid }) => pid).join(', ')
  const message = `${path}: expected a store that nobody crawls, got process ${pids}; stop it first: a crawl would wait until the store is written anew`
  throw new AvocetError('AVO_FRONTIER_BUSY', message)
}

function assertRoom(db: Database, path: string): void {
  const [pages, unused, size] = ['page_count', 'freelist_count', 'page_size'].map((pragma) =>
    Number(db.pragma(pragma, { simple: true })),
  )
  const needed = 2 * ((pages ?? 0) - (unused ?? 0)) * (size ?? 0)
  const { bavail, bsize } = statfsSync(dirname(path))
  if (bavail * bsize >= needed + MARGIN_BYTES) return
  const message = `${path}: expected ${needed} bytes free beside the store, twice its contents, got ${bavail * bsize}; free some space first`
  throw new AvocetError('AVO_FRONTIER_FULL', message)
}
