// Errors in the user's code by kind, as the first page that failed with one has it, and how many failed pages each has.
import {
  ERROR_SEEN_EVERY_MS,
  groupOf,
  MAX_ERROR_GROUPS,
  OTHER_ERRORS,
  STALE_ERROR_GROUPS,
  type HandlerError,
} from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'

/** The kind of all that are not listed one by one. */
const OTHERS = ''

/** More pages than these are not told apart when a kind is to make room. */
const MANY_PAGES = 10_000

/** A kind makes room that is stale and has few pages (core's `MAX_ERROR_GROUPS`). */
const STALEST = `SELECT id FROM (SELECT id, seen_at FROM handler_error WHERE kind <> '${OTHERS}' ORDER BY seen_at, id LIMIT ${STALE_ERROR_GROUPS}) e
  ORDER BY (SELECT count(*) FROM (SELECT 1 FROM trouble t WHERE t.error = e.id LIMIT ${MANY_PAGES})), seen_at, id LIMIT 1`

const COUNT = `SELECT count(*) FROM handler_error WHERE kind <> '${OTHERS}'`
const DROP_MENDED = `DELETE FROM handler_error WHERE kind <> '${OTHERS}' AND NOT EXISTS (SELECT 1 FROM trouble t WHERE t.error = handler_error.id)`

/** Kinds of the store. Other processes add to them and remove some: within a transaction only, the ids hold. */
export class HandlerErrorTable {
  readonly #db: Database
  readonly #find: Statement<{ readonly id: number; readonly seen_at: number }>

  constructor(db: Database) {
    this.#db = db
    this.#find = db.prepare('SELECT id, seen_at FROM handler_error WHERE kind = ?')
  }

  /** Id of the kind that `error` is of, which is made if need be. Its page is `at` (epoch ms) where that is known, else as late as the latest. */
  idOf(error: HandlerError, at: number = this.#number('SELECT coalesce(max(seen_at), 0) FROM handler_error')): number {
    const kind = groupOf(error)
    const known = this.#find.get(kind)
    if (known === undefined) return this.#make(kind, error, at)
    if (at - known.seen_at >= ERROR_SEEN_EVERY_MS)
      this.#db.prepare('UPDATE handler_error SET seen_at = ? WHERE id = ?').run(Math.round(at), known.id)
    return known.id
  }

  #make(kind: string, error: HandlerError, at: number): number {
    if (kind !== OTHERS && this.#number(COUNT) >= MAX_ERROR_GROUPS) this.#makeRoom()
    const create = this.#db.prepare('INSERT INTO handler_error (kind, json, seen_at) VALUES (?, ?, ?)')
    return Number(create.run(kind, JSON.stringify(kind === OTHERS ? OTHER_ERRORS : error), Math.round(at)).lastInsertRowid)
  }

  #makeRoom(): void {
    if (this.#db.prepare(DROP_MENDED).run().changes > 0) return
    const stalest = this.#number(STALEST)
    if (stalest === 0) return
    const others = this.#find.get(OTHERS)?.id ?? this.#make(OTHERS, OTHER_ERRORS, 0)
    this.#db.prepare('UPDATE trouble SET error = ? WHERE error = ?').run(others, stalest)
    this.#db.prepare('DELETE FROM handler_error WHERE id = ?').run(stalest)
  }

  /** What a query gives; 0 for nothing. */
  #number(sql: string): number {
    return this.#db.prepare<unknown[], number>(sql).pluck().get() ?? 0
  }
}
