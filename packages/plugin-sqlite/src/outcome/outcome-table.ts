// What became of requests: state, attempts, history, reasons. A row for each request that was ever tried.
import type { Failure } from '@avocet/core/plugin'
import { pageAtOf, type Outcome } from '@avocet/core/store'
import { STATES } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import type { StoredHost } from '../queue/host-table.ts'
import { WordTable } from '../queue/request-table.ts'
import type { CrawlTotals } from './crawl-totals.ts'
import { HandlerErrorTable } from './handler-error-table.ts'
import type { RecrawlTable } from './recrawl-table.ts'

/** Where a request waited before this outcome: in a span if it was never tried; `nowhere` when another process has taken it out since. */
export type Whence = 'span' | 'delayed' | 'nowhere'

/** An outcome that settles, as far as the tables have it. `fetched`: where its history is not known yet. */
export type Replacement = { readonly fetched?: Outcome['fetched'] } & (
  | { readonly kind: 'done' }
  | { readonly kind: 'moved'; readonly target: string }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly failure?: Partial<Pick<Failure, 'blame' | 'handlerError'>> | undefined
    }
)

/** An attempt. */
interface Attempted {
  readonly outcome: Outcome | Replacement
  /** Not a drop. */
  readonly isVisit: boolean
}

/** What is settled. */
interface Settling extends Attempted {
  readonly outcome: Replacement
  /** Its state. */
  readonly before: number
}

/** Outcomes of one connection. */
export class OutcomeTable {
  readonly #totals: CrawlTotals
  readonly #reasons: WordTable
  readonly #errors: HandlerErrorTable
  readonly #attempt: Statement
  readonly #trouble: Statement
  readonly #countReason: Statement
  readonly #state: Statement<number>
  readonly #recrawls: RecrawlTable
  readonly #reopen: Statement
  readonly #renew: Statement
  readonly #forgive: Statement<number>
  readonly #forget: Statement<number>
  readonly #uncountReason: Statement

