// Rescues a damaged store: reads what can be read of it, without SQLite, which stops at the first damaged page, and makes a new store of it.
//
// Pages are read one by one, wherever they are, and rows are recognised by their shape. So a page costs the rows on it, and an interior page, a
// damaged header or a broken free list cost none. The new store is made beside its place, verified, and only then put there.
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AvocetError } from '@avocet/core'
import { loadDriver, type Database } from '../file/driver.ts'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from '../file/schema.ts'
import { storeError } from '../file/store-error.ts'
import { cutsOfVersion4 } from '../file/upgrade.ts'
import { verifyStore } from '../verify/verify-store.ts'
import { findAskedAgain } from './asked-again.ts'
import { findHosts, findWords } from './found-hosts.ts'
import { indexKnown } from '../identity/known-index.ts'
import { PageFile } from './page-file.ts'
import type { Roots } from './page-owners.ts'
import { keepSinks, rebuild } from './rebuild.ts'
import { foundIn, lastIdOf, lossesOf, type LostCount, type RescuedCount } from './rescue-count.ts'
import { findSound, specOf } from './sound-requests.ts'
import { stage, type Staged } from './staging.ts'

/** Options of `rescueStore`. */
export interface RescueOptions {
  /** Called with the progress of each phase. */
  readonly reached?: (phase: 'reading' | 'writing' | 'verifying', done: number, total: number) => void
}

/** The result of `rescueStore`. */
export interface StoreRescue extends Staged {
  readonly kept: RescuedCount
  /** Exact if the damaged store still has its totals, else what is known to be missing. */
  readonly lost: LostCount
  /** Pages that were done and are requested again, because links or items from them are lost. No item is written twice. */
  readonly askedAgain: number
  /** Further notes for the user. */
  readonly notes: readonly string[]
}

/**
 * Makes a new store at `to` from everything that can be read of the damaged store at `path`. No process may write to `path` meanwhile; it is not
 * changed.
 *
 * Throws AVO_FRONTIER_MISSING, AVO_FRONTIER_FOREIGN when no request can be found in it, AVO_FRONTIER_BUSY when it changed meanwhile,
 * AVO_FRONTIER_UNUSABLE when there is something at `to`, or no folder for it, AVO_FRONTIER_FULL, AVO_FRONTIER_CORRUPT when what was made is not sound either,
 * AVO_NODE_TOO_OLD.
 *
 * @example
 * ```ts
 * const { lost } = await rescueStore('.avocet/books.db', '.avocet/books-rescued.db')
 * ```
 */
export async function rescueStore(path: string, to: string, { reached = () => {} }: RescueOptions = {}): Promise<StoreRescue> {
  assertPlaces(path, to)
  const part = `${to}.rescue`
  const staging = `${part}-staging`
  try {
    const rescue = await rescueInto(part, { path, staging, reached })
    await assertSound(part, path, reached)
    place(part, to)
    return rescue
  } catch (thrown) {
    throw storeError(thrown, existsSync(path) ? path : to)
  } finally {
    for (const file of [part, staging])
      for (const companion of ['', '-wal', '-shm', '-journal']) rmSync(file + companion, { force: true })
  }
}

interface RescueParts {
  readonly path: string
  readonly staging: string
  readonly reached: NonNullable<RescueOptions['reached']>
}

function assertPlaces(path: string, to: string): void {
  if (!existsSync(path)) throw new AvocetError('AVO_FRONTIER_MISSING', `expected a store at ${path}, got nothing; check the path`)
  const taken = ['', '-wal', '-shm'].map((companion) => to + companion).find((place) => existsSync(place))
  const refusal = taken === undefined ? withoutFolder(dirname(to)) : takenBy(taken)
  if (refusal !== undefined) throw new AvocetError('AVO_FRONTIER_UNUSABLE', refusal)
}

function takenBy(path: string): string {
  const [got, instead] = isFolder(path)
    ? ['a folder', `a path in it, such as ${join(path, 'rescued.db')}`]
    : ['a file', 'another path']
  return `${path}: expected nothing at the path of the new store, got ${got}; give ${instead}`
}

