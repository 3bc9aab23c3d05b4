// Recrawls: how often a request was crawled, when its next recrawl is due, and the validators of its last good response.
import type { Again } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'

/** Recrawls of one connection. */
export class RecrawlTable {
  readonly #rounds: Statement<number>
  readonly #dueAt: Statement<number>
  readonly #finish: Statement
  readonly #finishLast: Statement
  readonly #schedule: Statement

  constructor(db: Database) {
    this.#rounds = db.prepare<unknown[], number>('SELECT visits FROM visited WHERE id = ?').pluck()
    this.#dueAt = db.prepare<unknown[], number>('SELECT due_at FROM visited WHERE id = ?').pluck()
    this.#finish = db.prepare(
      `INSERT INTO visited (id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since)
       VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET visits = visits + 1, due_at = excluded.due_at, skipped = skipped + excluded.skipped,
       etag = excluded.etag, last_modified = excluded.last_modified, body_hash = excluded.body_hash,
       missing = excluded.missing, missing_since = excluded.missing_since`,
    )
    this.#finishLast = db.prepare('UPDATE visited SET visits = visits + 1, missing = 0, missing_since = NULL WHERE id = ?')
    this.#schedule = db.prepare(
      'INSERT INTO visited (id, visits, due_at, skipped) VALUES (?, 1, ?, 0) ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at',
    )
  }

  /** The round of a request that is in progress: 0 for its first crawl. */
  roundOf(id: number): number {
    return this.#rounds.get(id) ?? 0
  }

  /** When the next recrawl is, or was, due (epoch ms); undefined where there was never to be one. */
  dueAt(id: number): number | undefined {
    return this.#dueAt.get(id)
  }

  /** A round has ended; `again`: there will be another. */
  finish(id: number, again: Again | undefined): void {
    if (again === undefined) this.#finishLast.run(id)
    else {
      const { at, skipped, etag, lastModified, bodyHash, missing } = again
      const seen = [etag ?? null, lastModified ?? null, bodyHash ?? null]
      const absence = [missing?.visits ?? 0, missing === undefined ? null : Math.round(missing.since)]
      this.#finish.run(id, Math.ceil(at), skipped, ...seen, ...absence)
    }
  }

  /** A settled request is due again. */
  schedule(id: number, at: number): void {
    this.#schedule.run(id, Math.ceil(at))
  }
}
