// What became of requests: state, attempts, history, reasons. A row for each request that was ever tried.
import type { Cut, Outcome } from '@avocet/core'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import { CUT, STATES } from '../file/schema.ts'
import type { HostRow } from '../queue/host-table.ts'
import { withCut, withoutCut } from '../queue/kept-cut.ts'
import { cutOf } from '../queue/request-table.ts'
import { WordTable } from '../queue/word-table.ts'
import { PUT_BACK } from './put-back-reason.ts'
import type { Totals } from './totals.ts'
import type { VisitTable } from './visit-table.ts'

/** Where a request waited before its turn: in a span if it was never tried; nowhere when another process has taken it out since. */
export type Whence = 'span' | 'delayed' | 'nowhere'

interface SaidRow {
  readonly blame: string | null
  readonly target: string | null
  readonly word: string | null
}

/** Outcomes of one connection. */
export class OutcomeTable {
  readonly #totals: Totals
  readonly #reasons: WordTable
  readonly #attempt: Statement
  readonly #trouble: Statement
  readonly #delay: Statement
  readonly #uncut: Statement
  readonly #said: Statement<SaidRow>
  readonly #countReason: Statement
  readonly #state: Statement<number>
  readonly #isReread: Statement<number>
  readonly #leaveDone: Statement
  readonly #visits: VisitTable
  readonly #reopen: Statement
  readonly #renew: Statement
  readonly #forgive: Statement<number>
  readonly #forget: Statement<number>
  readonly #uncountReason: Statement

