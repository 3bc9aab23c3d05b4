// Visits of requests that are asked for again and again: how many were settled, when the next is due, what the last good answer was.
import type { Again } from '@avocet/core'
import type { Database, Statement } from '../file/driver.ts'

/** Visits of one connection. */
export class RecrawlTable {
  readonly #visits: Statement<number>
  readonly #dueAt: Statement<number>
  readonly #again: Statement
  readonly #over: Statement
  readonly #schedule: Statement

  constructor(db: Database) {
    this.#visits = db.prepare<unknown[], number>('SELECT visits FROM visited WHERE id = ?').pluck()
    this.#dueAt = db.prepare<unknown[], number>('SELECT due_at FROM visited WHERE id = ?').pluck()
    this.#again = db.prepare(
      `INSERT INTO visited (id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since)
       VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET visits = visits + 1, due_at = excluded.due_at, skipped = skipped + excluded.skipped,
       etag = excluded.etag, last_modified = excluded.last_modified, body_hash = excluded.body_hash,
       missing = excluded.missing, missing_since = excluded.missing_since`,
    )
    this.#over = db.prepare('UPDATE visited SET visits = visits + 1, missing = 0, missing_since = NULL WHERE id = ?')
    this.#schedule = db.prepare(
      'INSERT INTO visited (id, visits, due_at, skipped) VALUES (?, 1, ?, 0) ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at',
    )
  }

  /** Number of the visit that is under way. */
  numberOf(id: number): number {
    return this.#visits.get(id) ?? 0
  }

  /** When the next visit is, or was, due (epoch ms); undefined where there was never to be one. */
  dueAt(id: number): number | undefined {
    return this.#dueAt.get(id)
  }

  /** A visit is settled; `again`: there will be another. */
  settled(id: number, again: Again | undefined): void {
    if (again === undefined) this.#over.run(id)
    else {
      const { at, skipped, etag, lastModified, bodyHash, missing } = again
      const seen = [etag ?? null, lastModified ?? null, bodyHash ?? null]
      const absence = [missing?.visits ?? 0, missing === undefined ? null : Math.round(missing.since)]
      this.#again.run(id, Math.ceil(at), skipped, ...seen, ...absence)
    }
  }

  /** A request that is settled is due again. */
  schedule(id: number, at: number): void {
    this.#schedule.run(id, Math.ceil(at))
  }
}
