// The file of kept responses: one table, found by what was requested, bounded by dropping what is farthest from a seed.
// Pages near the seeds are few, and lead to all others: without them handlers could not run again over any. Of pages that are equally far, those that were
// fetched longest ago go first.
//
// It is a file of its own, because it can be lost without harm: it is written without fsync, and nothing of the crawl depends on it. A row is keyed by a hash
// of method, canonical URL, body and identity, and behind it one of the request's own header fields without secrets, for these say who asks. It is not keyed by
// the handler: so a handler that was renamed finds the pages that another one had.
import { hash } from 'node:crypto'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AvocetError, type Request } from '@avocet/core'
import { canonicalUrl } from '@avocet/core/store'
import { isSecretName } from '@avocet/plugin-secrets/names'
import { loadDriver, type Database, type Statement } from '../file/driver.ts'
import { CACHE_APPLICATION_ID } from '../file/schema.ts'

/**
 * What was requested, as far as it decides on the answer. `headers`: its own; to find it they may be absent: then it is the request
 * without any, or the only one that is kept.
 */
export type Requested = Pick<Request, 'method' | 'url' | 'body' | 'identity'> & Partial<Pick<Request, 'headers'>>

const VERSION = 1
const SCHEMA = `
CREATE TABLE response (
  key BLOB NOT NULL UNIQUE, url TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
  wire_bytes INTEGER NOT NULL, fetched_at INTEGER NOT NULL, size INTEGER NOT NULL, handler TEXT NOT NULL, depth INTEGER NOT NULL) STRICT;
CREATE INDEX response_worth ON response (depth DESC, fetched_at, size);
CREATE TABLE total (bytes INTEGER NOT NULL) STRICT;
INSERT INTO total VALUES (0);
`
/** How long SQLite waits for another process. It blocks the loop. */
const BUSY_MS = 5
/** Bytes that are dropped at most in one transaction, for it blocks the loop: a bound that was made much smaller is met after some. */
const DROPPED_BYTES_AT_ONCE = 32 * 2 ** 20
/** Octets of a key for all that have the same method, URL, body and identity; the others are of the header fields. */
const SAME_OCTETS = 12

/** The key of what was requested. */
export function keyOf({ method, url, body, identity, headers = {} }: Requested): Buffer {
  const same = hash('sha1', JSON.stringify([method, canonicalUrl(url), body ?? null, identity ?? null]), 'buffer')
  const named = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value])
  const fields = named.filter(([name]) => !isSecretName(name))
  const own = hash('sha1', JSON.stringify(fields.toSorted(([a], [b]) => (a < b ? -1 : 1))), 'buffer')
  return Buffer.concat([same.subarray(0, SAME_OCTETS), own.subarray(0, 20 - SAME_OCTETS)])
}

/** What came of rows that were to be kept. */
export interface InsertedRows {
  /** Those that had to go, these or others. */
  readonly dropped: number
  /** Of these, those that are larger than all that may be kept. */
  readonly refused: number
}

/** A row with its number. */
type StoredRow = CacheRow & { readonly id: number }

/** An open file. */
export class CacheFile {
  readonly #db: Database
  readonly #insert: Statement
  readonly #find: Statement<StoredRow>
  readonly #known: Statement<Pick<CacheRow, 'depth'> & { readonly size: number }>
  readonly #variants: Statement<Uint8Array>
  readonly #total: Statement<number>
  readonly #setTotal: Statement
  readonly #first: Statement<{ readonly id: number; readonly size: number }>
  readonly #drop: Statement

  private constructor(db: Database) {
    this.#db = db
    this.#insert = db.prepare(
      'INSERT OR REPLACE INTO response (key, url, status, headers, body, wire_bytes, fetched_at, size, handler, depth) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#find = db.prepare('SELECT rowid AS id, * FROM response WHERE key = ?')
    this.#variants = db.prepare<unknown[], Uint8Array>('SELECT key FROM response WHERE key >= ? AND key <= ? LIMIT ? + 0').pluck()
    this.#known = db.prepare('SELECT depth, size FROM response WHERE key = ?')
    this.#total = db.prepare<unknown[], number>('SELECT bytes FROM total').pluck()
    this.#setTotal = db.prepare('UPDATE total SET bytes = ?')
    this.#first = db.prepare('SELECT rowid AS id, size FROM response ORDER BY depth DESC, fetched_at, size, rowid')
    this.#drop = db.prepare('DELETE FROM response WHERE rowid = ?')
  }

  /** Opens the file at `path`; unless `readonly`, makes it, for its owner alone. Throws AVO_FRONTIER_…, AVO_NODE_TOO_OLD. */
  static async open(path: string, { readonly }: { readonly readonly: boolean }): Promise<CacheFile> {
    const Driver = await loadDriver()
    if (!existsSync(path)) {
      if (readonly)
        throw new AvocetError('AVO_FRONTIER_MISSING', `expected kept responses at ${path}, got nothing; crawl with --cache first`)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      closeSync(openSync(path, 'a', 0o600))
    }
    const db = new Driver(path, { timeout: BUSY_MS, readonly })
    try {
      prepare(db, path, readonly)
      if (!readonly) chmodSync(path, 0o600)
      return new CacheFile(db)
    } catch (error) {
      db.close()
      throw error
    }
  }

