// What the memory frontier keeps of sinks. There is one process, so each sink is its own.
import type { SinkRecord, SinkStanding } from '../sink-record.ts'

/** Sinks by name. */
export class MemorySinks {
  readonly #records = new Map<string, SinkRecord>()

  get(name: string): SinkRecord | undefined {
    return this.#records.get(name)
  }

  /** All, by name. */
  all(): readonly SinkRecord[] {
    return [...this.#records.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  keep(record: SinkRecord): void {
    this.#records.set(record.name, record)
  }

  /** `items`: how many there are. Their numbers have no gaps here. */
  standing(items: number): readonly SinkStanding[] {
    return this.all().map((record) => {
      const { mark, suspects = [] } = record
      const itemSeq = mark?.itemSeq ?? 0
      return { ...record, behind: Math.max(0, items - itemSeq) + suspects.filter(({ seq }) => seq <= itemSeq).length }
    })
  }
}