/** What is mistyped is not made: the store would be looked for elsewhere. */
function withoutFolder(folder: string): string | undefined {
  if (isFolder(folder)) return undefined
  const got = existsSync(folder) ? 'a file' : 'nothing'
  return `${folder}: expected the folder of the new store to exist, got ${got}; make it, or give another path`
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

async function rescueInto(part: string, { path, staging, reached }: RescueParts): Promise<StoreRescue> {
  const db = await emptyStore(part, staging)
  const file = new PageFile(path)
  try {
    const staged = stage(db, file, { usual: rootsOf(db), reached: (done, total) => reached('reading', done, total) })
    const rescue = madeOf(db, { staged, bytes: file.bytes, path, reached: (done, total) => reached('writing', done, total) })
    file.assertUnchanged()
    return rescue
  } finally {
    file.close()
    db.close()
  }
}

/** Nothing of it needs to survive a crash before it is at its place. */
async function emptyStore(part: string, staging: string): Promise<Database> {
  const Driver = await loadDriver()
  for (const file of [part, staging]) {
    rmSync(file, { force: true })
    closeSync(openSync(file, 'wx', 0o600))
  }
  const db = new Driver(part)
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768')
  db.exec(SCHEMA)
  db.prepare('ATTACH ? AS staged').run(staging)
  db.exec('PRAGMA staged.journal_mode = OFF; PRAGMA staged.synchronous = OFF; PRAGMA staged.cache_size = -16384')
  db.exec('BEGIN')
  return db
}

function rootsOf(db: Database): Roots {
  const roots = db.prepare<unknown[], { readonly name: string; readonly rootpage: number }>(
    'SELECT name, rootpage FROM main.sqlite_schema WHERE rootpage > 0',
  )
  return Object.fromEntries(roots.all().map(({ name, rootpage }) => [name, rootpage]))
}

interface Making {
  readonly staged: Staged
  readonly bytes: number
  readonly path: string
  readonly reached: (done: number, total: number) => void
}

function madeOf(db: Database, { staged, bytes, path, reached }: Making): StoreRescue {
  const found = foundIn(db)
  if (found.requests === 0 && found.crawl === undefined)
    throw new AvocetError('AVO_FRONTIER_FOREIGN', `${path}: expected an Avocet store, got a file without one; give another path`)
  db.exec(cutsOfVersion4('staged'))
  findWords(db)
  const lastId = lastIdOf(found, bytes)
  // Hosts by what the store goes by, and that by its hosts where its own word is lost.
  const spec = found.crawl ?? specOf(db, lastId)
  findHosts(db, spec)
  findSound(db, lastId, spec.canonicalisation)
  findAskedAgain(db, lastId)
  const { name, createdAt, lastAt } = found
  rebuild(db, { ...spec, name, createdAt, lastAt }, reached)
  const { kept, lost, askedAgain, notes } = lossesOf(db, { found, lastId, spec, staged })
  keepSinks(db, lost.items === 0 && lost.requests === 0 && askedAgain === 0)
  indexKnown(db)
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${SCHEMA_VERSION}`)
  db.exec('COMMIT')
  db.exec('DETACH staged')
  return { ...staged, kept, lost, askedAgain, notes }
}

async function assertSound(part: string, path: string, reached: NonNullable<RescueOptions['reached']>): Promise<void> {
  reached('verifying', 0, 1)
  const { faults } = await verifyStore(part)
  reached('verifying', 1, 1)
  const [fault] = faults
  if (fault === undefined) return
  throw new AvocetError(
    'AVO_FRONTIER_CORRUPT',
    `${path}: expected a sound store from what can be read, got one in which this does not hold: ${fault.message}; keep the file and report it`,
  )
}

/** Puts it there unless somebody else has meanwhile. */
function place(part: string, to: string): void {
  chmodSync(part, 0o600)
  const file = openSync(part, 'r+')
  fsyncSync(file)
  closeSync(file)
  linkSync(part, to)
}
