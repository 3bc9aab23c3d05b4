// Errors in the user's code by kind, as the first page that failed with one has it, and how many failed pages each has.
import { groupOf, MAX_ERROR_GROUPS, OTHER_ERRORS, type HandlerError, type HandlerErrorGroup } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import { STATES } from '../file/schema.ts'
import type { Writer } from '../file/writer.ts'
import { urlOf } from '../queue/request-table.ts'

/** The kind of all that find no room. */
const OTHERS = ''

/** Kinds of one connection. Other processes may add to them; ids never change. */
export class HandlerErrorTable {
  readonly #ids = new Map<string, number>()
  readonly #find: Statement<number>
  readonly #create: Statement
  readonly #count: Statement<number>

  constructor(db: Database, writer: Writer) {
    this.#find = db.prepare<unknown[], number>('SELECT id FROM handler_error WHERE kind = ?').pluck()
    this.#count = db.prepare<unknown[], number>('SELECT count(*) FROM handler_error').pluck()
    this.#create = db.prepare('INSERT INTO handler_error (kind, json) VALUES (?, ?)')
    writer.whenRolledBack(() => this.#ids.clear())
  }

  /** Id of the kind that `error` is of, made for it if there is room. */
  idOf(error: HandlerError): number {
    const kind = groupOf(error)
    const known = this.#known(kind)
    if (known !== undefined) return known
    return (this.#count.get() ?? 0) < MAX_ERROR_GROUPS
      ? this.#make(kind, error)
      : (this.#known(OTHERS) ?? this.#make(OTHERS, OTHER_ERRORS))
  }

  #known(kind: string): number | undefined {
    const id = this.#ids.get(kind) ?? this.#find.get(kind)
    // As many as there are rows, at most.
    if (id !== undefined) this.#ids.set(kind, id)
    return id
  }

  #make(kind: string, error: HandlerError): number {
    return Number(this.#create.run(kind, JSON.stringify(error)).lastInsertRowid)
  }
}

interface GroupRow {
  readonly json: string
  readonly pages: number
  readonly path: string
  readonly origin: string
  readonly handler: string
}

/** Reads the kinds of which failed pages are left, most first. */
export function handlerErrorsOf(db: Database): () => HandlerErrorGroup[] {
  const groups = db.prepare<unknown[], GroupRow>(
    `SELECT e.json, g.pages, r.path, h.origin, w.word AS handler FROM (
       SELECT t.error, count(*) AS pages, min(t.id) AS first FROM trouble t JOIN attempt a ON a.id = t.id
       WHERE t.error IS NOT NULL AND a.state = ${STATES.indexOf('failed')} GROUP BY t.error) g
     JOIN handler_error e ON e.id = g.error JOIN request r ON r.id = g.first JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler
     ORDER BY g.pages DESC, e.id`,
  )
  return () =>
    groups.all().map(({ json, pages, path, origin, handler }) => {
      const error = JSON.parse(json) as HandlerError
      return { ...error, count: pages, url: urlOf(path, origin), handler }
    })
}