  /** How many responses are kept. */
  get count(): number {
    return Number(this.#db.prepare('SELECT count(*) FROM response').pluck().get())
  }

  /** Those that a plugin handled, such as sitemaps: their handlers are `PLUGIN/NAME`. */
  documents(): Pick<CacheRow, 'url' | 'handler'>[] {
    return this.#db
      .prepare<unknown[], Pick<CacheRow, 'url' | 'handler'>>("SELECT url, handler FROM response WHERE handler LIKE '%/%'")
      .all()
  }

  find(requested: Requested): StoredRow | undefined {
    const key = keyOf(requested)
    const exact = this.#find.get(key)
    if (exact !== undefined || requested.headers !== undefined) return exact
    const [only, another] = this.#variants.all(...variantsOf(key), 2)
    return only === undefined || another !== undefined ? undefined : this.#find.get(only)
  }

  /**
   * Keeps `rows`, and no more than `maxBytes` of all: what is farthest from a seed is dropped, of that what was fetched longest ago, and no more than must be.
   * Throws, and keeps none.
   */
  insert(rows: readonly CacheRow[], maxBytes: number): InsertedRows {
    // Other processes of the crawl write to it, too: the total is read under the lock.
    return this.#db
      .transaction((): InsertedRows => {
        const small = rows.filter((row) => sizeOf(row) <= maxBytes)
        const total = small.reduce((sum, row) => sum + this.#put(row), this.#total.get() ?? 0)
        const dropped = this.#dropFirst(Math.min(total - maxBytes, DROPPED_BYTES_AT_ONCE))
        this.#setTotal.run(total - dropped.reduce((sum, { size }) => sum + size, 0))
        return { dropped: dropped.length, refused: rows.length - small.length }
      })
      .immediate()
  }

  /** Returns the bytes that it adds: it may take the place of another one, which may have been nearer to a seed. */
  #put(row: CacheRow): number {
    const { key, url, status, headers, body, wire_bytes, fetched_at, handler } = row
    const known = this.#known.get(key)
    const depth = Math.min(row.depth, known?.depth ?? Infinity)
    this.#insert.run(key, url, status, headers, body, wire_bytes, fetched_at, sizeOf(row), handler, depth)
    return sizeOf(row) - (known?.size ?? 0)
  }

  /** Drops so many bytes, or a little more. */
  #dropFirst(bytes: number): readonly { readonly id: number; readonly size: number }[] {
    if (bytes <= 0) return []
    const first = []
    let found = 0
    for (const row of this.#first.iterate()) {
      first.push(row)
      found += row.size
      if (found >= bytes) break
    }
    for (const { id } of first) this.#drop.run(id)
    return first
  }

  close(): void {
    this.#db.close()
  }
}

/** The first and the last key of what differs from `key` by header fields. */
function variantsOf(key: Buffer): readonly [Buffer, Buffer] {
  return [Buffer.from(key).fill(0, SAME_OCTETS), Buffer.from(key).fill(0xff, SAME_OCTETS)]
}

function prepare(db: Database, path: string, readonly: boolean): void {
  const id = db.pragma('application_id', { simple: true })
  const version = db.pragma('user_version', { simple: true })
  const blank = id === 0 && version === 0 && db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (id === CACHE_APPLICATION_ID && version !== VERSION)
    throw new AvocetError(
      'AVO_FRONTIER_VERSION',
      `${path}: expected responses that this version of Avocet kept, got those of another; remove it`,
    )
  if (!(blank && !readonly) && id !== CACHE_APPLICATION_ID)
    throw new AvocetError('AVO_FRONTIER_FOREIGN', `${path}: expected kept responses, got another file; remove it`)
  if (readonly) return
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -2048')
  if (!blank) return
  db.transaction(() => {
    db.exec(SCHEMA)
    db.pragma(`application_id = ${CACHE_APPLICATION_ID}`)
    db.pragma(`user_version = ${VERSION}`)
  }).immediate()
}

// Rows of kept responses.

/** A response as it is in the file. */
export interface CacheRow {
  readonly key: Uint8Array
  readonly url: string
  readonly status: number
  /** JSON. */
  readonly headers: string
  /** Compressed with zstd. */
  readonly body: Uint8Array
  readonly wire_bytes: number
  /** Epoch ms. */
  readonly fetched_at: number
  /** That got it last. */
  readonly handler: string
  /** Links between the nearest seed and the page. */
  readonly depth: number
}

/** Of a row, beside what it holds. */
const ROW_BYTES = 100

/** Bytes that it takes in the file. */
function sizeOf({ body, headers, url, handler }: CacheRow): number {
  return body.byteLength + headers.length + url.length + handler.length + ROW_BYTES
}
