// One transaction after the other: begin, work, commit, and only then what RAM may believe.
//
// BEGIN IMMEDIATE only: a transaction that reads first and writes later fails at once when another process wrote between (SQLITE_BUSY_SNAPSHOT),
// regardless of the timeout. When another process has the lock this one waits on its clock, so the loop stays free; SQLite itself does not wait: with 5 ms
// each of two processes on one file stood still for a twentieth of the time. What other processes of the same
// crawl need is over after some ms; what lasts longer is another program's, and is reported as AVO_FRONTIER_BUSY. What is queued behind the call that waited is
// rejected with it: none of it was done, and it can be called again in the same order.
// Leases, releases and heartbeats are written without a sync of their own ('soon'): the next commit syncs them too, and if the power goes
// before that, no process is left to hold a host; those that are queued side by side share a transaction. Everything else is synced before its promise resolves
// ('now'), as far as the store promises that. What files outside the store depend on is always synced ('surely').
// What only reads has one savepoint around it, which is a transaction that never asks for the write lock: without it each statement would lock and look
// whether another process has committed, and read its pages anew if so.
import type { AvocetError } from '@avocet/core'
import { sleepUntil, type Clock } from '@avocet/core/store'
import type { Synchronous } from './connect.ts'
import type { Database, Statement } from './driver.ts'
import type { FileWatch } from './file-watch.ts'
import { isBusy, storeError } from './store-error.ts'

/** How long the last write waits for a lock: nobody would try it again. */
const LAST_PATIENCE_MS = 30_000
const FIRST_PAUSE_MS = 2
/** Another process that writes back to back frees the lock for a few ms at a time: with 200 ms, four that offered long lists of seeds kept each other out. */
const LONGEST_PAUSE_MS = 8
/** Calls in one transaction, at most. */
const MAX_SHARED = 64

/** How a transaction is synced; undefined: as the store promises. */
const LEVELS = { now: undefined, soon: 'normal', surely: 'full' } as const

/** Where the writer writes. */
export interface WriterParts {
  readonly db: Database
  readonly path: string
  readonly clock: Clock
  readonly watch: FileWatch
  readonly synchronous: Synchronous
  /** How long a call waits for a lock that another process has. */
  readonly lockPatienceMs: number
}

/** The only one that begins transactions on a connection. */
export class Writer {
  readonly #db: Database
  readonly #path: string
  readonly #clock: Clock
  readonly #watch: FileWatch
  readonly #synchronous: Synchronous
  readonly #lockPatienceMs: number
  readonly #begin: Statement
  readonly #commit: Statement
  readonly #rollback: Statement
  readonly #beginLook: Statement
  readonly #endLook: Statement
  readonly #rolledBack: (() => void)[] = []
  #level: Synchronous
  #committed: (() => void)[] = []
  /** Calls run in the order in which they were made: an older memory must not overwrite a newer one. */
  #last: Promise<unknown> = Promise.resolve()
  /** The transaction at the end of the line, while others may share it. */
  #shared: { readonly works: (() => unknown)[]; readonly results: Promise<readonly unknown[]> } | undefined
  #enqueued = 0
  /** The lock outlasted the patience: calls up to this one fail with it. */
  #rejected: { readonly upTo: number; readonly error: AvocetError } | undefined

  constructor({ db, path, clock, watch, synchronous, lockPatienceMs }: WriterParts) {
    this.#db = db
    this.#path = path
    this.#clock = clock
    this.#watch = watch
    this.#synchronous = synchronous
    this.#lockPatienceMs = lockPatienceMs
    this.#level = synchronous
    db.pragma('busy_timeout = 0')
    this.#begin = db.prepare('BEGIN IMMEDIATE')
    this.#commit = db.prepare('COMMIT')
    this.#rollback = db.prepare('ROLLBACK')
    this.#beginLook = db.prepare('SAVEPOINT look')
    this.#endLook = db.prepare('RELEASE look')
  }

