// Recrawls: how often a request was crawled, when its next recrawl is due, and the validators of its last good response.
import type { Again } from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'

/** `visited.missing` of what is believed to be gone. */
const GONE = -1

/** Where a request is, between its visits. */
interface Standing {
  /** As in `STATES`. */
  readonly state: number
  readonly rank: number
  /** Attempts of any kind of the visit that comes. */
  readonly tries: number
  /** Epoch ms. */
  readonly notBefore: number | null
  /** Epoch ms of the last attempt that was sent. */
  readonly fetchedAt: number | null
  /** In this run. */
  readonly isVisited: 0 | 1
  /** A link or a seed asked for the visit that comes. */
  readonly isAsked: 0 | 1
}

/** What a round says of a row: which page was the last one, and which visit its items are of. In these, `visits` is the number of that round. */
const VISITED = `asked_at = NULL, page_at = coalesce(@pageAt, page_at), page_visit = iif(@pageAt IS NULL, page_visit, visits)`
/** Of a request that was settled before there was a row: its page is that of its one visit. */
const FETCHED_AT = '(SELECT fetched_at FROM attempt WHERE id = @id)'

/** Recrawls of one connection. */
export class RecrawlTable {
  readonly #rounds: Statement<number>
  readonly #finish: Statement
  readonly #finishLast: Statement
  readonly #leave: Statement
  readonly #forgive: Statement
  readonly #schedule: Statement
  readonly #ask: Statement
  readonly #standing: Statement<Standing>

  constructor(db: Database) {
    this.#rounds = db.prepare<unknown[], number>('SELECT visits FROM visited WHERE id = ?').pluck()
    this.#finish = db.prepare(
      `INSERT INTO visited (id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, page_at, page_visit)
       VALUES (@id, 1, @dueAt, @skipped, @etag, @lastModified, @bodyHash, @missing, @since, @pageAt, iif(@pageAt IS NULL, NULL, 0))
       ON CONFLICT (id) DO UPDATE SET visits = visits + 1, due_at = excluded.due_at, skipped = skipped + excluded.skipped,
       etag = excluded.etag, last_modified = excluded.last_modified, body_hash = excluded.body_hash,
       missing = excluded.missing, missing_since = excluded.missing_since, ${VISITED}`,
    )
    this.#finishLast = db.prepare(
      `UPDATE visited SET visits = visits + 1, etag = NULL, last_modified = NULL, body_hash = NULL, missing = 0, missing_since = NULL,
       ${VISITED} WHERE id = @id`,
    )
    this.#leave = db.prepare(
      `INSERT INTO visited (id, visits, due_at, skipped, missing) VALUES (?, 1, ?, 0, ${GONE}) ON CONFLICT (id) DO UPDATE SET missing = excluded.missing`,
    )
    this.#forgive = db.prepare('UPDATE visited SET missing = 0 WHERE id = ? AND missing < 0')
    this.#ask = db.prepare(
      `INSERT INTO visited (id, visits, due_at, skipped, asked_at, asked_by, page_at, page_visit) VALUES (@id, 1, @at, 0, @at, @by, ${FETCHED_AT}, 0)
       ON CONFLICT (id) DO UPDATE SET due_at = max(due_at, excluded.due_at), asked_at = excluded.asked_at, asked_by = excluded.asked_by`,
    )
    this.#standing = db.prepare(
      `SELECT coalesce(a.state, 0) AS state, r.rank, coalesce(a.attempts + a.free_attempts, 0) AS tries, d.not_before AS notBefore, a.fetched_at AS fetchedAt,
       coalesce(a.run = (SELECT run FROM crawl), 0) AS isVisited, v.asked_at IS NOT NULL AS isAsked
       FROM request r LEFT JOIN attempt a ON a.id = r.id LEFT JOIN delayed d ON d.id = r.id LEFT JOIN visited v ON v.id = r.id WHERE r.id = ?`,
    )
    this.#schedule = db.prepare(
      `INSERT INTO visited (id, visits, due_at, skipped, page_at, page_visit) VALUES (@id, 1, @at, 0, ${FETCHED_AT}, 0)
       ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, missing = max(missing, 0)`,
    )
  }

  /** The round of a request that is in progress: 0 for its first crawl. */
  roundOf(id: number): number {
    return this.#rounds.get(id) ?? 0
  }

  /** A round has ended; `again`: there will be another. `pageAt`: when the page was fetched that a handler got, epoch ms; undefined where there was none. */
  finish(id: number, again: Again | undefined, pageAt: number | undefined): void {
    const round = { id, pageAt: pageAt === undefined ? null : Math.round(pageAt) }
    if (again === undefined) return void this.#finishLast.run(round)
    const { at, skipped, etag = null, lastModified = null, bodyHash = null, missing } = again
    const seen = { etag, lastModified, bodyHash }
    const absence = { missing: missing?.visits ?? 0, since: missing === undefined ? null : Math.round(missing.since) }
    this.#finish.run({ ...round, dueAt: Math.ceil(at), skipped, ...seen, ...absence })
  }

  /** A request that was fetched at `at`, for the last time, is believed to be gone. */
  leave(id: number, at: number): void {
    this.#leave.run(id, Math.round(at))
  }

  /** What was believed to be gone is requested anew. */
  forgive(id: number): void {
    this.#forgive.run(id)
  }

  /** Where a request is. */
  standingOf(id: number): Standing | undefined {
    return this.#standing.get(id)
  }

  /** The page of request `by`, or a seed, asks for a visit that is due from `at` on. A round that comes later stays as it is. */
  ask(id: number, { at, by }: { readonly at: number; readonly by: number | undefined }): void {
    this.#ask.run({ id, at: Math.ceil(at), by: by ?? null })
  }

  /** A settled request is due again. */
  schedule(id: number, at: number): void {
    this.#schedule.run({ id, at: Math.ceil(at) })
  }
}
