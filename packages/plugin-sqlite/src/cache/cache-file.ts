// The file of kept responses: one table, found by what was requested, bounded by dropping what was fetched longest ago.
//
// It is a file of its own, because it can be lost without harm: it is written without fsync, and nothing of the crawl depends on it. A row is keyed by a hash
// of method, canonical URL, body and identity, but not of the handler: so a handler that was renamed finds the pages that another one had.
import { hash } from 'node:crypto'
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { AvocetError, type Request } from '@avocet/core'
import { canonicalUrl } from '@avocet/core/store'
import { loadDriver, type Database, type Statement } from '../file/driver.ts'

/** What was requested, as far as it decides on the answer. */
export type Requested = Pick<Request, 'method' | 'url' | 'body' | 'identity'>

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
}

/** 'AvoR' in the header of the file. */
const APPLICATION_ID = 0x41766f52
const VERSION = 1
const SCHEMA = `
CREATE TABLE response (
  key BLOB NOT NULL UNIQUE, url TEXT NOT NULL, status INTEGER NOT NULL, headers TEXT NOT NULL, body BLOB NOT NULL,
  wire_bytes INTEGER NOT NULL, fetched_at INTEGER NOT NULL, size INTEGER NOT NULL) STRICT;
CREATE INDEX response_age ON response (fetched_at, size);
`
/** How long SQLite waits for another process. It blocks the loop. */
const BUSY_MS = 5
/** Of a row, beside what it holds. */
const ROW_BYTES = 100
/** At most: more than are inserted at a time, so that this keeps up, and few enough for a short transaction. */
const DROPPED_AT_ONCE = 200

/** The key of what was requested. */
export function keyOf({ method, url, body, identity }: Requested): Uint8Array {
  return hash('sha1', JSON.stringify([method, canonicalUrl(url), body ?? null, identity ?? null]), 'buffer')
}

/** An open file. */
export class CacheFile {
  readonly #db: Database
  readonly #insert: Statement
  readonly #find: Statement<CacheRow>
  readonly #size: Statement<number>
  readonly #drop: Statement<number>
  #bytes: number

  private constructor(db: Database) {
    this.#db = db
    this.#insert = db.prepare(
      'INSERT OR REPLACE INTO response (key, url, status, headers, body, wire_bytes, fetched_at, size) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#find = db.prepare('SELECT * FROM response WHERE key = ?')
    this.#size = db.prepare<unknown[], number>('SELECT size FROM response WHERE key = ?').pluck()
    this.#drop = db
      .prepare<unknown[], number>(
        `DELETE FROM response WHERE rowid IN (SELECT id FROM (
           SELECT rowid AS id, size, sum(size) OVER (ORDER BY fetched_at, size, rowid ROWS UNBOUNDED PRECEDING) AS upto
           FROM (SELECT rowid, fetched_at, size FROM response ORDER BY fetched_at, size, rowid LIMIT ? + 0))
         WHERE upto - size < ?) RETURNING size`,
      )
      .pluck()
    this.#bytes = Number(db.prepare('SELECT coalesce(sum(size), 0) FROM response').pluck().get())
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

  /** Bytes of what is kept. */
  get bytes(): number {
    return this.#bytes
  }

  /** How many responses are kept. */
  get count(): number {
    return Number(this.#db.prepare('SELECT count(*) FROM response').pluck().get())
  }

  find(requested: Requested): CacheRow | undefined {
    return this.#find.get(keyOf(requested))
  }

  /** Keeps all of `rows`, or throws and keeps none. */
  insert(rows: readonly CacheRow[]): void {
    this.#db.transaction(() => {
      for (const { key, url, status, headers, body, wire_bytes, fetched_at } of rows) {
        const replaced = this.#size.get(key) ?? 0
        const size = body.byteLength + headers.length + url.length + ROW_BYTES
        this.#insert.run(key, url, status, headers, body, wire_bytes, fetched_at, size)
        this.#bytes += size - replaced
      }
    })()
  }

  /** While there is more than `maxBytes`, drops what was fetched longest ago, and no more than it must. Returns how many. */
  drop(maxBytes: number): number {
    if (this.#bytes <= maxBytes) return 0
    const sizes = this.#drop.all(DROPPED_AT_ONCE, this.#bytes - maxBytes)
    for (const size of sizes) this.#bytes -= size
    return sizes.length
  }

  close(): void {
    this.#db.close()
  }
}

function prepare(db: Database, path: string, readonly: boolean): void {
  const id = db.pragma('application_id', { simple: true })
  const version = db.pragma('user_version', { simple: true })
  const blank = id === 0 && version === 0 && db.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (!(blank && !readonly) && (id !== APPLICATION_ID || version !== VERSION))
    throw new AvocetError('AVO_FRONTIER_FOREIGN', `${path}: expected kept responses, got another file; remove it`)
  if (readonly) return
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = OFF')
  db.pragma('cache_size = -2048')
  if (!blank) return
  db.transaction(() => {
    db.exec(SCHEMA)
    db.pragma(`application_id = ${APPLICATION_ID}`)
    db.pragma(`user_version = ${VERSION}`)
  }).immediate()
}
