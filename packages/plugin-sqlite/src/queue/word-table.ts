// Words that come again and again (handlers, reasons), stored once and named by a small number.
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'

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
