// What a process owns, hosts and begun requests, and what becomes of it when the process dies.
//
// A request whose exchange has begun is marked in the next group commit and unmarked when it ends or its host is given back. A mark of
// a dead process is a suspicion: a page under suspicion in three dead runs is settled as failed('poison'), so that no page can kill a crawl
// for ever.
import type { Database, Statement } from '../file/driver.ts'
import type { HeldHost } from '../queue/held-host.ts'
import type { HostTable } from '../queue/host-table.ts'
import type { WaitingQueue } from '../queue/waiting-queue.ts'
import type { OutcomeTable } from '../turn/outcome-table.ts'
import type { ProcessTable } from './process-table.ts'

interface Suspect {
  readonly id: number
  readonly host: number
  readonly rank: number
}

const DEADLY_RUNS = 3

/** What the burial of a process touches. */
export interface OwnersParts {
  readonly db: Database
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
  readonly #mark: Statement
  readonly #unmark: Statement
  readonly #unmarkAll: Statement
  readonly #marked: Statement<Suspect>
  readonly #died: Statement<number>
  readonly #absolve: Statement
  readonly #owned: Statement<number>
  readonly #heldElsewhere: Statement<number>

  constructor(parts: OwnersParts) {
    const { db } = parts
    this.#parts = parts
    this.#suspects = new Set(db.prepare<unknown[], number>('SELECT id FROM death').pluck().all())
    this.#mark = db.prepare('INSERT OR REPLACE INTO started (id, process) VALUES (?, ?)')
    this.#unmark = db.prepare('DELETE FROM started WHERE id = ?')
    this.#unmarkAll = db.prepare('DELETE FROM started WHERE process = ?')
    this.#marked = db.prepare(
      'SELECT r.id, r.host, r.rank FROM started s JOIN request r ON r.id = s.id WHERE s.process = +? ORDER BY r.id',
    )
    this.#died = db
      .prepare<unknown[], number>(
        'INSERT INTO death (id, runs) VALUES (?, 1) ON CONFLICT DO UPDATE SET runs = runs + 1 RETURNING runs',
      )
      .pluck()
    this.#absolve = db.prepare('DELETE FROM death WHERE id = ?')
    this.#owned = db.prepare<unknown[], number>('SELECT id FROM host WHERE owner = +?').pluck()
    this.#heldElsewhere = db
      .prepare<unknown[], number>(
        'SELECT count(*) FROM host WHERE owner IS NOT NULL AND owner <> ? AND ready + delayed > 0 AND retired_for IS NULL',
      )
      .pluck()
  }

  /** Marks a request as begun. */
  mark(id: number, held: HeldHost): void {
    this.#mark.run(id, this.#parts.processes.id)
    held.started.add(id)
  }

  /** Says that a begun request has ended without killing anybody. */
  survived(id: number, held: HeldHost): void {
    if (held.started.has(id)) this.#unmark.run(id)
    if (this.#suspects.has(id)) this.#absolve.run(id)
  }

  /** Takes away the marks of a host that is given back. */
  unmarkAll(held: HeldHost): void {
    for (const id of held.started) this.#unmark.run(id)
  }

  /** Hosts with something waiting that other processes hold. */
  heldElsewhere(): number {
    return this.#heldElsewhere.get(this.#parts.processes.id) ?? 0
  }

  /** Buries processes, whose hosts are free from now on; returns how many requests were quarantined. The caller saves hosts and totals. */
  bury(dead: readonly number[]): number {
    return dead.reduce((quarantined, process) => quarantined + this.#buryOne(process, 1), 0)
  }

  /** Gives back everything of this process. */
  leave(): void {
    this.#unmarkAll.run(this.#parts.processes.id)
    this.#buryOne(this.#parts.processes.id, 0)
  }

  #buryOne(process: number, abandoned: 0 | 1): number {
    const { hosts, processes } = this.#parts
    for (const hostId of this.#owned.all(process)) {
      const host = hosts.get(hostId)
      if (host === undefined) continue
      host.owner = null
      host.abandoned = abandoned
    }
    const quarantined = this.#marked.all(process).filter((suspect) => this.#accuse(suspect)).length
    this.#unmarkAll.run(process)
    processes.delete(process)
    return quarantined
  }

  /** True when the suspect is given up. */
  #accuse({ id, host: hostId, rank }: Suspect): boolean {
    const { hosts, queue, outcomes } = this.#parts
    this.#suspects.add(id)
    const host = hosts.get(hostId)
    if (host === undefined || (this.#died.get(id) ?? 0) < DEADLY_RUNS || outcomes.isSettled(id)) return false
    queue.leave(host, { id, rank })
    outcomes.record(host, id, {
      kind: 'failed',
      reason: 'poison',
      failure: {
        code: 'AVO_POISON',
        blame: 'url',
        message: 'the process died three times while working on this page',
        sent: true,
        wireBytes: 0,
      },
    })
    this.#absolve.run(id)
    return true
  }
}
