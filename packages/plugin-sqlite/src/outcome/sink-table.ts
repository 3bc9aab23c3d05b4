// How far the sinks are, and which process runs each of them.
import type { SinkRecord, SinkStanding } from '@avocet/core/store'
import { sinkRecordOf, sinkStandingOf } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'

/** Who asks, and who lives beside it. */
interface Processes {
  readonly id: number
  isAlive(id: number): boolean
}

/** Sinks of one connection. */
export class SinkTable {
  readonly #record: Statement<string | null>
  readonly #owner: Statement<number | null>
  readonly #keep: Statement
  readonly #claim: Statement
  readonly #free: Statement

  constructor(db: Database) {
    this.#record = db.prepare<unknown[], string | null>('SELECT record FROM sink WHERE name = ?').pluck()
    this.#owner = db.prepare<unknown[], number | null>('SELECT owner FROM sink WHERE name = ?').pluck()
    this.#keep = db.prepare(
      `INSERT INTO sink (name, item_seq, record) VALUES (@name, @itemSeq, @record)
       ON CONFLICT DO UPDATE SET item_seq = excluded.item_seq, record = excluded.record`,
    )
    this.#claim = db.prepare('INSERT INTO sink (name, owner) VALUES (?, ?) ON CONFLICT DO UPDATE SET owner = excluded.owner')
    this.#free = db.prepare('UPDATE sink SET owner = NULL WHERE name = ? AND owner = ?')
  }

  get(name: string): SinkRecord | undefined {
    const text = this.#record.get(name)
    return text === undefined || text === null ? undefined : sinkRecordOf(text)
  }

  /** False, and nothing is kept, while another process that lives runs it. */
  keep(record: SinkRecord, processes: Processes): boolean {
    const { name, mark } = record
    if (this.#isElsewhere(name, processes)) return false
    this.#keep.run({ name, itemSeq: mark?.itemSeq ?? 0, record: JSON.stringify(record) })
    return true
  }

  claim(name: string, processes: Processes): boolean {
    if (this.#isElsewhere(name, processes)) return false
    if (this.#owner.get(name) !== processes.id) this.#claim.run(name, processes.id)
    return true
  }

  free(name: string, { id }: Processes): void {
    this.#free.run(name, id)
  }

  #isElsewhere(name: string, { id, isAlive }: Processes): boolean {
    const owner = this.#owner.get(name) ?? undefined
    return owner !== undefined && owner !== id && isAlive(owner)
  }
}

/** All sinks, by name. */
export function sinksOf(db: Database): SinkStanding[] {
  const rows = db.prepare<unknown[], { readonly record: string; readonly behind: number }>(
    `SELECT record, (SELECT count(*) FROM item WHERE seq > sink.item_seq) AS behind FROM sink WHERE record IS NOT NULL ORDER BY name`,
  )
  return rows.all().map(sinkStandingOf)
}
