// What became of requests: a row for each request that was ever tried, one for each with more than one visit, one for each in trouble. The laws of core say
// what changes; here it is read, written and counted.
import { requestLaws, type Outcome, type RequestState } from '@avocet/core/store'
import { STATES } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import type { StoredHost } from '../queue/host-table.ts'
import { WordTable } from '../queue/request-table.ts'
import type { WaitingQueue } from '../queue/waiting-queue.ts'
import type { CrawlTotals } from './crawl-totals.ts'
import { HandlerErrorTable } from './handler-error-table.ts'

/** A request where it waits. */
interface Place {
  readonly id: number
  readonly rank: number
}

/** A request, with ids of reasons and of errors. */
type RequestRow = RequestState<number, number>

/** What a request is, and where. */
export interface StoredRequest extends RequestRow, Place {
  readonly host: number
}

/** Outcomes of one connection. */
export class OutcomeTable {
  readonly #totals: CrawlTotals
  readonly #queue: WaitingQueue
  readonly #reasons: WordTable
  readonly #errors: HandlerErrorTable
  readonly #read: Statement<Omit<StoredRequest, 'state'> & { readonly state: number }>
  readonly #attempt: Statement
  readonly #visited: Statement
  readonly #trouble: Statement
  readonly #clear: Statement
  readonly #countReason: Statement

  constructor(db: Database, { totals, queue, writer }: { totals: CrawlTotals; queue: WaitingQueue; writer: Writer }) {
    this.#totals = totals
    this.#queue = queue
    this.#reasons = new WordTable(db, 'reason', writer)
    this.#errors = new HandlerErrorTable(db)
    this.#read = db.prepare(
      `SELECT r.id, r.host, r.rank, coalesce(a.state, 0) AS state, coalesce(a.attempts, 0) AS attempts, coalesce(a.free_attempts, 0) AS freeAttempts,
       a.fetched_at AS fetchedAt, a.status, a.duration_ms AS durationMs, a.wire_bytes AS wireBytes, a.run, d.not_before AS notBefore, v.visits,
       coalesce(v.due_at, 0) AS dueAt, coalesce(v.skipped, 0) AS skipped, v.etag, v.last_modified AS lastModified, v.body_hash AS bodyHash,
       coalesce(v.missing, 0) AS missing, v.missing_since AS missingSince, v.asked_at AS askedAt, v.asked_by AS askedBy, v.page_at AS pageAt,
       v.page_visit AS pageVisit, t.reason, t.blame, t.target, t.error
       FROM request r LEFT JOIN attempt a ON a.id = r.id LEFT JOIN delayed d ON d.id = r.id LEFT JOIN visited v ON v.id = r.id
       LEFT JOIN trouble t ON t.id = r.id WHERE r.id = +?`,
    )
    this.#attempt = db.prepare(
      `INSERT OR REPLACE INTO attempt (id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, run)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#visited = db.prepare(
      `INSERT OR REPLACE INTO visited (id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, asked_at, asked_by, page_at,
       page_visit) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#trouble = db.prepare('INSERT OR REPLACE INTO trouble (id, reason, blame, target, error) VALUES (?, ?, ?, ?, ?)')
    this.#clear = db.prepare('DELETE FROM trouble WHERE id = ?')
    this.#countReason = db.prepare('UPDATE reason SET failed = failed + ? WHERE id = ?')
  }

  /** What a request is. */
  read(id: number): StoredRequest | undefined {
    const row = this.#read.get(id)
    return row && { ...row, state: STATES[row.state] ?? 'waiting' }
  }

  /** Writes down the outcome of an attempt at a request that was never tried, or that `was` something; it is in no span any more. */
  record(
    host: StoredHost,
    place: Place,
    { outcome, was = requestLaws.NEVER_TRIED }: { outcome: Outcome; was?: RequestRow },
  ): void {
    const { kind, fetched } = outcome
    const thrown = kind === 'failed' ? outcome.failure?.handlerError : undefined
    const reason = kind === 'failed' || kind === 'retry' ? this.#reasons.idOf(outcome.reason) : null
    const error = thrown === undefined ? null : this.#errors.idOf(thrown, fetched?.at)
    if (kind === 'retry') host.retried++
    this.change(host, place, was, requestLaws.attempted(was, { outcome, run: this.#totals.run, reason, error }))
  }

  /** An operator dropped a request, which is in no span any more. */
  drop(host: StoredHost, was: StoredRequest, reason: string): void {
    this.change(host, was, was, requestLaws.dropped(was, this.#reasons.idOf(reason)))
  }

  /** Writes down what a request is from now on: where it waits, and what it counts as. */
  change(host: StoredHost, { id, rank }: Place, was: RequestRow, now: RequestRow): void {
    const { attempts, freeAttempts, run, notBefore } = now
    const sent = [rounded(now.fetchedAt), now.status, rounded(now.durationMs), rounded(now.wireBytes)]
    this.#attempt.run(id, STATES.indexOf(now.state), attempts, freeAttempts, ...sent, run)
    if (now.visits !== null) this.#visited.run(id, ...roundsOf(now))
    const { reason, blame, target, error } = now
    if (reason !== was.reason || blame !== was.blame || target !== was.target || error !== was.error) {
      if ((reason ?? target) === null) this.#clear.run(id)
      else this.#trouble.run(id, reason, blame, target, error)
    }
    if (was.notBefore !== null) this.#queue.undelay(host, id)
    if (notBefore !== null) this.#queue.delay(host, { id, rank }, Math.ceil(notBefore))
    this.#count(host, was, now)
  }

  #count(host: StoredHost, was: RequestRow, now: RequestRow): void {
    const gain = requestLaws.gainOf(was, now)
    // Field by field: it is done for each page.
    host.done += gain.done
    host.moved += gain.moved
    host.failed += gain.failed
    host.again += gain.again
    this.#totals.gain(gain)
    const [before, after] = [requestLaws.failureReason(was), requestLaws.failureReason(now)]
    if (before === after) return
    if (before !== null) this.#countReason.run(-1, before)
    if (after !== null) this.#countReason.run(1, after)
  }
}

function roundsOf(now: RequestRow): readonly unknown[] {
  const { visits, skipped, etag, lastModified, bodyHash, missing, askedBy, pageVisit } = now
  const asked = now.askedAt === null ? null : Math.ceil(now.askedAt)
  const seen = [etag, lastModified, bodyHash, missing, rounded(now.missingSince)]
  return [visits, Math.ceil(now.dueAt), skipped, ...seen, asked, askedBy, rounded(now.pageAt), pageVisit]
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}
