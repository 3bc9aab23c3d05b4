// Items, exactly once by (request, visit, ordinal), in commit order.
import type { NewItem } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { CrawlTotals } from './crawl-totals.ts'

/** Items of one connection. */
export class ItemTable {
  readonly #totals: CrawlTotals
  readonly #insert: Statement

  constructor(db: Database, totals: CrawlTotals) {
    this.#totals = totals
    this.#insert = db.prepare('INSERT INTO item (request, visit, ordinal, json) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  }

  /** `round`: 0 for the first crawl of the request, then the number of its recrawl. */
  add(requestId: number, round: number, items: readonly NewItem[]): void {
    let added = 0
    items.forEach(({ json, ordinal }, index) => {
      added += this.#insert.run(requestId, round, ordinal ?? index, json).changes
    })
    if (added > 0) this.#totals.count('items', added)
  }
}

// Records of documents of plugins, exactly once by (request, visit, ordinal), in commit order. They are no items, so no total and no sink has them.

/** Records of one connection. */
export class RecordTable {
  readonly #insert: Statement

  constructor(db: Database) {
    this.#insert = db.prepare('INSERT INTO record (request, visit, ordinal, json) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  }

  /** `visit`: 0 for the first one of the request. */
  add({ id, visit }: { readonly id: number; readonly visit: number }, records: readonly NewItem[]): void {
    records.forEach(({ json, ordinal }, index) => this.#insert.run(id, visit, ordinal ?? index, json))
  }
}