  /** Runs `work` in a transaction of its own, after all earlier ones. `work` may run more than once. */
  write<T>(sync: 'now' | 'soon' | 'surely', work: () => T): Promise<T> {
    if (sync === 'soon') return this.#share(work)
    return this.#enqueue(sync, work)
  }

  /** Like `write`, for the last one: it waits longer for a lock, unless the one before was rejected, for that one has waited already. */
  writeLast(work: () => void): Promise<void> {
    return this.#enqueue('now', work, LAST_PATIENCE_MS)
  }

  #share<T>(work: () => T): Promise<T> {
    if (this.#shared === undefined || this.#shared.works.length >= MAX_SHARED) this.#shared = this.#sharing()
    const { works, results } = this.#shared
    const place = works.push(work) - 1
    return results.then((all) => all[place] as T)
  }

  #sharing(): { works: (() => unknown)[]; results: Promise<readonly unknown[]> } {
    const works: (() => unknown)[] = []
    const results = this.#enqueue('soon', () => {
      if (this.#shared?.works === works) this.#shared = undefined
      return works.map((work) => work())
    })
    return { works, results }
  }

  #enqueue<T>(sync: keyof typeof LEVELS, work: () => T, patienceMs = 0): Promise<T> {
    this.#shared = undefined
    const place = ++this.#enqueued
    const level = LEVELS[sync] ?? this.#synchronous
    const call = this.#last.then(() => this.#persist(work, { level, place, patienceMs }))
    this.#last = call.catch(() => {})
    return call
  }

  /** Runs `work`, which only reads, after all earlier writes; it sees the store as of one moment. */
  look<T>(work: () => T): Promise<T> {
    this.#shared = undefined
    return this.#last.then(() => {
      try {
        this.#beginLook.run()
        return work()
      } catch (thrown) {
        throw storeError(thrown, this.#path)
      } finally {
        if (this.#db.inTransaction) this.#endLook.run()
      }
    })
  }

  /** For use inside `work`: what to do once it is committed, and not at all if it is not. */
  whenCommitted(then: () => void): void {
    this.#committed.push(then)
  }

  /** What to do after each transaction that came to nothing. */
  whenRolledBack(then: () => void): void {
    this.#rolledBack.push(then)
  }

  async #persist<T>(
    work: () => T,
    { level, place, patienceMs }: { level: Synchronous; place: number; patienceMs: number },
  ): Promise<T> {
    const { error, upTo = 0 } = this.#rejected ?? {}
    if (error !== undefined && place <= upTo) throw error
    const giveUpAt = this.#clock.now() + (error === undefined ? Math.max(patienceMs, this.#lockPatienceMs) : this.#lockPatienceMs)
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        this.#watch.assertThere()
        const result = this.#transact(level, work)
        this.#rejected = undefined
        return result
      } catch (thrown) {
        if (!isBusy(thrown)) throw this.#failed(thrown)
        if (this.#clock.now() + pauseMs > giveUpAt) throw this.#rejectQueued(thrown)
      }
      await sleepUntil(this.#clock, this.#clock.now() + pauseMs)
    }
  }

  /** All calls that are queued now fail with this. */
  #rejectQueued(thrown: unknown): AvocetError {
    const error = this.#failed(thrown)
    this.#rejected = { upTo: this.#enqueued, error }
    return error
  }

  /** Nobody joins a transaction that did not begin. */
  #failed(thrown: unknown): AvocetError {
    this.#shared = undefined
    return storeError(thrown, this.#path)
  }

  #transact<T>(level: Synchronous, work: () => T): T {
    if (level !== this.#level) this.#db.exec(`PRAGMA synchronous = ${level}`)
    this.#level = level
    this.#committed = []
    this.#begin.run()
    let result: T
    try {
      result = work()
      this.#commit.run()
    } catch (thrown) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (this.#db.inTransaction) this.#rollback.run()
      for (const then of this.#rolledBack) then()
      throw thrown
    }
    for (const then of this.#committed) then()
    return result
  }
}
