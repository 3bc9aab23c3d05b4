// Items, exactly once by (request, visit, ordinal), in commit order; and how far each output file is written.
import type { ExportMark, NewItem } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { CrawlTotals } from './crawl-totals.ts'

/** Items and export marks of one connection. */
export class ItemTable {
  readonly #totals: CrawlTotals
  readonly #insert: Statement
  readonly #mark: Statement<{ readonly item_seq: number; readonly bytes: number }>
  readonly #saveMark: Statement

  constructor(db: Database, totals: CrawlTotals) {
    this.#totals = totals
    this.#insert = db.prepare('INSERT INTO item (request, visit, ordinal, json) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
    this.#mark = db.prepare('SELECT item_seq, bytes FROM export WHERE target = ?')
    this.#saveMark = db.prepare('INSERT OR REPLACE INTO export (target, item_seq, bytes) VALUES (?, ?, ?)')
  }

  /** `round`: 0 for the first crawl of the request, then the number of its recrawl. */
  add(requestId: number, round: number, items: readonly NewItem[]): void {
    let added = 0
    items.forEach(({ json }, ordinal) => {
      added += this.#insert.run(requestId, round, ordinal, json).changes
    })
    if (added > 0) this.#totals.count('items', added)
  }

  markOf(target: string): ExportMark | undefined {
    const row = this.#mark.get(target)
    return row && { itemSeq: row.item_seq, bytes: row.bytes }
  }

  setMark(target: string, { itemSeq, bytes }: ExportMark): void {
    this.#saveMark.run(target, itemSeq, bytes)
  }
}
