// The one row of the crawl: what it was opened with, and its totals, kept up to date as differences in the same transaction.
import type { Gain } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { IndexState } from '../identity/identity-index.ts'
import type { Writer } from '../file/writer.ts'

/** The row. */
export interface CrawlRow extends IndexState {
  /** Epoch ms: the latest that any run wrote. */
  readonly last_at: number
  readonly run: number
  readonly name: string
  readonly canonicalisation: string
  readonly host_keying: string
  readonly created_at: number
  readonly done: number
  readonly moved: number
  readonly failed: number
  readonly items: number
  readonly rejects: number
  /** Of the settled: due again. */
  readonly again: number
}

/** How late it is is written so often: a clock that went back by less is not noticed. */
const MOMENT_MS = 1_000

const ZERO = { known: 0, done: 0, moved: 0, failed: 0, items: 0, again: 0, rejects: 0 }

/** The totals, as one connection's transactions change them. */
export class CrawlTotals {
  readonly #load: Statement<CrawlRow>
  readonly #save: Statement
  readonly #saveMoment: Statement
  readonly #beginRun: Statement<number>
  #gain: { -readonly [Total in keyof typeof ZERO]: number } = { ...ZERO }
  #lastAt = 0
  /** Number of the run, as it was last loaded. */
  run = 0
  /** As they were last loaded, with what was counted since. */
  rejects = 0
  #savedAt = 0

  constructor(db: Database, writer: Writer) {
    this.#load = db.prepare<unknown[], CrawlRow>('SELECT * FROM crawl')
    this.#save = db.prepare(
      `UPDATE crawl SET known = known + ?, done = done + ?, moved = moved + ?, failed = failed + ?, items = items + ?,
       again = again + ?, rejects = rejects + ?`,
    )
    this.#saveMoment = db.prepare('UPDATE crawl SET last_at = max(last_at, ?)')
    this.#beginRun = db.prepare<unknown[], number>('UPDATE crawl SET run = run + 1 RETURNING run').pluck()
    writer.whenRolledBack(() => {
      this.#gain = { ...ZERO }
      this.#savedAt = 0
    })
  }

  /** The row as it is in the store, without what this transaction has counted and not saved. */
  load(): CrawlRow {
    const row = this.#load.get()
    if (row === undefined) throw Object.assign(new Error('the crawl has no row'), { code: 'SQLITE_CORRUPT' })
    this.run = row.run
    this.rejects = row.rejects
    return row
  }

  count(what: 'known' | 'items' | 'rejects', n: number): void {
    this.#gain[what] += n
    if (what === 'rejects') this.rejects += n
  }

  /** What settled requests add. */
  gain({ done, moved, failed, again }: Gain): void {
    this.#gain.done += done
    this.#gain.moved += moved
    this.#gain.failed += failed
    this.#gain.again += again
  }

  /** A run begins: no other process has the store open. */
  beginRun(): void {
    this.run = this.#beginRun.get() ?? 0
  }

  /** Says that it is `at` (epoch ms), or was a moment ago. */
  sees(at: number): void {
    this.#lastAt = Math.max(this.#lastAt, at)
  }

  /** Writes what this transaction counted, and once a second how late it is. */
  save(): void {
    if (this.#lastAt >= this.#savedAt + MOMENT_MS) {
      this.#saveMoment.run(Math.round(this.#lastAt))
      this.#savedAt = this.#lastAt
    }
    const { known, done, moved, failed, items, again, rejects } = this.#gain
    this.#gain = { ...ZERO }
    // There may be fewer of some: what is opened again, what was done and now failed.
    if ((known | done | moved | failed | items | again | rejects) !== 0)
      this.#save.run(known, done, moved, failed, items, again, rejects)
  }
}
