// Rows of requests: written once, read when they are handed out.
import type { Fingerprint, Leased, NewRequest } from '@avocet/core/store'
import { leasedRequestOf, pathFor, type LeasedRequestRow } from '@avocet/store-sql'
import { BulkInsert } from '../file/bulk-insert.ts'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import type { StoredHost } from './host-table.ts'

/** A row as it is read for handing out. */
interface LeasedRow extends LeasedRequestRow {
  /** Hexadecimal: a blob is read in twice the time. */
  readonly fingerprint: string
  readonly handler: number
  /** Null: that is all of it. */
  readonly more?: number | null
}

const SELECT = `SELECT r.id, r.path, hex(r.fingerprint) AS fingerprint, r.parent, r.depth, r.rank, r.handler, r.anchor, p.path AS parent_path,
  h.origin AS parent_origin`
const MORE = `a.state, a.attempts, a.free_attempts, x.runs AS deaths, e.method, e.headers, e.body, e.data, e.hops, e.redirected_from, e.identity,
  e.asked_at AS first_asked_at, v.visits, v.due_at AS dueAt, v.skipped, v.etag, v.last_modified AS lastModified, v.body_hash AS bodyHash, v.missing,
  v.missing_since AS missingSince, v.asked_at AS askedAt`
const FROM = `FROM request r LEFT JOIN attempt a ON a.id = r.id LEFT JOIN extra e ON e.id = r.id
  LEFT JOIN death x ON x.id = r.id LEFT JOIN request p ON p.id = r.parent LEFT JOIN host h ON h.id = p.host`

/** The requests of one connection. */
export class RequestTable {
  readonly #handlers: WordTable
  readonly #rows: BulkInsert
  readonly #insertExtra: Statement
  readonly #range: Statement<LeasedRow>
  readonly #one: Statement<LeasedRow>
  readonly #fingerprint: Buffer = Buffer.alloc(16)

  constructor(db: Database, writer: Writer) {
    this.#handlers = new WordTable(db, 'handler', writer)
    this.#rows = new BulkInsert(db, {
      into: 'request (id, host, path, fingerprint, parent, depth, rank, handler, anchor)',
      row: '(?, ?, ?, unhex(?), ?, ?, ?, ?, ?)',
    })
    writer.whenRolledBack(() => this.#rows.clear())
    this.#insertExtra = db.prepare(
      'INSERT INTO extra (id, method, headers, body, data, hops, redirected_from, identity, asked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#range = db.prepare<unknown[], LeasedRow>(
      `${SELECT}, coalesce(e.id, x.id) AS more ${FROM} WHERE r.id >= +? AND r.id < +? AND a.id IS NULL ORDER BY r.id LIMIT ? + 0`,
    )
    this.#one = db.prepare<unknown[], LeasedRow>(`${SELECT}, ${MORE} ${FROM} LEFT JOIN visited v ON v.id = r.id WHERE r.id = +?`)
  }

  /** Takes a new row; it is written by `flush`, or before. */
  insert(id: number, host: StoredHost, request: NewRequest): void {
    const { url, fingerprint, parentId, depth, priority, handler, anchorText } = request
    const path = pathFor(url, host.origin)
    // Hexadecimal text is bound in half the time that a Buffer takes.
    this.#fingerprint.write(fingerprint, 'latin1')
    const hex = this.#fingerprint.toString('hex')
    this.#rows.add([id, host.id, path, hex, parentId ?? null, depth, -priority, this.#handlers.idOf(handler), anchorText ?? null])
    const { method, headersJson, body, dataJson, hops, redirectedFrom, identity, modifiedAt } = request
    // That its page was modified says nothing of a first visit.
    const again = modifiedAt === undefined ? request.again : undefined
    if ((method ?? headersJson ?? body ?? dataJson ?? hops ?? redirectedFrom ?? identity ?? again) === undefined) return
    const rare = [method, headersJson, body, dataJson, hops, redirectedFrom, identity, again && Math.ceil(again)]
    this.#insertExtra.run(id, ...rare.map((value) => value ?? null))
  }

  /** Writes the rows that were taken. */
  flush(): void {
    this.#rows.flush()
  }

  /** Never tried requests with ids from `first` (inclusive) to `end` (exclusive), at most `n`. */
  untried(host: StoredHost, first: number, end: number, n: number): Leased[] {
    const rows = this.#range.all(first, end, n)
    return rows.flatMap((row) => (row.more === null ? this.#leased(host, row) : (this.read(host, row.id) ?? [])))
  }

  read(host: StoredHost, id: number): Leased | undefined {
    const row = this.#one.get(id)
    return row && this.#leased(host, row)
  }

  #leased({ key: hostKey, origin }: StoredHost, row: LeasedRow): Leased {
    this.#fingerprint.write(row.fingerprint, 'hex')
    const fingerprint = this.#fingerprint.toString('latin1') as Fingerprint
    return leasedRequestOf(row, { fingerprint, hostKey, origin, handler: this.#handlers.wordOf(row.handler) })
  }
}

// Words that come again and again (handlers, reasons), stored once and named by a small number.

/** Kept in RAM of each table: handlers and reasons are dozens, unless a plugin puts URLs into its reasons. */
const MAX_KEPT = 4_096

/** The words of one table. Other processes may add to it; ids never change. */
export class WordTable {
  readonly #ids = new Map<string, number>()
  readonly #words = new Map<number, string>()
  readonly #find: Statement<number>
  readonly #read: Statement<string>
  readonly #create: Statement

  constructor(db: Database, table: 'handler' | 'reason', writer: Writer) {
    this.#find = db.prepare<unknown[], number>(`SELECT id FROM ${table} WHERE word = ?`).pluck()
    this.#read = db.prepare<unknown[], string>(`SELECT word FROM ${table} WHERE id = ?`).pluck()
    this.#create = db.prepare(`INSERT INTO ${table} (word) VALUES (?)`)
    writer.whenRolledBack(() => {
      this.#ids.clear()
      this.#words.clear()
    })
  }

  /** Id of `word`, made if it is new. */
  idOf(word: string): number {
    const kept = this.#ids.get(word)
    if (kept !== undefined) return kept
    const id = this.#find.get(word) ?? Number(this.#create.run(word).lastInsertRowid)
    if (this.#ids.size >= MAX_KEPT) this.#ids.clear()
    this.#ids.set(word, id)
    return id
  }

  wordOf(id: number): string {
    const kept = this.#words.get(id)
    if (kept !== undefined) return kept
    const word = this.#read.get(id) ?? ''
    if (this.#words.size >= MAX_KEPT) this.#words.clear()
    this.#words.set(id, word)
    return word
  }
}
