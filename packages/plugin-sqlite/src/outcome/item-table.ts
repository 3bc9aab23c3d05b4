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
