// Pages of which links wait: what for, how many, and whether one that waits is read again for them alone. While a page fails or moves, its row stays, until the
// page is there again.
import { type Cut, budgetWord } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { WordTable } from '../queue/word-table.ts'

/** Cuts of one connection. */
export class CutTable {
  readonly #reasons: WordTable
  readonly #set: Statement
  readonly #forget: Statement
  readonly #reopen: Statement
  readonly #isReread: Statement<number>

  constructor(db: Database, reasons: WordTable) {
    this.#reasons = reasons
    this.#set = db.prepare('INSERT OR REPLACE INTO cut (id, reason, links, waiting) VALUES (?, ?, ?, ?)')
    this.#forget = db.prepare('DELETE FROM cut WHERE id = ?')
    this.#reopen = db.prepare('UPDATE cut SET reread = ? WHERE id = ?')
    this.#isReread = db
      .prepare<unknown[], number>(
        'SELECT 1 FROM cut c JOIN attempt a ON a.id = c.id WHERE c.id = ? AND c.reread = 1 AND a.state = 0',
      )
      .pluck()
  }

  /** A page was there, and some of its links wait. */
  set(id: number, { budget, of, left }: Cut): void {
    this.#set.run(id, this.#reasons.idOf(budgetWord(budget)), of, left)
  }

  /** A page was there, and none of its links waits. */
  forget(id: number): void {
    this.#forget.run(id)
  }

  /** A page waits again: where it was done, for its links alone. */
  reopen(id: number, wasDone: boolean): void {
    this.#reopen.run(wasDone ? 1 : 0, id)
  }

  /** Whether a page is done, and waits to be read again for its links alone. */
  isReread(id: number): boolean {
    return this.#isReread.get(id) !== undefined
  }
}
