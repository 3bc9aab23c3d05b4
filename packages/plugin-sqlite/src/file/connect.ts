// Opens the file: whose it is, whether it is sound, and how carefully it is written.
//
// better-sqlite3 sets `synchronous` to NORMAL behind our back after the first write of a WAL database, so it is set after the mode switch
// and read back. SQLite before 3.51.3 can corrupt a WAL database with several connections (sqlite.org/wal.html#walresetbug).
import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { AvocetError } from '@avocet/core'
import { loadDriver, type Database } from './driver.ts'
import { APPLICATION_ID, CACHE_APPLICATION_ID, SCHEMA_VERSION } from './schema.ts'
import { NOT_OURS, storeError, isHalfWritten } from './store-error.ts'

/** `full`: commits survive a power cut. `normal`: they survive the death of the process; a power cut may lose the last ones. */
export type Synchronous = 'full' | 'normal'

/** How to open. */
export interface ConnectOptions {
  readonly synchronous: Synchronous
  /** Largest size of the database file in bytes; Infinity = what the disk has. */
  readonly maxBytes: number
  readonly readonly: boolean
  /** How long SQLite itself waits for a lock while it opens. It blocks the loop. */
  readonly openingMs: number
}

/**
 * SQLite's own page cache, in KiB. The operating system caches the file as well, and resident memory is what a crawl is short of: from 4 MiB
 * to 1 MiB neither new URLs nor commits got slower, while 100,000 known URLs cost 11, 4 (2 MiB) and 3 MB more than 1,000.
 */
const CACHE_KIB = 2_048
/**
 * Of a new store. A commit writes each page that it touched, with two calls each: with 4 KiB, of which an item often takes one alone, commits took a tenth
 * more CPU, also where each of 256 units has a host of its own. An empty store takes 0.7 MB.
 */
const PAGE_BYTES = 16_384
/** A checkpoint copies at most so much back: some 10 ms, and a WAL that is read in 20 ms after a crash. */
const CHECKPOINT_BYTES = 8 * 2 ** 20
/** How long SQLite itself waits for a lock where no writer does. It blocks the loop, so it is short. */
export const BUSY_MS = 5
/** For commands that have nothing else to do while they open. */
export const BLOCKING_MS = 5_000
const LEVELS = { normal: 1, full: 2 } as const
/** URLs and what was learned of hosts are their owner's: others may read a store once its owner lets them. SQLite gives its companions the same mode. */
const OWNER_ONLY = { file: 0o600, folder: 0o700 } as const

/**
 * An open connection to the store at `path`; a new file where there is none, unless `readonly`.
 *
 * Throws AVO_FRONTIER_FOREIGN, AVO_FRONTIER_VERSION, AVO_FRONTIER_CORRUPT, AVO_FRONTIER_MISSING, AVO_FRONTIER_UNUSABLE, AVO_NODE_TOO_OLD.
 */
export async function connect(path: string, options: ConnectOptions): Promise<Database> {
  const Driver = await loadDriver()
  let db: Database | undefined
  try {
    prepareFile(path, options)
    const opened = new Driver(path, { timeout: options.openingMs, readonly: options.readonly })
    db = opened
    assertVersion(opened)
    // In one transaction: another process may be making the tables at this very moment.
    opened.transaction(() => assertOurs(opened, path, options.readonly)).deferred()
    configure(opened, options)
    opened.pragma(`busy_timeout = ${BUSY_MS}`)
    return opened
  } catch (thrown) {
    db?.close()
    throw storeError(thrown, path)
  }
}

function setSynchronous(db: Database, level: Synchronous): void {
  db.exec(`PRAGMA synchronous = ${level}`)
  const came = db.pragma('synchronous', { simple: true })
  if (came !== LEVELS[level])
    throw new AvocetError('AVO_INTERNAL', `expected synchronous = ${LEVELS[level]}, got ${String(came)}`)
}

