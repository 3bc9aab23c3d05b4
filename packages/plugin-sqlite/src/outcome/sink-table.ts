// How far the sinks are, and which process runs each of them.
import type { SinkRecord } from '@avocet/core/store'
import { sinkRecordOf } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'

/** Who asks, and who lives beside it. */
interface Processes {
  readonly id: number
  isAlive(id: number): boolean
}

interface SinkRow {
  readonly record: string | null
  readonly owner: number | null
}

const KEEP = `INSERT INTO sink (name, item_seq, record) VALUES (@name, @itemSeq, @record)
  ON CONFLICT DO UPDATE SET item_seq = excluded.item_seq, record = excluded.record`
const CLAIM = 'INSERT INTO sink (name, owner) VALUES (?, ?) ON CONFLICT DO UPDATE SET owner = excluded.owner'

/** Sinks of one connection. */
export class SinkTable {
  readonly #db: Database
  readonly #read: Statement<SinkRow>
  readonly #keep: Statement

  constructor(db: Database) {
    this.#db = db
    this.#read = db.prepare<unknown[], SinkRow>('SELECT record, owner FROM sink WHERE name = ?')
    this.#keep = db.prepare(KEEP)
  }

  get(name: string): SinkRecord | undefined {
    const text = this.#read.get(name)?.record
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
    if (this.#read.get(name)?.owner !== processes.id) this.#db.prepare(CLAIM).run(name, processes.id)
    return true
  }

  free(name: string, { id }: Processes): void {
    this.#db.prepare('UPDATE sink SET owner = NULL WHERE name = ? AND owner = ?').run(name, id)
  }

  #isElsewhere(name: string, { id, isAlive }: Processes): boolean {
    const owner = this.#read.get(name)?.owner ?? undefined
    return owner !== undefined && owner !== id && isAlive(owner)
  }
}