  constructor(db: Database, parts: { totals: CrawlTotals; recrawls: RecrawlTable; writer: Writer }) {
    const { totals, recrawls, writer } = parts
    this.#totals = totals
    this.#recrawls = recrawls
    this.#reasons = new WordTable(db, 'reason', writer)
    this.#errors = new HandlerErrorTable(db)
    this.#attempt = db.prepare(
      `INSERT INTO attempt (id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, run)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, iif(?, (SELECT run FROM crawl), NULL)) ON CONFLICT (id) DO UPDATE SET state = excluded.state,
       attempts = attempts + excluded.attempts, free_attempts = free_attempts + excluded.free_attempts,
       fetched_at = coalesce(excluded.fetched_at, fetched_at), status = coalesce(excluded.status, status),
       duration_ms = coalesce(excluded.duration_ms, duration_ms), wire_bytes = coalesce(excluded.wire_bytes, wire_bytes),
       run = coalesce(excluded.run, run)`,
    )
    this.#trouble = db.prepare('INSERT OR REPLACE INTO trouble (id, reason, blame, target, error) VALUES (?, ?, ?, ?, ?)')
    this.#countReason = db.prepare('UPDATE reason SET failed = failed + 1 WHERE id = ?')
    this.#reopen = db.prepare('UPDATE attempt SET state = 0, attempts = 0, free_attempts = 0 WHERE id = ?')
    this.#renew = db.prepare('UPDATE attempt SET attempts = 0, free_attempts = 0 WHERE id = ?')
    this.#forget = db.prepare<unknown[], number>('DELETE FROM trouble WHERE id = ? RETURNING reason').pluck()
    this.#forgive = db
      .prepare<unknown[], number>('UPDATE trouble SET blame = NULL, error = NULL WHERE id = ? RETURNING reason')
      .pluck()
    this.#uncountReason = db.prepare('UPDATE reason SET failed = failed - 1 WHERE id = ?')
    this.#state = db.prepare<unknown[], number>('SELECT state FROM attempt WHERE id = ?').pluck()
  }

  /** Whether a request is settled. */
  isSettled(id: number): boolean {
    return (this.#state.get(id) ?? 0) > 0
  }

  /**
   * Writes down the outcome of one attempt, and counts it. An attempt counts when something was fetched, or when it says so.
   *
   * A request that was never tried has no state; any other may be settled already, and due again.
   */
  record(host: StoredHost, id: number, { outcome, from }: { outcome: Outcome; from: Whence }): void {
    const before = from === 'span' ? 0 : (this.#state.get(id) ?? 0)
    const wasAgain = before > 0 && from === 'delayed' ? 1 : 0
    if (outcome.kind === 'retry') {
      this.#putBack(host, id, { outcome, before })
      return this.countAgain(host, (before > 0 ? 1 : 0) - wasAgain)
    }
    this.#settle(host, id, { outcome, before, isVisit: true })
    const { again } = outcome
    if (from !== 'span' || again !== undefined) this.#recrawls.finish(id, again, pageAtOf(outcome))
    if (outcome.kind !== 'done' && outcome.gone) this.#recrawls.leave(id, outcome.fetched?.at ?? 0)
    if (again !== undefined) this.#renew.run(id)
    this.countAgain(host, (again === undefined ? 0 : 1) - wasAgain)
  }

  /** Writes down that an operator dropped it, in place of what the request was. That is no visit: its recrawls stay as they are. */
  replace(host: StoredHost, id: number, outcome: Replacement): void {
    this.#settle(host, id, { outcome, before: this.#state.get(id) ?? 0, isVisit: false })
    this.#recrawls.forgive(id)
  }

  #settle(host: StoredHost, id: number, { outcome, before, isVisit }: Settling): void {
    this.#uncount(host, id, before)
    this.#attempted(id, STATES.indexOf(outcome.kind), { outcome, isVisit })
    if (outcome.kind === 'moved') this.#trouble.run(id, null, null, outcome.target, null)
    host[outcome.kind]++
    this.#totals.count(outcome.kind, 1)
    if (outcome.kind === 'failed') this.#fail(id, outcome)
  }

  /** Takes back that a request failed. */
  reopen(host: StoredHost, id: number): void {
    this.#reopen.run(id)
    this.#uncountReason.run(this.#forgive.get(id) ?? null)
    this.#recrawls.forgive(id)
    host.failed--
    this.#totals.count('failed', -1)
  }

  /** The attempts of a request's next round begin. */
  renew(id: number): void {
    this.#renew.run(id)
  }

  /** Settled requests of the host that are due again became so many more. */
  countAgain(host: StoredHost, more: number): void {
    if (more === 0) return
    host.again += more
    this.#totals.count('again', more)
  }

  #attempted(id: number, state: number, { outcome: { kind, fetched, ...outcome }, isVisit }: Attempted): void {
    const isFree = kind === 'retry' && 'counted' in outcome && !outcome.counted
    const isCounted = kind === 'retry' ? !isFree : fetched !== undefined
    const history = fetched && [fetched.at, fetched.status, fetched.durationMs, fetched.wireBytes].map(Math.round)
    this.#attempt.run(id, state, isCounted ? 1 : 0, isFree ? 1 : 0, ...(history ?? [null, null, null, null]), isVisit ? 1 : 0)
  }

  /** What was settled before stays what it was. */
  #putBack(host: StoredHost, id: number, { outcome, before }: { outcome: Outcome & { kind: 'retry' }; before: number }): void {
    host.retried++
    this.#attempted(id, before, { outcome, isVisit: false })
    if (before === 0) this.#trouble.run(id, this.#reasons.idOf(outcome.reason), null, null, null)
  }

  /** What it was before does not count any more. */
  #uncount(host: StoredHost, id: number, before: number): void {
    const state = STATES[before]
    if (state === undefined || state === 'waiting') return
    const reason = this.#forget.get(id)
    if (state === 'failed') this.#uncountReason.run(reason ?? null)
    host[state]--
    this.#totals.count(state, -1)
  }

  #fail(id: number, { reason, failure, fetched }: Replacement & { kind: 'failed' }): void {
    const reasonId = this.#reasons.idOf(reason)
    const error = failure?.handlerError && this.#errors.idOf(failure.handlerError, fetched?.at)
    this.#trouble.run(id, reasonId, failure?.blame ?? null, null, error ?? null)
    this.#countReason.run(reasonId)
  }
}
