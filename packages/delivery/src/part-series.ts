// Items as a series of parts, such as files or objects, of which only complete ones can be read: each item once, by the mark of the last complete part.
//
// What is in no complete part is behind the mark, and comes again after a crash. A part that was completed and not marked is found when the sink opens, and
// goes then: its items come again too. So a part is complete when it is full, when its time has come though no more items do, and when the run ends. An item
// that was set aside and comes again is behind the mark already: its part is completed at once, for after a crash nobody would hand it over again.
import type { Json } from '@avocet/core'
import { ItemsRefused, SinkDown, type Sink, type SinkItem, type SinkMark, type SinkSession } from '@avocet/core/sink'

/** How the parts of a series are written. Its calls are made one after another. What one throws ends the series: the sink is to be opened anew. */
export interface PartWriting {
  /** What a part is, with its article: `a Parquet file`. */
  readonly what: string
  /** How long after its first items a part is completed, in ms, even if it is not full. */
  readonly everyMs: number
  /** Throws ItemsRefused for those that can never be written, before any of the batch is. Called in the turn of the batch: nothing is written in between. */
  check?(items: readonly SinkItem<unknown>[]): void
  /** Takes items from the first one on, into a part that it begins if there is none: all of them, or as many as make it full. Resolves to how many. */
  write(items: readonly SinkItem<unknown>[], signal: AbortSignal): Promise<number>
  /** Whether the part takes no more. */
  isFull(): boolean
  /** Completes the part that is begun. Resolves to the `state` of the mark behind it. */
  complete(signal: AbortSignal): Promise<Json>
  /** Throws away the part that is begun, if there is one. */
  discard(): Promise<void>
}

/**
 * `open`, `write`, `finish` and `close` of a sink that writes files or objects, each of which can be read only when it is complete. `begin`: opens what writes
 * them. What fails is the place that they are written to, unless items do not fit.
 *
 * @example
 * ```ts
 * // in-memory-parts.ts
 * import type { Json } from 'avocet'
 * import type { Sink } from '@avocet/core/sink'
 * import { inParts, type PartWriting } from '@avocet/delivery/files'
 *
 * // Parts of 1,000 items, or of what has come in a minute.
 * export function partsOf(complete: Json[][]): Sink {
 *   const part: Json[] = []
 *   const writing: PartWriting = {
 *     what: 'a part',
 *     everyMs: 60_000,
 *     write: async (items) => part.push(...items.map(({ value }) => value as Json)) && items.length,
 *     isFull: () => part.length >= 1_000,
 *     complete: async () => complete.push(part.splice(0)),
 *     discard: async () => void part.splice(0),
 *   }
 *   return { name: 'parts', ...inParts(async () => writing) }
 * }
 * ```
 */
export function inParts<Item>(
  begin: (session: SinkSession) => Promise<PartWriting>,
): Required<Pick<Sink<Item>, 'open' | 'write' | 'finish' | 'close'>> {
  let series: PartSeries | undefined
  const opened = (): PartSeries => {
    if (series === undefined) throw new Error('expected the sink to be open')
    return series
  }
  return {
    open: async (session) => void (series = new PartSeries(await begin(session), session)),
    write: async ({ items, mark, signal }) => ({ mark: await opened().add(items, mark, signal).catch(down) }),
    finish: async () => opened().finish(),
    close: async () => series?.close().finally(() => (series = undefined)),
  }
}

function down(cause: unknown): never {
  if (cause instanceof ItemsRefused) throw cause
  throw new SinkDown(cause instanceof Error ? cause.message : String(cause), { cause })
}

/** The parts of an open sink, and how far they are. */
export class PartSeries {
  readonly #writing: PartWriting
  readonly #session: SinkSession
  /** Up to here everything is in complete parts. */
  #marked: SinkMark
  /** Up to here everything was handed over. */
  #handedOver: number
  /** There are items in a part that is not complete. */
  #isBegun = false
  #timer: Disposable | undefined
  #turn: Promise<unknown> = Promise.resolve()
  /** What went wrong when nobody waited for an answer. */
  #trouble: { readonly error: unknown } | undefined

  constructor(writing: PartWriting, session: SinkSession) {
    this.#writing = writing
    this.#session = session
    this.#marked = session.mark ?? { itemSeq: 0 }
    this.#handedOver = this.#marked.itemSeq
  }

  /** Takes a batch. Resolves to how far complete parts are. `mark`: that of the batch. Throws what the writing throws, also that of its last timer. */
  add(items: readonly SinkItem<unknown>[], mark: SinkMark, signal: AbortSignal): Promise<SinkMark> {
    return this.#inTurn(async () => {
      this.#throwTrouble()
      this.#writing.check?.(items)
      const isLate = items.some(({ seq }) => seq <= this.#handedOver)
      await this.#write(items, signal)
      this.#handedOver = Math.max(this.#handedOver, mark.itemSeq)
      if (isLate) await this.#complete(signal)
      // Items that were left out, and nothing that waits: the mark goes with them.
      if (!this.#isBegun) this.#marked = { ...this.#marked, itemSeq: this.#handedOver }
      this.#watchAge()
      return this.#marked
    })
  }

  /** Completes the part, although it is not full, and keeps the mark. */
  finish(): Promise<void> {
    return this.#inTurn(async () => {
      this.#throwTrouble()
      await this.#complete(this.#session.signal)
      await this.#session.keep(this.#marked)
    })
  }

  /** Lets go of everything. What is in no complete part comes again. */
  close(): Promise<void> {
    this.#timer?.[Symbol.dispose]()
    return this.#inTurn(() => this.#writing.discard())
  }

  async #write(items: readonly SinkItem<unknown>[], signal: AbortSignal): Promise<void> {
    for (let rest = items; rest.length > 0;) {
      const taken = await this.#writing.write(rest, signal)
      if (!(taken >= 1)) throw new Error(`expected ${this.#writing.what} to take an item, got none taken`)
      this.#isBegun = true
      this.#handedOver = Math.max(this.#handedOver, ...rest.slice(0, taken).map(({ seq }) => seq))
      rest = rest.slice(taken)
      if (this.#writing.isFull()) await this.#complete(signal)
    }
  }

  async #complete(signal: AbortSignal): Promise<void> {
    if (!this.#isBegun) return
    const state = await this.#writing.complete(signal)
    this.#isBegun = false
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
    this.#marked = { itemSeq: this.#handedOver, state }
  }

  #watchAge(): void {
    if (!this.#isBegun || this.#timer !== undefined) return
    const { clock, signal } = this.#session
    this.#timer = clock.at(clock.now() + this.#writing.everyMs, () => {
      this.#timer = undefined
      if (!signal.aborted) void this.#completeOld()
    })
  }

  async #completeOld(): Promise<void> {
    using _held = this.#session.clock.hold(this.#writing.what)
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
