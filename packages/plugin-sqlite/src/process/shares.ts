// How many hosts a process should hold while others are idle: an equal share for itself and each process that said lately that it has none to work on.
//
// What counts is what these processes hold and what is due and free. A process that is busy with what it holds keeps it and is left out, so that no
// host waits for a process that would not take it. Shares are rounded up: nobody gives an odd host away.
import type { Database, Statement } from '../file/driver.ts'
import type { DueHostIndex } from '../queue/due-host-index.ts'
import type { ProcessTable } from './process-table.ts'

/** How long a process counts as idle after it said so; it says so every second. */
const IDLE_MS = 3_000

/** Shares in one store. */
export class Shares {
  readonly #processes: ProcessTable
  readonly #due: DueHostIndex
  readonly #held: Statement<number>

  constructor(db: Database, processes: ProcessTable, due: DueHostIndex) {
    this.#processes = processes
    this.#due = due
    this.#held = db
      .prepare<unknown[], number>('SELECT count(*) FROM host WHERE owner = +? AND ready + delayed > 0 AND retired_for IS NULL')
      .pluck()
  }

  /** The share of this process; undefined while no other is idle. */
  of(now: number): number | undefined {
    const idle = this.#processes.idleOthers(now, IDLE_MS)
    if (idle.length === 0) return undefined
    const sharing = [this.#processes.id, ...idle]
    const held = sharing.reduce((sum, id) => sum + (this.#held.get(id) ?? 0), 0)
    return Math.max(1, Math.ceil((held + this.#due.count(now)) / sharing.length))
  }
}
