// What became of requests: state, attempts, history, reasons. A row for each request that was ever tried.
import type { Outcome } from '@avocet/core'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import { STATES } from '../file/schema.ts'
import type { HostRow } from '../queue/host-table.ts'
import { WordTable } from '../queue/word-table.ts'
import type { Totals } from './totals.ts'

/** Outcomes of one connection. */
export class OutcomeTable {
  readonly #totals: Totals
  readonly #reasons: WordTable
  readonly #attempt: Statement
  readonly #trouble: Statement
  readonly #countReason: Statement
  readonly #state: Statement<number>
  readonly #reopen: Statement
  readonly #forgive: Statement<number>
  readonly #uncountReason: Statement

  constructor(db: Database, totals: Totals, writer: Writer) {
    this.#totals = totals
    this.#reasons = new WordTable(db, 'reason', writer)
    this.#attempt = db.prepare(
      `INSERT INTO attempt (id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state,
       attempts = attempts + excluded.attempts, free_attempts = free_attempts + excluded.free_attempts,
       fetched_at = coalesce(excluded.fetched_at, fetched_at), status = coalesce(excluded.status, status),
       duration_ms = coalesce(excluded.duration_ms, duration_ms), wire_bytes = coalesce(excluded.wire_bytes, wire_bytes)`,
    )
    this.#trouble = db.prepare('INSERT OR REPLACE INTO trouble (id, reason, blame, target) VALUES (?, ?, ?, ?)')
    this.#countReason = db.prepare('UPDATE reason SET failed = failed + 1 WHERE id = ?')
    this.#reopen = db.prepare('UPDATE attempt SET state = 0, attempts = 0, free_attempts = 0 WHERE id = ?')
    this.#forgive = db.prepare<unknown[], number>('UPDATE trouble SET blame = NULL WHERE id = ? RETURNING reason').pluck()
    this.#uncountReason = db.prepare('UPDATE reason SET failed = failed - 1 WHERE id = ?')
    this.#state = db.prepare<unknown[], number>('SELECT state FROM attempt WHERE id = ?').pluck()
  }

  /** Whether a request is settled. */
  isSettled(id: number): boolean {
    return (this.#state.get(id) ?? 0) > 0
  }

  /** Writes down the outcome of one attempt, and counts it. An attempt counts when something was fetched, or when it says so. */
  record(host: HostRow, id: number, outcome: Outcome): void {
    const { kind, fetched } = outcome
    const counted = kind === 'retry' ? outcome.counted : fetched !== undefined
    const free = kind === 'retry' && !outcome.counted
    const history = fetched && [fetched.at, fetched.status, fetched.durationMs, fetched.wireBytes].map(Math.round)
    const state = STATES.indexOf(kind === 'retry' ? 'waiting' : kind)
    this.#attempt.run(id, state, counted ? 1 : 0, free ? 1 : 0, ...(history ?? [null, null, null, null]))
    if (kind === 'moved') this.#trouble.run(id, null, null, outcome.target)
    if (kind === 'retry') {
      host.retried++
      this.#trouble.run(id, this.#reasons.idOf(outcome.reason), null, null)
      return
    }
    host[kind]++
    this.#totals.count(kind, 1)
    if (kind === 'failed') this.#fail(id, outcome)
  }

  /** Takes back that a request failed. */
  reopen(host: HostRow, id: number): void {
    this.#reopen.run(id)
    this.#uncountReason.run(this.#forgive.get(id) ?? null)
    host.failed--
    this.#totals.count('failed', -1)
  }

  #fail(id: number, { reason, failure }: Outcome & { kind: 'failed' }): void {
    const reasonId = this.#reasons.idOf(reason)
    this.#trouble.run(id, reasonId, failure?.blame ?? null, null)
    this.#countReason.run(reasonId)
  }
}
