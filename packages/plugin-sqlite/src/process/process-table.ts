// The processes that have this store open.
//
// A row says who (core's `ProcessIdentity`) and when it was last heard of. Several stores may be open in one process, so that each row of
// this very process and thread is looked up in a set kept beside: a store that was dropped without being closed counts as dead.
//
// Wall clocks of processes may differ: one goes on by its own time after the machine's clock was set back, one that starts later does not. So all that
// is compared here is by clocks that they share: silence by the monotonic clock of the machine, all else by the crawl's time. That is the time of the
// process that has the store open longest: each writes down with every beat what it shows (`crawl_at`), and the others go by the first of those that beat.
// Rejected: the latest time of all, for one wrong clock would end every wait in the store.
import { statSync } from 'node:fs'
import type { CrawlingProcess } from '@avocet/core/store'
import { isAlive, thisProcess, type ProcessIdentity } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'

/** Silence after which a process that cannot be asked about counts as dead. */
const SILENT_MS = 60_000

interface ProcessRow extends ProcessIdentity {
  readonly id: number
  /** Ms of the machine's monotonic clock. */
  readonly heartbeat: number
  /** Epoch ms of the crawl's time. */
  readonly crawl_at: number
}

/** One moment by two clocks. */
export interface Moment {
  /** Epoch ms of the crawl's time. */
  readonly now: number
  /** Ms of the monotonic clock of the machine. */
  readonly monotonic: number
}

/** Stores that are open here, as `file/process id`. */
const OPEN_HERE = new Set<string>()

/** The processes, as one connection sees them. */
export class ProcessTable {
  readonly #me: ProcessIdentity = thisProcess()
  readonly #db: Database
  readonly #file: string
  readonly #all: Statement<ProcessRow>
  readonly #hasOthers: Statement<number>
  readonly #beat: Statement
  readonly #idle: Statement<number>
  #id = 0

  constructor(db: Database, path: string) {
    this.#db = db
    this.#file = fileKey(path)
    this.#all = db.prepare<unknown[], ProcessRow>('SELECT * FROM process ORDER BY id')
    this.#hasOthers = db.prepare<unknown[], number>('SELECT 1 FROM process WHERE id <> ? LIMIT 1').pluck()
    this.#beat = db.prepare('UPDATE process SET heartbeat = ?, crawl_at = ? WHERE id = ?')
    this.#idle = db
      .prepare<unknown[], number>('SELECT id FROM process WHERE id <> ? AND hungry_at > 0 AND hungry_at BETWEEN ? AND ?')
      .pluck()
  }

  /** Id of this process; 0 before `register`. Never given to another. */
  get id(): number {
    return this.#id
  }

  /** Whether any other process is registered, alive or not. */
  get hasOthers(): boolean {
    return this.#hasOthers.get(this.#id) !== undefined
  }

  register({ now, monotonic }: Moment): void {
    this.#id = this.#insert(null, [Math.round(monotonic), Math.round(now)])
    OPEN_HERE.add(`${this.#file}/${this.#id}`)
  }

  /** Says that this process lives; true when another had taken it for dead, and it is back. */
  beat({ now, monotonic }: Moment): boolean {
    const moments = [Math.round(monotonic), Math.round(now)]
    if (this.#id === 0 || this.#beat.run(...moments, this.#id).changes > 0) return false
    this.#insert(this.#id, moments)
    return true
  }

  /** Returns its id; null: a new one. */
  #insert(id: number | null, moments: readonly number[]): number {
    const { boot, namespace, pid, thread, started } = this.#me
    const insert = this.#db.prepare(
      'INSERT INTO process (id, boot, namespace, pid, thread, started, heartbeat, crawl_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
    return Number(insert.run(id, boot, namespace, pid, thread, started, ...moments).lastInsertRowid)
  }

  /** The crawl's time at `monotonic`, as the process has it that has the store open longest of those that live; undefined when there is none. */
  crawlTimeAmong(alive: ReadonlySet<number>, monotonic: number): number | undefined {
    const first = this.#all.all().find(({ id, crawl_at }) => alive.has(id) && crawl_at > 0)
    return first && timeOf(first, monotonic)
  }

  /** Says that this process has nothing to do while others hold hosts. */
  sayIdle(now: number): void {
    this.#db.prepare('UPDATE process SET hungry_at = ? WHERE id = ?').run(Math.round(now), this.#id)
  }

  /** Ids of other processes that said so within `withinMs` of `now`. */
  idleOthers(now: number, withinMs: number): number[] {
    return this.#idle.all(this.#id, now - withinMs, now + withinMs)
  }

  /** Ids of processes, this one aside, that live or that do not. */
  others(monotonic: number): { alive: Set<number>; dead: number[] } {
    const alive = new Set<number>()
    const dead: number[] = []
    for (const row of this.#all.all()) {
      if (row.id === this.#id) continue
      if (this.#lives(row, monotonic)) alive.add(row.id)
      else dead.push(row.id)
    }
    return { alive, dead }
  }

  /** Those that live, this one aside, by pid; `hostsOf`: how many hosts a process holds. */
  living(monotonic: number, hostsOf: (id: number) => number): CrawlingProcess[] {
    const rows = this.#all.all().filter((row) => row.id !== this.#id && this.#lives(row, monotonic))
    const found = rows.map(({ id, pid, heartbeat, boot }) => ({
      pid,
      hosts: hostsOf(id),
      ...(boot === this.#me.boot && { silentMs: Math.max(0, Math.round(monotonic - heartbeat)) }),
    }))
    return found.toSorted((a, b) => a.pid - b.pid)
  }

  delete(id: number): void {
    this.#db.prepare('DELETE FROM process WHERE id = ?').run(id)
  }

  /** Call when the connection is about to close. */
  forget(): void {
    OPEN_HERE.delete(`${this.#file}/${this.#id}`)
  }

  #lives(row: ProcessRow, monotonic: number): boolean {
    const isHere = row.pid === this.#me.pid && row.started === this.#me.started && row.thread === this.#me.thread
    if (isHere && row.boot === this.#me.boot && row.namespace === this.#me.namespace)
      return OPEN_HERE.has(`${this.#file}/${row.id}`)
    // A beat from before the machine was started is in the future, or far in the past.
    return isAlive(row, this.#me, Math.abs(monotonic - row.heartbeat) >= SILENT_MS)
  }
}

function timeOf({ crawl_at, heartbeat }: ProcessRow, monotonic: number): number {
  return crawl_at + monotonic - heartbeat
}

/** Names the file itself, the same for every path to it. */
function fileKey(path: string): string {
  if (path === ':memory:') return String(OPEN_HERE.size)
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
