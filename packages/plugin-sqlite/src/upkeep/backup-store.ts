// Makes a copy of a store, also while processes crawl in it: SQLite's online backup (sqlite.org/backup.html).
//
// The copy is of one moment. A read transaction is open on the source from the first page to the last, so commits go on beside it and are not in the copy;
// without it SQLite would begin anew at each commit of another process, and never end. What it costs: the write-ahead log grows meanwhile. The copy is made
// beside its place, signed out (nobody crawls in it: whoever opens it finds each held host as one whose process died), verified, forced to disk, and only
// then gets its name. It is in rollback mode: one file, which can be read where nobody may write.
// Rejected: VACUUM INTO, which is one call that says nothing for minutes, and cannot be interrupted.
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { AvocetError } from '@avocet/core'
import { systemClock } from '@avocet/core/store'
import { connectReader } from '../file/connect.ts'
import { loadDriver, type Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { partFile, removeBackupPart, removeStaleParts, assertReplaceable } from './part-file.ts'
import { verifyStore } from '../verify/verify-store.ts'

/** Pages of one step, 4 MiB: some 5 ms in which nothing else happens. */
const STEP_PAGES = 1_024
/** What a disk should keep beside the copy. */
const MARGIN_BYTES = 16 * 2 ** 20

/** Options of `backupStore`. */
export interface BackupOptions {
  /** Whether an earlier backup at the place is replaced. Default false. */
  readonly overwrite?: boolean
  /** Called with the progress of each phase: pages that are copied, of how many; then 0 and 1 of verifying. */
  readonly reached?: (phase: 'copying' | 'verifying', done: number, total: number) => void
}

/** The result of `backupStore`. */
export interface StoreBackup {
  readonly bytes: number
  /** Of the crawl, at the moment of the copy. */
  readonly known: number
  readonly items: number
}

/**
 * Copies the store at `path` to a new file at `to`, also while processes crawl in it. The store itself is not changed.
 *
 * Throws AVO_FRONTIER_MISSING, AVO_FRONTIER_FOREIGN, AVO_FRONTIER_VERSION, AVO_FRONTIER_CORRUPT when the copy is not sound, for then the store is not,
 * AVO_FRONTIER_UNUSABLE when something is at `to` that may not be replaced, or no folder for it, AVO_FRONTIER_FULL, AVO_NODE_TOO_OLD.
 *
 * @example
 * ```ts
 * const { known } = await backupStore('.avocet/books.db', '/backups/books.db')
 * ```
 */
export async function backupStore(path: string, to: string, options: BackupOptions = {}): Promise<StoreBackup> {
  const { overwrite = false, reached = () => {} } = options
  const db = await connectReader(path)
  const part = partFile(to)
  try {
    assertReplaceable(path, to, overwrite)
    removeStaleParts(to, systemClock().now())
    await copy(db, part, reached)
    await signOut(part)
    reached('verifying', 0, 1)
    const sound = await soundCopy(part, path)
    reached('verifying', 1, 1)
    place(part, { to, overwrite })
    return { bytes: statSync(to).size, ...sound }
  } catch (thrown) {
    throw storeError(thrown, `${path}, copied to ${to}`)
  } finally {
    db.close()
    removeBackupPart(part)
  }
}

async function copy(db: Database, part: string, reached: NonNullable<BackupOptions['reached']>): Promise<void> {
  db.exec('BEGIN')
  const pages = db.prepare<unknown[], number>('SELECT page_count FROM pragma_page_count()').pluck().get() ?? 0
  // A transaction that has read nothing is of no moment yet.
  db.prepare('SELECT known FROM crawl').get()
  assertRoom(pages * Number(db.pragma('page_size', { simple: true })), part)
  rmSync(part, { force: true })
  closeSync(openSync(part, 'wx', 0o600))
  await db.backup(part, {
    progress({ totalPages, remainingPages }) {
      reached('copying', totalPages - remainingPages, totalPages)
      return STEP_PAGES
    },
  })
  db.exec('ROLLBACK')
}

function assertRoom(bytes: number, part: string): void {
  const { bavail, bsize } = statfsSync(dirname(part))
  const free = bavail * bsize
  if (free >= bytes + MARGIN_BYTES) return
  const message = `${dirname(part)}: expected space for a backup of ${bytes} bytes, got ${free} bytes; free some, or give another path`
  throw new AvocetError('AVO_FRONTIER_FULL', message)
}

/** Its hosts are held by processes that it does not know, so that whoever opens it takes them over, also while those still crawl in the store. */
async function signOut(part: string): Promise<void> {
  const Driver = await loadDriver()
  const db = new Driver(part)
  try {
    db.pragma('journal_mode = DELETE')
    db.prepare('DELETE FROM process').run()
  } finally {
    db.close()
  }
}

async function soundCopy(part: string, path: string): Promise<{ readonly known: number; readonly items: number }> {
  const { faults, known = 0, items = 0 } = await verifyStore(part)
  const [fault] = faults
  if (fault === undefined) return { known, items }
  throw new AvocetError(
    'AVO_FRONTIER_CORRUPT',
    `${path}: expected a sound store to back up, got one in which this does not hold: ${fault.message}; see avocet store verify`,
    { remedy: 'see avocet store verify' },
  )
}

/** Without `overwrite`, unless somebody else was there first. */
function place(part: string, { to, overwrite }: { readonly to: string; readonly overwrite: boolean }): void {
  chmodSync(part, 0o600)
  sync(part, 'r+')
  if (overwrite) renameSync(part, to)
  else putWhereNothingIs(part, to)
  try {
    sync(dirname(to), 'r')
  } catch {
    // Windows and some network file systems open or sync no folder: the name may come after a power cut, the file is whole.
  }
}

function putWhereNothingIs(part: string, to: string): void {
  try {
    linkSync(part, to)
  } catch (thrown) {
    // Some file systems have no second names.
    if (existsSync(to)) throw thrown
    renameSync(part, to)
  }
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
