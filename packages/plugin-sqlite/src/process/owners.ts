// What a process owns, its hosts and its pages in progress, and what becomes of them when the process dies.
//
// A page that was in progress when its process died (in-progress-file.ts) counts that death. After two it is suspected, and handled alone from then on. If the
// process dies again meanwhile, it is settled as failed('poison'), so that no page can kill a crawl for ever; a death that it shares with others never
// settles it, for one of them may have killed the process, or a signal from outside all of them. An outcome of any kind clears it.
import { requestLaws } from '@avocet/core/store'
import { dropInProgress, inProgressOf } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'
import type { HostTable } from '../queue/host-table.ts'
import type { WaitingQueue } from '../queue/waiting-queue.ts'
import type { OutcomeTable } from '../outcome/outcome-table.ts'
import type { ProcessTable } from './process-table.ts'
import type { DueHostIndex } from '../queue/due-host-index.ts'

interface Suspect {
  readonly id: number
  readonly host: number
  readonly rank: number
}

const { POISON, POISON_AFTER_RUNS, SUSPECTED_AFTER_RUNS } = requestLaws

const DIED = `INSERT INTO death (id, runs) VALUES (?, 1)
  ON CONFLICT DO UPDATE SET runs = runs + CASE WHEN ? OR runs < ${SUSPECTED_AFTER_RUNS} THEN 1 ELSE 0 END RETURNING runs`
const UNKNOWN =
  'SELECT DISTINCT owner FROM host WHERE owner IS NOT NULL AND NOT EXISTS (SELECT 1 FROM process WHERE process.id = host.owner)'

/** What recovering from the death of a process touches. */
export interface OwnersParts {
  readonly db: Database
  /** Of the store. */
  readonly path: string
  readonly writer: Writer
  readonly processes: ProcessTable
  readonly hosts: HostTable
  readonly queue: WaitingQueue
  readonly outcomes: OutcomeTable
}

/** Owned things of one store. */
export class Owners {
  readonly #parts: OwnersParts
  /** Requests with a death to their name; nearly always none. */
  readonly #suspects: Set<number>
  readonly #heldElsewhere: Statement<number>
  readonly #unknown: Statement<number>

  constructor(parts: OwnersParts) {
    const { db } = parts
    this.#parts = parts
    this.#suspects = new Set(db.prepare<unknown[], number>('SELECT id FROM death').pluck().all())
    this.#heldElsewhere = db
      .prepare<unknown[], number>('SELECT count(*) FROM host WHERE owner IS NOT NULL AND owner <> ? AND ready + delayed > 0')
      .pluck()
    this.#unknown = db.prepare<unknown[], number>(UNKNOWN).pluck()
  }

  /** Owners of hosts that are no processes: their hosts are free. */
  unknown(): number[] {
    return this.#unknown.all()
  }

  /** Says that a request has an outcome: it killed nobody. */
  clearSuspicion(id: number): void {
    if (this.#suspects.has(id)) this.#parts.db.prepare('DELETE FROM death WHERE id = ?').run(id)
  }

  /** Hosts with something waiting that other processes hold. */
  heldElsewhere(): number {
    return this.#heldElsewhere.get(this.#parts.processes.id) ?? 0
  }

  /**
   * Recovers what processes that are gone held: their hosts are free from now on; returns how many requests were quarantined. The caller saves hosts and
   * totals.
   */
  recover(dead: readonly number[]): number {
    return dead.reduce((quarantined, process) => quarantined + this.#recoverOne(process, 1), 0)
  }

  /** Gives back everything of this process. */
  leave(): void {
    this.#recoverOne(this.#parts.processes.id, 0)
  }

  #recoverOne(process: number, abandoned: 0 | 1): number {
    const { db, hosts, processes, path, writer } = this.#parts
    for (const hostId of db.prepare<unknown[], number>('SELECT id FROM host WHERE owner = ?').pluck().all(process)) {
      const host = hosts.get(hostId)
      if (host === undefined) continue
      host.owner = null
      host.abandoned = abandoned
    }
    const suspect = db.prepare<unknown[], Suspect>('SELECT id, host, rank FROM request WHERE id = ?')
    const suspects = abandoned === 1 ? inProgressOf(path, process).map((id) => suspect.get(id)) : []
    const wasAlone = suspects.length === 1
    const quarantined = suspects.filter((each) => each !== undefined && this.#accuse(each, wasAlone)).length
    processes.delete(process)
    writer.whenCommitted(() => dropInProgress(path, process))
    return quarantined
  }

  /** True when the suspect is given up. */
  #accuse({ id, host: hostId, rank }: Suspect, wasAlone: boolean): boolean {
    const { db, hosts, queue, outcomes } = this.#parts
    this.#suspects.add(id)
    const host = hosts.get(hostId)
    const runs =
      db
        .prepare<unknown[], number>(DIED)
        .pluck()
        .get(id, wasAlone ? 1 : 0) ?? 0
    if (host === undefined || runs < POISON_AFTER_RUNS) return false
    const was = outcomes.read(id)
    const isDelayed = was !== undefined && was.notBefore !== null
    // What is settled and does not wait has finished; what is due again has not.
    if (!isDelayed && was !== undefined && was.state !== 'waiting') return false
    if (!isDelayed) queue.leave(host, { id, rank })
    outcomes.record(host, { id, rank }, { outcome: POISON, ...(was && { was }) })
    this.clearSuspicion(id)
    return true
  }
}

// How many hosts a process should hold while others are idle: an equal share for itself and each process that said lately that it has none to work on.
//
// What counts is what these processes hold and what is due and free. A process that is busy with what it holds keeps it and is left out, so that no
// host waits for a process that would not take it. Shares are rounded up: nobody gives an odd host away.

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
