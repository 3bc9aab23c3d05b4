// Items, exactly once by (request, visit, ordinal), in commit order.
import type { NewItem } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import type { CrawlTotals } from './crawl-totals.ts'

/** Items of one connection. */
export class ItemTable {
  readonly #totals: CrawlTotals
  readonly #insert: Statement
  readonly #remove: Statement
  readonly #insertAt: Statement
  readonly #insertPast: Statement
  readonly #newest: Statement<number>
  /** Whether the next number that SQLite gives is one that no sink has marked. */
  #isPast = false
  readonly #last: Statement<number>

  constructor(db: Database, { totals, writer }: { readonly totals: CrawlTotals; readonly writer: Writer }) {
    this.#totals = totals
    this.#insert = db.prepare('INSERT INTO item (request, visit, ordinal, json) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
    this.#remove = db.prepare('DELETE FROM item WHERE request = ? AND visit = ?')
    this.#insertAt = db.prepare('INSERT INTO item (seq, request, visit, ordinal, json) VALUES (?, ?, ?, ?, ?)')
    this.#insertPast = db.prepare(
      'INSERT INTO item (seq, request, visit, ordinal, json) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    )
    this.#newest = db.prepare<unknown[], number>('SELECT coalesce(max(seq), 0) FROM item').pluck()
    this.#last = db
      .prepare<unknown[], number>(
        'SELECT max((SELECT coalesce(max(seq), 0) FROM item), (SELECT coalesce(max(item_seq), 0) FROM sink))',
      )
      .pluck()
    // A transaction that is rolled back takes its items along.
    writer.whenRolledBack(() => (this.#isPast = false))
  }

  /** `round`: 0 for the first crawl of the request, then the number of its recrawl. */
  add(requestId: number, round: number, items: readonly NewItem[]): void {
    let added = 0
    items.forEach(({ json, ordinal }, index) => {
      const place = [requestId, round, ordinal ?? index, json]
      const seq = this.#pastMarks()
      added += (seq === undefined ? this.#insert.run(place) : this.#insertPast.run(seq, ...place)).changes
    })
    if (added > 0) this.#totals.count('items', added)
  }

  /**
   * The number of the next item where the one that SQLite would give has been used: a replay took the last items away, and a sink that has them would take the
   * next ones for written. Undefined everywhere else.
   */
  #pastMarks(): number | undefined {
    if (this.#isPast) return undefined
    const last = this.lastSeq()
    // Asked again until an item is there that was not lost with its transaction.
    if ((this.#newest.get() ?? 0) < last) return last + 1
    this.#isPast = true
    return undefined
  }

  /** The number of the last item that there was, as far as items and marks tell. */
  lastSeq(): number {
    return this.#last.get() ?? 0
  }

  /** Puts `items` behind number `lastSeq` in place of those that the request has of this visit. No mark is ahead of them: none is taken for written. */
  replace({ id, visit }: { readonly id: number; readonly visit: number }, items: readonly NewItem[], lastSeq: number): void {
    const removed = this.#remove.run(id, visit).changes
    items.forEach(({ json, ordinal }, index) => this.#insertAt.run(lastSeq + 1 + index, id, visit, ordinal ?? index, json))
    this.#totals.count('items', items.length - removed)
  }
}
