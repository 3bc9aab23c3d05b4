// What became of requests: a row for each request that was ever tried, one for each with more than one visit, one for each in trouble. The laws say what
// changes (store-sql); here it is read, written and counted.
import type { Outcome } from '@avocet/core/store'
import { attempted, dropped, isAgain, NEVER_TRIED, STATES, type RequestState } from '@avocet/store-sql'
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

/** What a request is, and where. */
export interface StoredRequest extends RequestState, Place {
  readonly host: number
}

const FAILED = STATES.indexOf('failed')

/** Outcomes of one connection. */
export class OutcomeTable {
  readonly #totals: CrawlTotals
  readonly #queue: WaitingQueue
  readonly #reasons: WordTable
  readonly #errors: HandlerErrorTable
  readonly #read: Statement<StoredRequest>
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
      `SELECT r.id, r.host, r.rank, coalesce(a.state, 0) AS state, coalesce(a.attempts, 0) AS attempts, coalesce(a.free_attempts, 0) AS free_attempts,
       a.fetched_at, a.status, a.duration_ms, a.wire_bytes, a.run, d.not_before, v.visits, coalesce(v.due_at, 0) AS due_at,
       coalesce(v.skipped, 0) AS skipped, v.etag, v.last_modified, v.body_hash, coalesce(v.missing, 0) AS missing, v.missing_since, v.asked_at,
       v.asked_by, v.page_at, v.page_visit, t.reason, t.blame, t.target, t.error
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
    return this.#read.get(id)
  }

  /** Writes down the outcome of an attempt at a request that was never tried, or that `was` something; it is in no span any more. */
  record(host: StoredHost, { id, rank }: Place, { outcome, was = NEVER_TRIED }: { outcome: Outcome; was?: RequestState }): void {
    const { kind, fetched } = outcome
    const thrown = kind === 'failed' ? outcome.failure?.handlerError : undefined
    const reason = kind === 'failed' || kind === 'retry' ? this.#reasons.idOf(outcome.reason) : null
    const error = thrown === undefined ? null : this.#errors.idOf(thrown, fetched?.at)
    if (kind === 'retry') host.retried++
    this.change(host, { id, rank }, was, attempted(was, { outcome, run: this.#totals.run, reason, error }))
  }

  /** An operator dropped a request, which is in no span any more. */
  drop(host: StoredHost, was: StoredRequest, reason: string): void {
    this.change(host, was, was, dropped(was, this.#reasons.idOf(reason)))
  }

  /** Writes down what a request is from now on: where it waits, and what it counts as. */
  change(host: StoredHost, place: Place, was: RequestState, now: RequestState): void {
    const { id } = place
    const { state, attempts, free_attempts, run } = now
    const sent = [rounded(now.fetched_at), now.status, rounded(now.duration_ms), rounded(now.wire_bytes)]
    this.#attempt.run(id, state, attempts, free_attempts, ...sent, run)
    if (now.visits !== null) this.#visited.run(id, ...roundsOf(now))
    const { reason, blame, target, error } = now
    if (reason !== was.reason || blame !== was.blame || target !== was.target || error !== was.error) {
      if ((reason ?? target) === null) this.#clear.run(id)
      else this.#trouble.run(id, reason, blame, target, error)
    }
    if (was.not_before !== null) this.#queue.undelay(host, id)
    if (now.not_before !== null) this.#queue.delay(host, place, Math.ceil(now.not_before))
    this.#count(host, was, -1)
    this.#count(host, now, 1)
  }

  #count(host: StoredHost, request: RequestState, one: 1 | -1): void {
    const state = STATES[request.state]
    if (state === undefined || state === 'waiting') return
    host[state] += one
    this.#totals.count(state, one)
    if (request.state === FAILED && request.reason !== null) this.#countReason.run(one, request.reason)
    if (!isAgain(request)) return
    host.again += one
    this.#totals.count('again', one)
  }
}

function roundsOf(now: RequestState): readonly unknown[] {
  const { visits, skipped, etag, last_modified, body_hash, missing, asked_by, page_visit } = now
  const asked = now.asked_at === null ? null : Math.ceil(now.asked_at)
  const seen = [etag, last_modified, body_hash, missing, rounded(now.missing_since)]
  return [visits, Math.ceil(now.due_at), skipped, ...seen, asked, asked_by, rounded(now.page_at), page_visit]
}

function rounded(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}
