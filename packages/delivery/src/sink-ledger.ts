// What is known of one sink: how far it is, what troubles it. In RAM and in the store, where a status at rest finds it.
import { AvocetError } from '@avocet/core'
import type { SinkMark } from '@avocet/core/sink'
import type { SinkRecord, SinkStore } from '@avocet/core/store'
import type { Suspicion } from './suspicion.ts'

/** More are counted together: a mark that is far behind is of a sink that gathers items, such as for a file of many rows. */
const MOST_HANDED = 1_000

/** The calls to the store, with the crawl's patience. */
export interface LedgerParts {
  readonly name: string
  /** The sink gets changes, not items. */
  readonly changes?: boolean
  readonly store: SinkStore
  make<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer>
}

/** The book of a sink. */
export class SinkLedger {
  /** What became of items in this run. */
  readonly inRun: { taken: number; refused: number } = { taken: 0, refused: 0 }
  readonly #parts: LedgerParts
  #record: SinkRecord
  /** What is in the store. */
  #kept = ''
  /** Items that the sink has, and its mark has not passed: so many, up to this number. */
  #handed: { readonly itemSeq: number; readonly count: number }[] = []

  constructor(parts: LedgerParts) {
    this.#parts = parts
    this.#record = this.#fresh
  }

  get record(): SinkRecord {
    return this.#record
  }

  get itemSeq(): number {
    return this.#record.mark?.itemSeq ?? 0
  }

  /** Items that the sink has, also those that it may still lose. */
  get written(): number {
    return this.#record.written + this.gathered
  }

  /** Those of them that it may still lose. */
  get gathered(): number {
    return this.#handed.reduce((sum, { count }) => sum + count, 0)
  }

  /** Whether the sink may still lose what it has. */
  get isGathering(): boolean {
    return this.#handed.length > 0
  }

  /** Reads what earlier runs, or another process, kept. Returns whether nobody kept anything. */
  async load(): Promise<boolean> {
    const { name, changes = false, store, make } = this.#parts
    const found = await make('sink', () => store.get(name))
    const wasOfChanges = found?.changes ?? false
    if (wasOfChanges !== changes && (found?.mark?.itemSeq ?? 0) > 0)
      throw new AvocetError(
        'AVO_SINK_OPEN',
        `sink ${name} has ${wasOfChanges ? 'changes' : 'items'} of this crawl so far, and would get ${changes ? 'changes' : 'items'} from now on; give one of the two another name`,
      )
    this.#record = found !== undefined && wasOfChanges === changes ? found : this.#fresh
    // One that is new goes to the store at once: whoever asks how far the sinks are finds also the one that never answers.
    this.#kept = found === undefined ? '' : JSON.stringify(found)
    this.#handed = []
    return found === undefined
  }

  get #fresh(): SinkRecord {
    const { name, changes = false } = this.#parts
    return { name, written: 0, ...(changes && { changes }) }
  }

  /** Whether this process still runs the sink, and nobody else has meanwhile: a process that was asleep is taken for dead. */
  async isOurs(): Promise<boolean> {
    const { name, store, make } = this.#parts
    if (!(await make('sink', () => store.claim(name)))) return false
    const found = await make('sink', () => store.get(name))
    return found === undefined || JSON.stringify(found) === this.#kept
  }

  /** The sink has so many more items. */
  handed(count: number, itemSeq: number): void {
    const last = this.#handed.length >= MOST_HANDED ? this.#handed.pop() : undefined
    this.#handed.push({ itemSeq, count: count + (last?.count ?? 0) })
  }

  /** The sink has everything up to there. */
  mark(mark: SinkMark): void {
    const passed = this.#handed.filter(({ itemSeq }) => itemSeq <= mark.itemSeq)
    const [next, ...rest] = this.#handed.slice(passed.length)
    // A part may end in the middle of a batch. Of a sink with a filter, how many items are before that is an estimate.
    const part = next && Math.min(next.count, Math.max(0, mark.itemSeq - Math.max(this.itemSeq, passed.at(-1)?.itemSeq ?? 0)))
    this.#handed = next ? [{ ...next, count: next.count - (part ?? 0) }, ...rest] : []
    this.#record = { ...this.#record, mark }
    this.had(passed.reduce((sum, { count }) => sum + count, part ?? 0))
  }

  /** The sink has items that its mark passed before. */
  had(count: number): void {
    this.inRun.taken += count
    this.#record = { ...this.#record, written: this.#record.written + count }
  }

  /** The sink is somewhere else than was known, and has nothing else. What lies between counts as written, or as not written any more. */
  moved(mark: SinkMark | undefined): void {
    this.#handed = []
    if (mark === undefined) return
    const written = Math.max(0, this.#record.written + mark.itemSeq - this.itemSeq)
    this.#record = { ...this.#record, written, mark }
  }

  suspicion({ suspects, search }: Pick<Suspicion, 'suspects' | 'search'>): void {
    const { suspects: _suspects, search: _search, ...rest } = this.#record
    this.#record = { ...rest, ...(suspects.length > 0 && { suspects }), ...(search && { search }) }
  }

  trouble(trouble: SinkRecord['trouble']): void {
    const { trouble: _before, ...rest } = this.#record
    this.#record = trouble ? { ...rest, trouble } : rest
  }

  /** Writes what has changed. False: another process runs the sink now. A store that was removed keeps nothing any more. */
  async save(): Promise<boolean> {
    const { store, make } = this.#parts
    const text = JSON.stringify(this.#record)
    if (text === this.#kept) return true
    const record = this.#record
    const isOurs = await make('mark of a sink', () => store.keep(record)).catch(forgiveMissing)
    if (!isOurs) return false
    this.#kept = text
    return true
  }
}

function forgiveMissing(error: unknown): true {
  if (error instanceof AvocetError && error.code === 'AVO_FRONTIER_MISSING') return true
  throw error
}
