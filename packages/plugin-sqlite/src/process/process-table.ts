// The processes that have this store open.
//
// A row says who (process-identity.ts) and when it was last heard of. Several stores may be open in one process, so that each row of
// this very process and thread is looked up in a set kept beside: a store that was dropped without being closed counts as dead.
import { statSync } from 'node:fs'
import type { Database, Statement } from '../file/driver.ts'
import { isAlive, thisProcess, type ProcessIdentity } from './process-identity.ts'

interface ProcessRow extends ProcessIdentity {
  readonly id: number
  readonly heartbeat: number
}

/** Stores that are open here, as `file/process id`. */
const OPEN_HERE = new Set<string>()

/** The processes, as one connection sees them. */
export class ProcessTable {
  readonly #me: ProcessIdentity = thisProcess()
  readonly #file: string
  readonly #all: Statement<ProcessRow>
  readonly #hasOthers: Statement<number>
  readonly #insert: Statement
  readonly #beat: Statement
  readonly #comeBack: Statement
  readonly #sayHungry: Statement
  readonly #hungry: Statement<number>
  readonly #delete: Statement
  #id = 0

  constructor(db: Database, path: string) {
    this.#file = fileKey(path)
    this.#all = db.prepare<unknown[], ProcessRow>('SELECT * FROM process')
    this.#hasOthers = db.prepare<unknown[], number>('SELECT 1 FROM process WHERE id <> ? LIMIT 1').pluck()
    this.#insert = db.prepare('INSERT INTO process (boot, namespace, pid, thread, started, heartbeat) VALUES (?, ?, ?, ?, ?, ?)')
    this.#beat = db.prepare('UPDATE process SET heartbeat = max(heartbeat, ?) WHERE id = ?')
    this.#comeBack = db.prepare(
      'INSERT INTO process (id, boot, namespace, pid, thread, started, heartbeat) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#sayHungry = db.prepare('UPDATE process SET hungry_at = ? WHERE id = ?')
    this.#hungry = db
      .prepare<unknown[], number>('SELECT id FROM process WHERE id <> ? AND hungry_at > 0 AND hungry_at BETWEEN ? AND ?')
      .pluck()
    this.#delete = db.prepare('DELETE FROM process WHERE id = ?')
  }

  /** Id of this process; 0 before `register`. Never given to another. */
  get id(): number {
    return this.#id
  }

  /** Whether any other process is registered, alive or not. */
  get hasOthers(): boolean {
    return this.#hasOthers.get(this.#id) !== undefined
  }

  register(now: number): void {
    const { boot, namespace, pid, thread, started } = this.#me
    this.#id = Number(this.#insert.run(boot, namespace, pid, thread, started, Math.round(now)).lastInsertRowid)
    OPEN_HERE.add(`${this.#file}/${this.#id}`)
  }

  /** Says that this process lives; true when another had taken it for dead, and it is back. */
  beat(now: number): boolean {
    if (this.#id === 0 || this.#beat.run(Math.round(now), this.#id).changes > 0) return false
    const { boot, namespace, pid, thread, started } = this.#me
    this.#comeBack.run(this.#id, boot, namespace, pid, thread, started, Math.round(now))
    return true
  }

  /** Says that this process has nothing to do while others hold hosts. */
  sayHungry(now: number): void {
    this.#sayHungry.run(Math.round(now), this.#id)
  }

  /** Ids of other processes that said so within `withinMs` of `now`. */
  hungryOthers(now: number, withinMs: number): number[] {
    return this.#hungry.all(this.#id, now - withinMs, now + withinMs)
  }

  /** Ids of processes, this one aside, that live or that do not. */
  others(now: number): { alive: Set<number>; dead: number[] } {
    const alive = new Set<number>()
    const dead: number[] = []
    for (const row of this.#all.all()) {
      if (row.id === this.#id) continue
      if (this.#lives(row, now)) alive.add(row.id)
      else dead.push(row.id)
    }
    return { alive, dead }
  }

  delete(id: number): void {
    this.#delete.run(id)
  }

  /** Call when the connection is about to close. */
  forget(): void {
    OPEN_HERE.delete(`${this.#file}/${this.#id}`)
  }

  #lives(row: ProcessRow, now: number): boolean {
    const isHere = row.pid === this.#me.pid && row.started === this.#me.started && row.thread === this.#me.thread
    if (isHere && row.boot === this.#me.boot && row.namespace === this.#me.namespace)
      return OPEN_HERE.has(`${this.#file}/${row.id}`)
    return isAlive(row, this.#me, now - row.heartbeat)
  }
}

/** Names the file itself, whatever path leads to it. */
function fileKey(path: string): string {
  if (path === ':memory:') return String(OPEN_HERE.size)
  const { dev, ino } = statSync(path)
  return `${dev}:${ino}`
}