  constructor(db: Database, parts: { totals: Totals; visits: VisitTable; writer: Writer }) {
    const { totals, visits, writer } = parts
    this.#totals = totals
    this.#visits = visits
    this.#reasons = new WordTable(db, 'reason', writer)
    this.#attempt = db.prepare(
      `INSERT INTO attempt (id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = excluded.state,
       attempts = attempts + excluded.attempts, free_attempts = free_attempts + excluded.free_attempts,
       first_at = iif(excluded.fetched_at IS NULL, first_at, coalesce(first_at, fetched_at)),
       fetched_at = coalesce(excluded.fetched_at, fetched_at), status = coalesce(excluded.status, status),
       duration_ms = coalesce(excluded.duration_ms, duration_ms), wire_bytes = coalesce(excluded.wire_bytes, wire_bytes)`,
    )
    this.#trouble = db.prepare('INSERT OR REPLACE INTO trouble (id, reason, blame, target) VALUES (?, ?, ?, ?)')
    this.#delay = db.prepare(PUT_BACK)
    this.#uncut = db.prepare(`DELETE FROM trouble WHERE id = ? AND (blame = '${CUT}' OR target IS NOT NULL)`)
    this.#said = db.prepare(
      'SELECT t.blame, t.target, y.word FROM trouble t LEFT JOIN reason y ON y.id = t.reason WHERE t.id = ?',
    )
    this.#countReason = db.prepare('UPDATE reason SET failed = failed + 1 WHERE id = ?')
    this.#reopen = db.prepare('UPDATE attempt SET state = 0, attempts = 0, free_attempts = 0 WHERE id = ?')
    this.#renew = db.prepare('UPDATE attempt SET attempts = 0, free_attempts = 0 WHERE id = ?')
    this.#forget = db.prepare<unknown[], number>('DELETE FROM trouble WHERE id = ? RETURNING reason').pluck()
    this.#forgive = db.prepare<unknown[], number>('UPDATE trouble SET blame = NULL WHERE id = ? RETURNING reason').pluck()
    this.#uncountReason = db.prepare('UPDATE reason SET failed = failed - 1 WHERE id = ?')
    this.#isReread = db
      .prepare<unknown[], number>(
        `SELECT 1 FROM attempt a JOIN trouble t ON t.id = a.id WHERE a.id = ? AND a.state = 0 AND t.blame = '${CUT}'`,
      )
      .pluck()
    this.#leaveDone = db.prepare('UPDATE attempt SET state = 1 WHERE id = ?')
    this.#state = db.prepare<unknown[], number>('SELECT state FROM attempt WHERE id = ?').pluck()
  }

  /** Whether a request is settled. */
  isSettled(id: number): boolean {
    return (this.#state.get(id) ?? 0) > 0
  }

  /** Whether a page is done, and waits to be read again for its links alone. */
  isReread(id: number): boolean {
    return this.#isReread.get(id) !== undefined
  }

  /** Counts a page that is read again as what it is: done, and its links wait on. Returns when its next visit is due, if it has one (epoch ms). */
  leaveDone(host: HostRow, id: number): number | undefined {
    this.#leaveDone.run(id)
    host.done++
    this.#totals.count('done', 1)
    const dueAt = this.#visits.dueAt(id)
    if (dueAt !== undefined) this.countAgain(host, 1)
    return dueAt
  }

  /**
   * Writes down the outcome of one attempt, and counts it. An attempt counts when something was fetched, or when it says so.
   *
   * A request that was never tried has no state; any other may be settled already, and due again.
   */
  record(host: HostRow, id: number, { outcome, from }: { outcome: Outcome; from: Whence }): void {
    const before = from === 'span' ? 0 : (this.#state.get(id) ?? 0)
    const wasAgain = before > 0 && from === 'delayed' ? 1 : 0
    if (outcome.kind === 'retry') {
      this.#putBack(host, id, { outcome, before })
      return this.countAgain(host, (before > 0 ? 1 : 0) - wasAgain)
    }
    // What is not there says nothing of the links that it had.
    const cut = outcome.kind === 'done' || from === 'span' ? undefined : this.#cutOf(id)
    this.#uncount(host, id, before)
    this.#attempted(id, STATES.indexOf(outcome.kind), outcome)
    if (outcome.kind === 'moved') this.#trouble.run(id, null, null, withCut(outcome.target, cut))
    host[outcome.kind]++
    this.#totals.count(outcome.kind, 1)
    if (outcome.kind === 'failed') this.#fail(id, outcome, cut)
    if (outcome.kind === 'done' && outcome.cut) this.#cut(id, outcome.cut)
    else if (outcome.kind === 'done' && from !== 'span') this.#uncut.run(id)
    const { again } = outcome
    if (from !== 'span' || again !== undefined) this.#visits.settled(id, again)
    if (again !== undefined) this.#renew.run(id)
    this.countAgain(host, (again === undefined ? 0 : 1) - wasAgain)
  }

  /** Takes back that a request failed or moved, or that a page was done: where its links were cut stays. */
  reopen(host: HostRow, id: number, was: 'failed' | 'moved' | 'done'): void {
    this.#reopen.run(id)
    if (was === 'failed') this.#uncountReason.run(this.#forgive.get(id) ?? null)
    host[was]--
    this.#totals.count(was, -1)
  }

  /** The attempts of a request's next visit begin. */
  renew(id: number): void {
    this.#renew.run(id)
  }

  /** Settled requests of the host that are due again became so many more. */
  countAgain(host: HostRow, more: number): void {
    if (more === 0) return
    host.again += more
    this.#totals.count('again', more)
  }

  #attempted(id: number, state: number, { kind, fetched, ...outcome }: Outcome): void {
    const isFree = kind === 'retry' && 'counted' in outcome && !outcome.counted
    const isCounted = kind === 'retry' ? !isFree : fetched !== undefined
    const history = fetched && [fetched.at, fetched.status, fetched.durationMs, fetched.wireBytes].map(Math.round)
    this.#attempt.run(id, state, isCounted ? 1 : 0, isFree ? 1 : 0, ...(history ?? [null, null, null, null]))
  }

  /** What was settled before stays what it was, and what is read again knows what for. */
  #putBack(host: HostRow, id: number, { outcome, before }: { outcome: Outcome & { kind: 'retry' }; before: number }): void {
    host.retried++
    this.#attempted(id, before, outcome)
    if (before === 0) this.#delay.run(id, this.#reasons.idOf(outcome.reason), outcome.reason)
  }

  /** What it was before does not count any more. */
  #uncount(host: HostRow, id: number, before: number): void {
    const state = STATES[before]
    if (state === undefined || state === 'waiting') return
    const reason = this.#forget.get(id)
    if (state === 'failed') this.#uncountReason.run(reason ?? null)
    host[state]--
    this.#totals.count(state, -1)
  }

  #cut(id: number, { for: reason, of, left }: Cut): void {
    this.#trouble.run(id, this.#reasons.idOf(reason), CUT, `${of} ${left}`)
  }

  /** Where its links were cut when it was last there. */
  #cutOf(id: number): Cut | undefined {
    const said = this.#said.get(id)
    return said?.blame === CUT ? cutOf(said.word, said.target) : withoutCut(said?.target ?? null).cut
  }

  #fail(id: number, { reason, failure }: Outcome & { kind: 'failed' }, cut: Cut | undefined): void {
    const reasonId = this.#reasons.idOf(reason)
    this.#trouble.run(id, reasonId, failure?.blame ?? null, withCut('', cut))
    this.#countReason.run(reasonId)
  }
}
