// Hosts: read once a transaction, changed in RAM, written once at its end, with `due_at` worked out anew.
//
// `due_at` is what the index of hosts goes by. It is a function of the rest of the row and of the host's earliest delayed request, and this
// is the only place that writes it, so it cannot be out of step.
import { hostLaws } from '@avocet/core/store'
import { NEVER, partsOfUrl } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'
import type { Writer } from '../file/writer.ts'

/** A host's row, its `due_at` aside. */
export interface StoredHost {
  readonly id: number
  readonly key: string
  /** Of the first URL that was met: other URLs of this host are stored whole. */
  readonly origin: string
  /** The laws of hosts have it, and `retiredFor` and `probeAt`. */
  readyAt: number
  /** Waiting requests in spans, handed out or not. */
  ready: number
  /** Requests in `delayed`, handed out or not: waiting, or due again. */
  delayed: number
  /** Of those: how many are settled and due again. */
  again: number
  done: number
  moved: number
  failed: number
  retried: number
  owner: number | null
  epoch: number
  /** 1 when its last owner died holding it. */
  abandoned: number
  retiredFor: string | null
  probeAt: number | null
  /** 0 once it was given back as one that responds. */
  probation: number
}

/** How many host ids to keep by key: links go to few hosts, again and again. */
const MAX_IDS = 8_192
const COLUMNS =
  'id, key, origin, ready_at AS readyAt, ready, delayed, done, moved, failed, retried, owner, epoch, abandoned, retired_for AS retiredFor, probe_at AS probeAt, again, probation'

/** The hosts of one connection. */
export class HostTable {
  readonly #ids = new Map<string, number>()
  readonly #touched = new Map<number, StoredHost>()
  readonly #find: Statement<number>
  readonly #load: Statement<StoredHost>
  readonly #create: Statement
  readonly #save: Statement
  readonly #firstDelayed: Statement<number>
  readonly #bestRank: Statement<number>
  readonly #firstDelayedRank: Statement<number>

  constructor(db: Database, writer: Writer) {
    this.#find = db.prepare<unknown[], number>('SELECT id FROM host WHERE key = ?').pluck()
    this.#load = db.prepare<unknown[], StoredHost>(`SELECT ${COLUMNS} FROM host WHERE id = ?`)
    this.#create = db.prepare('INSERT INTO host (key, origin) VALUES (?, ?)')
    this.#save = db.prepare(
      `UPDATE host SET ready_at = ?, due_at = ?, ready = ?, delayed = ?, done = ?, moved = ?, failed = ?, retried = ?,
       owner = ?, epoch = ?, abandoned = ?, retired_for = ?, probe_at = ?, again = ?, probation = ?, rank = ? WHERE id = ?`,
    )
    this.#firstDelayed = db.prepare<unknown[], number>('SELECT min(not_before) FROM delayed WHERE host = +?').pluck()
    this.#bestRank = db.prepare<unknown[], number>('SELECT min(rank) FROM span WHERE host = +?').pluck()
    this.#firstDelayedRank = db
      .prepare<unknown[], number>('SELECT rank FROM delayed WHERE host = +? ORDER BY not_before, rank LIMIT 1')
      .pluck()
    writer.whenRolledBack(() => {
      this.#ids.clear()
      this.#touched.clear()
    })
  }

  /** The host's row, for this transaction; changes to it are written by `save`. */
  get(id: number): StoredHost | undefined {
    const touched = this.#touched.get(id)
    if (touched !== undefined) return touched
    const row = this.#load.get(id)
    if (row !== undefined) this.#touched.set(id, row)
    return row
  }

  /** The row as it is stored, to be read only. */
  peek(id: number): StoredHost | undefined {
    return this.#load.get(id)
  }

  /** The row of a host that may never have been met; undefined if so. */
  find(key: string): StoredHost | undefined {
    const id = this.#ids.get(key) ?? this.#find.get(key)
    if (id === undefined) return undefined
    if (this.#ids.size >= MAX_IDS) this.#ids.clear()
    this.#ids.set(key, id)
    return this.get(id)
  }

  /** The row of a host, made if it was never met; `url` is one of its URLs. */
  obtain(key: string, url: string): StoredHost {
    const met = this.find(key)
    if (met !== undefined) return met
    const [origin] = partsOfUrl(url)
    const id = Number(this.#create.run(key, origin).lastInsertRowid)
    const counters = { ready: 0, delayed: 0, again: 0, done: 0, moved: 0, failed: 0, retried: 0 }
    const free = { readyAt: 0, owner: null, epoch: 0, abandoned: 0, probation: 1, retiredFor: null, probeAt: null }
    const row: StoredHost = { id, key, origin, ...counters, ...free }
    this.#ids.set(key, id)
    this.#touched.set(id, row)
    return row
  }

  /** Earliest `notBefore` of the host's delayed requests. */
  firstDelayedAt(id: number): number | undefined {
    return this.#firstDelayed.get(id) ?? undefined
  }

  /** Writes what this transaction changed. Call it last. */
  save(): void {
    for (const row of this.#touched.values()) {
      const { readyAt, ready, delayed, done, moved, failed, retried, owner, epoch, abandoned, again, probation, id } = row
      const dueAt = this.#dueAt(row)
      const counts = [ready, delayed, done, moved, failed, retried]
      const retired = [row.retiredFor, row.probeAt]
      const rank = dueAt === null ? 0 : this.#rank(row)
      this.#save.run(readyAt, dueAt, ...counts, owner, epoch, abandoned, ...retired, again, probation, rank, id)
    }
    this.#touched.clear()
  }

  #rank({ id, ready }: StoredHost): number {
    return (ready > 0 ? this.#bestRank.get(id) : this.#firstDelayedRank.get(id)) ?? 0
  }

  #dueAt(host: StoredHost): number | null {
    const { id, owner, ready, delayed } = host
    if (owner !== null || ready + delayed === 0) return null
    const at = hostLaws.dueAtOf(host, { ready, firstDelayedAt: () => this.firstDelayedAt(id) ?? 0 })
    return at < NEVER ? at : null
  }
}