function prepareFile(path: string, { readonly }: ConnectOptions): void {
  if (path === ':memory:') return
  if (!existsSync(path)) {
    if (readonly) throw noStore(path, 'found none')
    mkdirSync(dirname(path), { recursive: true, mode: OWNER_ONLY.folder })
    // Empty, which SQLite takes for a new database. Nothing is cut off if another process has made it in between.
    closeSync(openSync(path, 'a', OWNER_ONLY.file))
    return
  }
  const stat = statSync(path)
  if (!stat.isFile())
    throw new AvocetError('AVO_FRONTIER_UNUSABLE', `${path}: expected a file, got something else; give another path`)
  if (stat.size === 0 && readonly) throw noStore(path, 'got an empty file')
  if (stat.size > 0 && headOf(path) !== 'SQLite format 3\0') throw foreign(path, 'a file of another kind')
}

function headOf(path: string): string {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(16)
    readSync(file, head, 0, 16, 0)
    return head.toString('latin1')
  } finally {
    closeSync(file)
  }
}

function assertVersion(db: Database): void {
  const version = String(db.prepare('SELECT sqlite_version()').pluck().get())
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major * 1e6 + minor * 1e3 + patch >= 3_051_003) return
  throw new AvocetError('AVO_FRONTIER_UNUSABLE', `expected SQLite 3.51.3 or later, got ${version}; install better-sqlite3 13.2.0`)
}

function assertOurs(db: Database, path: string, readonly: boolean): void {
  const id = db.pragma('application_id', { simple: true })
  const version = db.pragma('user_version', { simple: true })
  // A new file, or one whose creator died before it wrote anything.
  const blank = id === 0 && version === 0 && db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (blank && !readonly) return
  if (id === CACHE_APPLICATION_ID)
    throw foreign(path, 'a file of kept responses (cache)', 'give the path of the store, which is beside it')
  if (id !== APPLICATION_ID) throw blank ? noStore(path, 'got an empty database') : foreign(path, 'a database of another program')
  if (version === SCHEMA_VERSION) return
  const message = `${path}: expected a store of version ${SCHEMA_VERSION}, got version ${String(version)}; use the Avocet that made it, or start over`
  throw new AvocetError('AVO_FRONTIER_VERSION', message)
}

function configure(db: Database, { synchronous, maxBytes, readonly }: ConnectOptions): void {
  db.pragma(`cache_size = -${CACHE_KIB}`)
  if (readonly) return
  db.pragma(`page_size = ${PAGE_BYTES}`)
  const mode = db.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal' && mode !== 'memory') {
    throw new AvocetError(
      'AVO_FRONTIER_UNUSABLE',
      `expected a file system that WAL works on, got journal mode ${String(mode)}; use a local disk`,
    )
  }
  setSynchronous(db, synchronous)
  // Those of an older store are smaller.
  const pageBytes = Number(db.pragma('page_size', { simple: true }))
  db.pragma(`wal_autocheckpoint = ${Math.ceil(CHECKPOINT_BYTES / pageBytes)}`)
  if (maxBytes < Infinity) db.pragma(`max_page_count = ${Math.max(1, Math.floor(maxBytes / pageBytes))}`)
}

/** Nothing, or what a process leaves that is killed while it makes a store. */
function noStore(path: string, came: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_MISSING', `expected a store at ${path}, ${came}; check the name, or crawl first`)
}

function foreign(path: string, came: string, remedy = NOT_OURS): AvocetError {
  return new AvocetError('AVO_FRONTIER_FOREIGN', `${path}: expected an Avocet store, got ${came}`, { remedy })
}

// Opens a store to be read. A journal that is to be rolled back first keeps a reader out, and somebody who may write puts that right: a process leaves one that
// was killed before the file was switched to WAL, or another program.

const OPTIONS = { synchronous: 'full', maxBytes: Infinity, openingMs: BLOCKING_MS } as const

/** A connection that only reads. Throws as `connect` does. */
export async function connectReader(path: string): Promise<Database> {
  try {
    return await connect(path, { ...OPTIONS, readonly: true })
  } catch (error) {
    if (!(error instanceof AvocetError) || !isHalfWritten(error.cause)) throw error
  }
  // Rolls back by itself.
  const writable = await connect(path, { ...OPTIONS, readonly: false })
  writable.close()
  return connect(path, { ...OPTIONS, readonly: true })
}
