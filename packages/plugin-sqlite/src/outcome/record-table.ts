// Records of documents of plugins, exactly once by (request, visit, ordinal), in commit order. They are no items, so no total and no sink has them.
import type { NewItem } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'

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
