// What a sink has not written: new items and suspects; which of them come next, and what becomes of them.
import type { SinkLimits, SinkMark } from '@avocet/core/sink'
import type { ItemRecord } from '@avocet/core/store'
import { behindInStore, nextFor, type DeliveryParts } from './delivery-parts.ts'
import type { SinkLedger } from './sink-ledger.ts'
import { Suspicion } from './suspicion.ts'
import { CommittedItem, UnwrittenItems } from './unwritten-items.ts'

/** What reading a page costs a turn of the event loop. */
const ROOM_ROWS = 16

/** What is handed over. */
export interface Batch {
  readonly items: readonly CommittedItem[]
  readonly mark: SinkMark
  /** Its only item failed alone before: its number. */
  readonly suspect?: number
}

/** The backlog of one sink. */
export class Backlog {
  readonly #parts: DeliveryParts
  readonly #limits: SinkLimits
  readonly #ledger: SinkLedger
  readonly #unwritten: UnwrittenItems
  #suspicion: Suspicion
  #at = 0
  /** Where the sink was when it was opened, or had to go back to. */
  #begunAt = 0
  /** Rejects of items that come again in order: ids by number. Undefined: to be read. */
  #comeAgain: Map<number, number> | undefined
  /** Items that nobody has looked at, as far as is known. */
  #unread = 0
  #setAside = 0

