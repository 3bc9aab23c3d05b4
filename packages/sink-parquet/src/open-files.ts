// The files of an open sink: rows that wait for a row group, and the draft that takes it.
import { mkdir } from 'node:fs/promises'
import { AvocetError, type Json } from '@avocet/core'
import { ItemsRefused, type SinkItem, type SinkSession } from '@avocet/core/sink'
import type { PartWriting } from '@avocet/delivery/files'
import { FirstRows, inferredColumns, isRow, misfit, type Columns, type ParquetRow } from './columns.ts'
import type { ParquetRules } from './options.ts'
import { draftPath, ownerOf, partPath, removeUnmarked } from './part-files.ts'
import { PartWriter, type ParquetLibrary } from './part-writer.ts'

/** A row group is encoded in one turn of the event loop: 4,000 rows of six columns take about 25 ms. */
const GROUP_ROWS = 4_000
const GROUP_BYTES = 2 * 1024 * 1024

interface Surroundings {
  readonly rules: ParquetRules
  readonly owner: string
  readonly library: ParquetLibrary
}

/** What a sink has open. */
export class OpenFiles implements PartWriting {
  readonly what = 'a Parquet file'
  readonly everyMs: number
  readonly #around: Surroundings
  #number: number
  #columns: Columns | undefined
  #waiting: ParquetRow[] = []
  #waitingBytes = 0
  #part: PartWriter | undefined
  #partRows = 0

  private constructor(around: Surroundings, mark: SinkSession['mark']) {
    const { rules } = around
    const state = readState(mark?.state)
    this.everyMs = rules.everyMs
    this.#around = around
    this.#number = state?.next ?? 1
    this.#columns = rules.columns === undefined ? state?.columns : Object.entries(rules.columns)
  }

  /** Removes what was written and not marked, and loads the writer of the format. */
  static async open(rules: ParquetRules, sinkName: string, { crawl, mark }: SinkSession): Promise<OpenFiles> {
    const owner = ownerOf(crawl.id, sinkName)
    const files = new OpenFiles({ rules, owner, library: await import('hyparquet-writer') }, mark)
    await mkdir(rules.folder, { recursive: true }).catch((cause: unknown) => {
      throw unwritable(rules.folder, cause)
    })
    await removeUnmarked({ rules, owner }, files.#number)
    return files
  }

  /** Refuses items that do not fit the columns. Those of the first row group decide what these are; the ones behind it are held against them. */
  check(items: readonly Pick<SinkItem<unknown>, 'key' | 'value' | 'json'>[]): void {
    const isSelection = this.#around.rules.columns !== undefined
    const reasons = new Map<string, string>()
    let columns = this.#columns
    const first = new FirstRows(columns === undefined ? this.#waiting : [])
    let bytes = this.#waitingBytes
    for (const { key, value, json } of items) {
      const reason =
        misfit(value as Json, columns, isSelection) ?? (columns === undefined ? first.add(value as ParquetRow) : undefined)
      if (reason !== undefined) reasons.set(key, reason)
      if (reason !== undefined || columns !== undefined) continue
      bytes += json.length
      if (this.#isEnough(first.size, bytes)) columns = first.columns
    }
    if (reasons.size > 0) throw new ItemsRefused(reasons)
  }

  /** Takes rows that fit: the others were refused. */
  async write(items: readonly Pick<SinkItem<unknown>, 'value' | 'json'>[]): Promise<number> {
    let taken = 0
    for (const { value, json } of items) {
      if (isRow(value as Json)) this.#waiting.push(value as ParquetRow)
      this.#waitingBytes += json.length
      this.#partRows++
      taken++
      if (this.#waiting.length >= GROUP_ROWS || this.#waitingBytes >= GROUP_BYTES) await this.#writeGroup()
      if (this.isFull()) break
    }
    return taken
  }

  isFull(): boolean {
    const { rowsPerFile, maxBytes } = this.#around.rules
    return this.#partRows >= rowsPerFile || (this.#part?.size ?? 0) + this.#waitingBytes >= maxBytes
  }

  async complete(): Promise<Json> {
    await this.#writeGroup()
    if (this.#part === undefined || this.#columns === undefined)
      throw new AvocetError('AVO_INTERNAL', 'expected rows for a Parquet file, got none')
    await this.#part.finish()
    this.#part = undefined
    this.#partRows = 0
    this.#number++
    return stateOf({ next: this.#number, columns: this.#columns })
  }

  async discard(): Promise<void> {
    await this.#part?.discard()
    this.#part = undefined
  }

  /** Whether so many first rows, of so many bytes of JSON text, are written at once: as a row group, or as a file that is smaller. */
  #isEnough(rows: number, bytes: number): boolean {
    const { rowsPerFile, maxBytes } = this.#around.rules
    return rows >= Math.min(GROUP_ROWS, rowsPerFile) || bytes >= Math.min(GROUP_BYTES, maxBytes)
  }

  async #writeGroup(): Promise<void> {
    if (this.#waiting.length === 0) return
    this.#columns ??= inferredColumns(this.#waiting)
    const { rules, owner, library } = this.#around
    this.#part ??= await PartWriter.create({
      path: partPath(rules, this.#number),
      draft: draftPath({ rules, owner }, this.#number),
      columns: this.#columns,
      owner,
      library,
    })
    await this.#part.append(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
  }
}

function unwritable(folder: string, cause: unknown): AvocetError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new AvocetError('AVO_OUTPUT_UNWRITABLE', `expected a folder that can be written at ${folder}, got ${why}`, { cause })
}

/** The state of a mark. */
interface PartState {
  /** Number of the next file, from 1. */
  readonly next: number
  readonly columns: Columns
}

const TYPES: readonly unknown[] = ['string', 'double', 'int64', 'boolean', 'timestamp', 'json']

/** As it is in the store. */
function stateOf({ next, columns }: PartState): Json {
  return { next, columns: columns.map(([name, type]) => [name, type]) }
}

/** As it was kept; undefined before the first file. Throws AVO_OUTPUT_UNWRITABLE if another kind of sink kept it. */
function readState(state: Json | undefined): PartState | undefined {
  if (state === undefined) return undefined
  if (isRow(state) && Number.isSafeInteger(state['next']) && areColumns(state['columns'])) return state as unknown as PartState
  throw new AvocetError(
    'AVO_OUTPUT_UNWRITABLE',
    'expected the mark of a Parquet sink, got that of another kind of sink with the same name; give this one a name of its own',
  )
}

function areColumns(columns: Json | undefined): boolean {
  return Array.isArray(columns) && columns.every((column) => Array.isArray(column) && TYPES.includes(column[1]))
}
