// Checks a whole store without writing to it: the file, as SQLite sees it, and what must hold between its rows. Also beside a crawl that goes on: all of it is
// read in one transaction, so that the rows are of one moment.
import { AvocetError } from '@avocet/core'
import { connectReader } from '../file/connect-reader.ts'
import type { Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { RULES } from './rules.ts'

/** Faults of the file that are reported, and rows that are counted for one rule, at most. */
const MAX_FAULTS = 100
const MAX_ROWS = 1_000

/** One fault of a store. */
export interface StoreFault {
  /** `file`: SQLite finds the file damaged. `rows`: rows contradict each other. */
  readonly kind: 'file' | 'rows'
  /** The message of SQLite, or the rule that is broken. */
  readonly message: string
  /** How many rows break the rule, 1,000 at most. */
  readonly rows?: number
}

/** The result of `verifyStore`. */
export interface StoreVerdict {
  readonly faults: readonly StoreFault[]
  /** Number of known requests and of items; absent if they cannot be read. */
  readonly known?: number
  readonly items?: number
}

/**
 * Verifies the store at `path` without writing to it. A sound store has no faults.
 *
 * Throws AVO_FRONTIER_MISSING, AVO_FRONTIER_FOREIGN, AVO_FRONTIER_VERSION, AVO_FRONTIER_UNUSABLE, AVO_NODE_TOO_OLD.
 */
export async function verifyStore(path: string): Promise<StoreVerdict> {
  let db: Database
  try {
    db = await connectReader(path)
  } catch (error) {
    if (error instanceof AvocetError && error.code === 'AVO_FRONTIER_CORRUPT')
      return { faults: [unread('the store', error.cause)] }
    throw error
  }
  try {
    // Never ended: what met a damaged page cannot be committed, and closing rolls back.
    db.exec('BEGIN')
    return verdictOf(db)
  } catch (thrown) {
    throw storeError(thrown, path)
  } finally {
    db.close()
  }
}

function verdictOf(db: Database): StoreVerdict {
  const faults = [...faultsOfFile(db), ...Object.entries(RULES).flatMap((rule) => faultsOfRows(db, rule))]
  try {
    const counted = db
      .prepare<unknown[], { readonly known: number; readonly items: number }>('SELECT known, items FROM crawl')
      .get()
    if (counted === undefined) return { faults: [...faults, { kind: 'rows', message: 'a store has one crawl', rows: 0 }] }
    return { faults, ...counted }
  } catch (thrown) {
    return { faults: [...faults, unread('the crawl', thrown)] }
  }
}

function faultsOfFile(db: Database): StoreFault[] {
  try {
    const said = db.prepare<unknown[], string>(`PRAGMA integrity_check(${MAX_FAULTS})`).pluck().all()
    return said.filter((message) => message !== 'ok').map((message) => ({ kind: 'file', message }))
  } catch (thrown) {
    return [unread('the file', thrown)]
  }
}

function faultsOfRows(db: Database, [rule, query]: readonly [string, string]): StoreFault[] {
  try {
    const count = db.prepare<unknown[], number>(`SELECT count(*) FROM (SELECT 1 FROM (${query}) LIMIT ${MAX_ROWS})`)
    const rows = count.pluck().get() ?? 0
    return rows === 0 ? [] : [{ kind: 'rows', message: rule, rows }]
  } catch (thrown) {
    return [unread(`"${rule}"`, thrown)]
  }
}

/** Anything but damage is the caller's to hear. */
function unread(what: string, thrown: unknown): StoreFault {
  const error = storeError(thrown, what)
  if (error.code !== 'AVO_FRONTIER_CORRUPT' && error.code !== 'AVO_FRONTIER_FOREIGN') throw error
  const message = thrown instanceof Error ? thrown.message : error.message
  return { kind: 'file', message: `${what} cannot be read: ${message}` }
}
