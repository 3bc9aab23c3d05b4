// The one row of the crawl: what it was opened with, and its totals, kept up to date as differences in the same transaction.
import type { Database, Statement } from '../file/driver.ts'
import type { IndexState } from '../identity/identity-index.ts'
import type { Writer } from '../file/writer.ts'

/** The row. */
export interface CrawlRow extends IndexState {
  readonly name: string
  readonly canonicalisation: string
  readonly host_keying: string
  readonly created_at: number
  readonly done: number
  readonly moved: number
  readonly failed: number
  readonly items: number
  /** Of the settled: due again. */
  readonly again: number
}

const ZERO = { known: 0, done: 0, moved: 0, failed: 0, items: 0, again: 0 }

/** Totals of one connection's transactions. */
export class Totals {
  readonly #load: Statement<CrawlRow>
  readonly #save: Statement
  #gain: { -readonly [Total in keyof typeof ZERO]: number } = { ...ZERO }

  constructor(db: Database, writer: Writer) {
    this.#load = db.prepare<unknown[], CrawlRow>('SELECT * FROM crawl')
    this.#save = db.prepare(
      `UPDATE crawl SET known = known + ?, done = done + ?, moved = moved + ?, failed = failed + ?, items = items + ?,
       again = again + ?`,
    )
    writer.whenRolledBack(() => {
      this.#gain = { ...ZERO }
    })
  }

  /** The row as it stands in the store, without what this transaction has counted and not saved. */
  load(): CrawlRow {
    const row = this.#load.get()
    if (row === undefined) throw Object.assign(new Error('the crawl has no row'), { code: 'SQLITE_CORRUPT' })
    return row
  }

  count(what: keyof typeof ZERO, n: number): void {
    this.#gain[what] += n
  }

  /** Writes what this transaction counted. */
  save(): void {
    const { known, done, moved, failed, items, again } = this.#gain
    this.#gain = { ...ZERO }
    // There may be fewer of some: what is opened again, what was done and now failed.
    if ((known | done | moved | failed | items | again) !== 0) this.#save.run(known, done, moved, failed, items, again)
  }
}
