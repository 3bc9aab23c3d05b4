// The files of an open sink: rows that wait for a row group, the draft that takes it, and the mark of the last finished file.
import { mkdir } from 'node:fs/promises'
import { AvocetError, type Json } from '@avocet/core'
import type { SinkItem, SinkMark, SinkSession } from '@avocet/core/sink'
import { inferredColumns, isRow, type Columns } from './columns.ts'
import type { ParquetRules } from './options.ts'
import { draftPath, ownerOf, partPath, removeUnmarked } from './part-files.ts'
import { PartWriter, type ParquetLibrary } from './part-writer.ts'
import { readState, stateOf } from './state.ts'

/** A row group is encoded in one turn of the event loop: 4,000 rows of six columns take about 25 ms. */
const GROUP_ROWS = 4_000
const GROUP_BYTES = 2 * 1024 * 1024

interface Surroundings {
  readonly rules: ParquetRules
  readonly owner: string
  readonly session: SinkSession
  readonly library: ParquetLibrary
}

/** What a sink has open. Its calls are made one after another, also those of its own timer. */
export class OpenFiles {
  readonly #around: Surroundings
  #number: number
  #columns: Columns | undefined
  /** Up to here everything is in finished files. */
  #marked: SinkMark
  /** Up to here everything was handed over. */
  #handedOver: number
  #waiting: Readonly<Record<string, Json>>[] = []
  #waitingBytes = 0
  #part: PartWriter | undefined
  #partRows = 0
  #timer: Disposable | undefined
  #turn: Promise<unknown> = Promise.resolve()
  /** What went wrong when nobody waited for an answer. */
  #trouble: { readonly error: unknown } | undefined

  private constructor(around: Surroundings) {
    const { rules, session } = around
    const state = readState(session.mark?.state)
    this.#around = around
    this.#number = state?.next ?? 1
    this.#columns = rules.columns === undefined ? state?.columns : Object.entries(rules.columns)
    this.#handedOver = session.mark?.itemSeq ?? 0
    this.#marked = session.mark ?? { itemSeq: 0 }
  }

  /** Removes what was written and not marked, and loads the writer of the format. */
  static async open(rules: ParquetRules, sinkName: string, session: SinkSession): Promise<OpenFiles> {
    const owner = ownerOf(session.crawl.id, sinkName)
    const around = { rules, owner, session, library: await import('hyparquet-writer') }
    const files = new OpenFiles(around)
    await mkdir(rules.folder, { recursive: true }).catch((cause: unknown) => {
      throw unwritable(rules.folder, cause)
    })
    await removeUnmarked({ rules, owner }, files.#number)
    return files
  }

  /** Undefined until the first row group is written. */
  get columns(): Columns | undefined {
    return this.#columns
  }

  /** Takes rows that fit. Resolves to how far finished files are. `mark`: that of the batch. */
  add(items: readonly Pick<SinkItem<unknown>, 'seq' | 'value' | 'json'>[], mark: SinkMark): Promise<SinkMark> {
    return this.#inTurn(async () => {
      this.#throwTrouble()
      // Was set aside before, and is behind the mark: nobody would hand it over again after a crash.
      const isLate = items.some(({ seq }) => seq <= this.#handedOver)
      for (const { seq, value, json } of items) {
        if (isRow(value as Json)) this.#waiting.push(value as Readonly<Record<string, Json>>)
        this.#waitingBytes += json.length
        this.#partRows++
        this.#handedOver = Math.max(this.#handedOver, seq)
        if (this.#waiting.length >= GROUP_ROWS || this.#waitingBytes >= GROUP_BYTES) await this.#writeGroup()
        if (this.#isFull()) await this.#finishPart()
      }
      this.#handedOver = Math.max(this.#handedOver, mark.itemSeq)
      if (isLate) {
        await this.#finishPart()
        await this.#around.session.keep(this.#marked)
      }
      // Items that were left out, and nothing that waits: the mark goes with them.
      if (this.#partRows === 0) this.#marked = { ...this.#marked, itemSeq: this.#handedOver }
      this.#watchAge()
      return this.#marked
    })
  }

  /** Finishes the file, although it is not full. */
  finish(): Promise<void> {
    return this.#inTurn(async () => {
      this.#throwTrouble()
      await this.#finishPart()
      await this.#around.session.keep(this.#marked)
    })
  }

  /** Lets go of everything. What is in no finished file comes again. */
  close(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    return this.#inTurn(async () => {
      await this.#part?.discard()
      this.#part = undefined
    })
  }

  #isFull(): boolean {
    const { rowsPerFile, maxBytes } = this.#around.rules
    return this.#partRows >= rowsPerFile || (this.#part?.size ?? 0) + this.#waitingBytes >= maxBytes
  }

  async #writeGroup(): Promise<void> {
    if (this.#waiting.length === 0) return
    this.#columns ??= inferredColumns(this.#waiting)
    const { rules, owner, library } = this.#around
    this.#part ??= await PartWriter.create({
      path: partPath(rules, this.#number),
      draft: draftPath(rules, this.#number),
      columns: this.#columns,
      owner,
      library,
    })
    await this.#part.append(this.#waiting)
    this.#waiting = []
    this.#waitingBytes = 0
  }

  async #finishPart(): Promise<void> {
    await this.#writeGroup()
    if (this.#part === undefined || this.#columns === undefined) return
    await this.#part.finish()
    this.#part = undefined
    this.#partRows = 0
    this.#number++
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#marked = { itemSeq: this.#handedOver, state: stateOf({ next: this.#number, columns: this.#columns }) }
  }

  /** A file is finished when its time has come, even if no more items do. */
  #watchAge(): void {
    if (this.#partRows === 0 || this.#timer !== undefined) return
    const { rules, session } = this.#around
    this.#timer = session.clock.at(session.clock.now() + rules.everyMs, () => {
      this.#timer = undefined
      if (!session.signal.aborted) void this.#finishOld()
    })
  }

  async #finishOld(): Promise<void> {
    using _held = this.#around.session.clock.hold('a Parquet file')
    await this.finish().catch((error: unknown) => (this.#trouble = { error }))
  }

  /** The next call fails as the timer did, so that the sink is opened anew and the items come again. */
  #throwTrouble(): void {
    if (this.#trouble !== undefined) throw this.#trouble.error
  }

  #inTurn<Result>(call: () => Promise<Result>): Promise<Result> {
    const mine = this.#turn.then(call)
    this.#turn = mine.catch(() => {})
    return mine
  }
}

function unwritable(folder: string, cause: unknown): AvocetError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new AvocetError('AVO_OUTPUT_UNWRITABLE', `expected a folder that can be written at ${folder}, got ${why}`, { cause })
}
