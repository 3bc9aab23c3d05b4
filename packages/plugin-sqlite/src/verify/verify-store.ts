// Checks a whole store without writing to it: the file, as SQLite sees it, and what must hold between its rows. Also beside a crawl that goes on: all of it is
// read in one transaction, so that the rows are of one moment.
import { AvocetError } from '@avocet/core'
import { connectReader } from '../file/connect.ts'
import type { Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'
import { RULES } from './rules.ts'
import { statSync } from 'node:fs'

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

// A look over a store that a crawl is about to open. SQLite notices a damaged page when it meets one, but not pages in each other's place, rows of other types
// or in the wrong order: it would look for a row, not find it, and a page would be lost or fetched twice without a word.
//
// What it costs is bounded: a store of up to 64 MiB is looked over as a whole (0.3 s), of a larger one the tables that all else depends on, which grow with the
// hosts. Whether the last run ended well says little about a disk, so it is always done. Of the small one it is also recounted what waits and what is done: a
// page of the queue in whose place an empty one stands would end the crawl as done. Indexes are not compared; `avocet store verify` does all of it.

const MAX_WHOLE_BYTES = 64 * 1_048_576
const ALWAYS = ['crawl', 'host', 'handler', 'reason', 'sink', 'process', 'crawl_memory', 'orders'] as const

/** One scan of each of the tables of what waits and of what was tried. */
const RECOUNTED: ReadonlySet<string> = new Set([
  'every waiting request is in one queue',
  'what is done, moved and failed is recounted',
])
/** A few rows. */
const ALWAYS_HOLDS = 'the memory of the crawl is not that of hosts'

/** Throws what `storeError` takes for a damaged store. Within a transaction, or other processes change it meanwhile. */
export function quickCheck(db: Database, path: string): void {
  const isSmall = path === ':memory:' || statSync(path).size <= MAX_WHOLE_BYTES
  const checks = isSmall ? ['quick_check(1)'] : ALWAYS.map((table) => `quick_check('${table}')`)
  for (const check of checks) {
    const said = String(db.pragma(check, { simple: true }))
    if (said !== 'ok') throw damaged(said.replaceAll('\n', ' '))
  }
  const rules = Object.entries(RULES).filter(([rule]) => rule === ALWAYS_HOLDS || (isSmall && RECOUNTED.has(rule)))
  for (const [rule, query] of rules) if (db.prepare(query).get() !== undefined) throw damaged(`this does not hold: ${rule}`)
}

function damaged(said: string): Error {
  return Object.assign(new Error(`quick check: ${said}`), { code: 'SQLITE_CORRUPT' })
}