  constructor(parts: DeliveryParts, limits: SinkLimits, ledger: SinkLedger) {
    const { sink } = parts
    this.#parts = parts
    this.#limits = limits
    this.#ledger = ledger
    this.#suspicion = new Suspicion(limits.maxItems)
    this.#unwritten = new UnwrittenItems({
      filter: sink.filter?.bind(sink),
      limits,
      read: (afterSeq, limit) => nextFor(parts, { afterSeq, limit }),
      setAside: (items, reasonOf) => this.#putAside(items, reasonOf),
      isSuspect: (seq) => this.#suspicion.isSuspect(seq),
    })
  }

  /** Items that the sink lacks, as far as is known. */
  get size(): number {
    return this.#unread + this.#unwritten.size + this.#suspicion.countUpTo(this.#at)
  }

  /** What was read and not written, and may wait until a batch fills up. Undefined: there may be more to read, or something failed. */
  get left(): { readonly items: number; readonly bytes: number } | undefined {
    if (!this.#unwritten.isAtEnd || this.#suspicion.isSearching) return undefined
    return { items: this.#unwritten.size, bytes: this.#unwritten.bytes }
  }

  /** Everything up to this number was looked at. */
  get lookedUpTo(): number {
    return this.#at
  }
  /** Items that are set aside. */
  get setAside(): number {
    return this.#setAside
  }
  committed(items: number): void {
    this.#unread += items
  }

  /** Reads how much there is. `isNew`: the store does not know the sink yet. */
  async count(isNew = false): Promise<void> {
    const { sink, notice } = this.#parts
    this.#suspicion = new Suspicion(this.#limits.maxItems, this.#ledger.record)
    await this.countRejects()
    const behind = await behindInStore(this.#parts)
    this.#at = this.#ledger.itemSeq
    this.#unread = behind - this.#suspicion.countUpTo(this.#at)
    if (isNew && sink.changes === true && behind > 0)
      notice(`sink ${sink.name}: it is new, and gets all changes that the store has so far`)
  }

  /** What the store has by now. Reads all of them, so it is for the beginning and the end of a run. */
  async countRejects(): Promise<void> {
    const { make, rejects } = this.#parts
    this.#setAside = await make('rejects', () => rejects.count())
  }

  /** The sink is open. `mark`: how far it says that it is, where it knows. */
  async opened(mark: SinkMark | undefined): Promise<void> {
    const { problem, sink } = this.#parts
    const before = this.#ledger.itemSeq
    this.#ledger.moved(mark ?? this.#ledger.record.mark)
    const { itemSeq } = this.#ledger
    this.begin(itemSeq, before)
    if (mark === undefined || itemSeq <= before || (await this.#isThere(itemSeq))) return
    problem(
      `sink ${sink.name} is at item ${itemSeq}, which this store does not have, as if the store came from a backup: ` +
        'items up to that number do not go to the sink; to have all items written again, give it another name',
    )
  }

  /**
   * Begins behind `itemSeq`: what was read from there on is read again. `before`: where the store had the sink. Where the sink itself says that it is at a
   * suspect that the store had not passed, that one was written, and only the answer was lost.
   */
  begin(itemSeq: number, before: number = itemSeq): void {
    if (itemSeq > before && this.#suspicion.isSuspect(itemSeq)) {
      this.#suspicion.acquit(itemSeq)
      this.#tellSuspicion()
    }
    this.#unread = Math.max(0, this.#unread + this.#at - itemSeq)
    this.#at = this.#begunAt = itemSeq
    this.#comeAgain = undefined
    this.#unwritten.reset(itemSeq)
  }

  /** The sink has nothing behind its mark any more: what it had gathered comes again. */
  lost(): void {
    this.#ledger.moved(this.#ledger.record.mark)
    this.begin(this.#ledger.itemSeq)
  }

  /** What comes next; undefined: nothing. */
  async next(isOver: () => boolean): Promise<Batch | undefined> {
    while (!isOver() && (await this.#readMore()));
    const batch = this.#unwritten.first(this.#suspicion.limit)
    const idle = batch.items.length === 0
    const suspect = this.#suspicion.next({ idle })
    const found = suspect === undefined || !this.#isTurnOf(suspect) ? undefined : await this.#itemOf(suspect)
    if (found !== undefined) return { items: [new CommittedItem(found)], mark: this.#markWith(found.seq), suspect: found.seq }
    if (idle) return undefined
    await this.#inOrder(batch.items)
    const { state } = this.#mark
    return { items: batch.items, mark: { itemSeq: batch.itemSeq, ...(state !== undefined && { state }) } }
  }

  /** A batch was written, which the ledger is to save. `mark`: of the sink's own. */
  written(batch: Batch, mark: SinkMark | undefined): void {
    const { items, suspect } = batch
    this.#suspicion.passed()
    if (suspect !== undefined) this.#suspicion.acquit(suspect)
    this.#tellSuspicion()
    if (suspect !== undefined && suspect <= this.#ledger.itemSeq) this.#ledger.had(items.length)
    else {
      this.#unwritten.without(new Set(items))
      this.#ledger.handed(items.length, batch.mark.itemSeq)
    }
    this.#ledger.mark(mark ?? batch.mark)
  }

  /** The sink says that these can never be written. */
  async refused(batch: Batch, items: readonly CommittedItem[], reasonOf: (item: CommittedItem) => string): Promise<void> {
    this.#suspicion.passed()
    await this.#putAside(items, reasonOf)
    this.#unwritten.without(new Set(items))
    if (batch.suspect !== undefined) this.#suspicion.acquit(batch.suspect)
    this.#tellSuspicion()
  }

  /** A batch failed, for whatever reason. What is decided about its items is in the ledger, to be saved before anything else is handed over. */
  async failed({ items, suspect }: Batch, error: string): Promise<void> {
    const [first] = items
    if (first === undefined) return
    if (suspect !== undefined) {
      if (this.#suspicion.failedAgain(suspect)) await this.#putAside(items, () => error)
    } else if (this.#suspicion.failed({ seq: first.seq, size: items.length }, this.#unwritten.hasMoreThan(items.length)))
      this.#unwritten.without(new Set([first]))
    this.#tellSuspicion()
  }

  /** Moves the mark past items that the sink does not want, unless it may still lose what is before them. */
  passUnwanted(): void {
    const { readUpTo, size } = this.#unwritten
    if (size > 0 || this.#ledger.isGathering || readUpTo <= this.#ledger.itemSeq) return
    this.#ledger.mark({ ...this.#ledger.record.mark, itemSeq: readUpTo })
  }

  /**
   * These are handed over in order. A sink that keeps an older mark gets items again that it refused: they are set aside no longer. Before they are written,
   * for nobody knows after a crash whether they were; it loses nothing, for they are behind the mark.
   */
  async #inOrder(items: readonly CommittedItem[]): Promise<void> {
    if (this.#setAside === 0) return
    const { make, rejects } = this.#parts
    const comeAgain = (this.#comeAgain ??= await make('rejects', () => rejects.behind(this.#begunAt)))
    const ids = items.flatMap(({ seq }) => comeAgain.get(seq) ?? [])
    if (ids.length === 0) return
    this.#setAside -= await make('rejects', () => rejects.forget(ids))
    for (const { seq } of items) comeAgain.delete(seq)
  }

  async #putAside(items: readonly CommittedItem[], reasonOf: (item: CommittedItem) => string): Promise<void> {
    if (items.length === 0) return
    this.#ledger.inRun.refused += items.length
    const { make, rejects, sink, clock, hidden } = this.#parts
    const aside = items.map((item) => {
      const { requestId, visit = 0, ordinal } = item.record
      const change = ordinal < 0 && { json: item.json }
      return { source: sink.name, requestId, visit, ordinal, ...change, reason: hidden(reasonOf(item)), at: clock.now() }
    })
    this.#setAside += await make('rejects', () => rejects.setAside(aside))
  }

  /** What comes before it goes first, or no mark would say that it was written; unless there are so many suspects that nothing else comes through. */
  #isTurnOf(suspect: number): boolean {
    return suspect <= this.#mark.itemSeq || this.#suspicion.isFull || !this.#unwritten.hasBefore(suspect)
  }

  /** The mark once a suspect is written. One that is next moves it: a crash would have it handed over again. */
  #markWith(suspect: number): SinkMark {
    const mark = this.#mark
    return this.#unwritten.hasBefore(suspect) ? mark : { ...mark, itemSeq: Math.max(mark.itemSeq, suspect) }
  }

  /** Reads a page; false: there is nothing more to read for now. */
  async #readMore(): Promise<boolean> {
    await this.#parts.room(ROOM_ROWS)
    const isMore = await this.#unwritten.read()
    const { readUpTo, isAtEnd } = this.#unwritten
    this.#unread = isAtEnd ? 0 : Math.max(0, this.#unread - (readUpTo - this.#at))
    this.#at = readUpTo
    return isMore
  }

  /** Whether there is an item with this number, or a later one. */
  async #isThere(seq: number): Promise<boolean> {
    return (await nextFor(this.#parts, { afterSeq: seq - 1, limit: 1 })).length > 0
  }

  /** A suspect. One that is not there any more is none. */
  async #itemOf(seq: number): Promise<ItemRecord | undefined> {
    const [record] = await nextFor(this.#parts, { afterSeq: seq - 1, limit: 1 })
    if (record?.seq === seq) return record
    this.#suspicion.acquit(seq)
    this.#tellSuspicion()
    return undefined
  }

  #tellSuspicion(): void {
    this.#ledger.suspicion(this.#suspicion)
  }

  get #mark(): SinkMark {
    return this.#ledger.record.mark ?? { itemSeq: 0 }
  }
}
