// One opening of a sink, from `open` to `close`: each call within its time, and nothing that comes later counts.
import type { Json } from '@avocet/core'
import { didYouMean, formatDuration } from '@avocet/core/plugin'
import { ItemsRefused, type Sink, type SinkBatch, type SinkMark, type SinkSession, type Written } from '@avocet/core/sink'
import { shown, type Clock, type SinkRecord } from '@avocet/core/store'
import { unlikeJson } from '@avocet/core/tools'
import type { Batch } from './backlog.ts'
import type { CommittedItem } from './unwritten-items.ts'

/** Longer than nearly every answer takes. */
const HANGS_MS = 5_000

/** A sink that cannot let go of its connection must not keep the crawl from opening another one. */
const CLOSE_MS = 10_000

/** Fields that are told of: a page may name its fields by data. */
const MOST_TOLD = 20
const MOST_NAMED = 100

/** What a sink gets, beside what makes its session. */
export interface SinkSurroundings {
  readonly clock: Pick<Clock, 'now' | 'at'>
  /** Virtual time stands still while a sink works. */
  readonly hold: (name: string) => Disposable
  readonly timeoutMs: number
  readonly crawl: SinkSession['crawl']
  readonly mark: SinkMark | undefined
  keep(mark: SinkMark): Promise<void>
  problem(message: string): void
  notice(message: string): void
}

/** A sink that is, or was, open. */
export class OpenSink {
  readonly #sink: Sink
  readonly #world: SinkSurroundings
  readonly #over = new AbortController()
  /** Fields that are written, or were told of. */
  readonly #knownFields: Set<string>
  #askedAt: number | undefined

  constructor(sink: Sink, world: SinkSurroundings) {
    this.#sink = sink
    this.#world = world
    this.#knownFields = new Set(sink.columns)
  }

  /** Nobody waits for it any more. */
  get isOver(): boolean {
    return this.#over.signal.aborted
  }

  /** Epoch ms since when its answer is waited for; undefined: it was asked nothing. */
  get askedAt(): number | undefined {
    return this.#askedAt
  }

  /** What is wrong where its answer is waited for so long. */
  get hang(): SinkRecord['trouble'] {
    const now = this.#world.clock.now()
    const since = this.#askedAt
    if (since === undefined || now - since < HANGS_MS) return undefined
    return { since, error: `it has not answered for ${formatDuration(now - since)}` }
  }

  /** Opens it. Where it knows how far it is: there. */
  async open(): Promise<SinkMark | undefined> {
    const { clock, hold, crawl, mark, keep, problem, notice } = this.#world
    const session = (signal: AbortSignal): SinkSession => ({
      crawl,
      ...(mark && { mark }),
      clock: { now: () => clock.now(), at: (epochMs, wake) => clock.at(epochMs, () => this.isOver || wake()), hold },
      signal,
      keep: async (kept) => {
        if (this.isOver) throw new Error('expected nothing of a sink that is not waited for any more, got a mark')
        await keep(kept)
      },
      problem: (message) => {
        if (!this.isOver) problem(`sink ${this.#sink.name}: ${message}`)
      },
      notice: (message) => {
        if (!this.isOver) notice(`sink ${this.#sink.name}: ${message}`)
      },
    })
    return this.#within('open', this.#world.timeoutMs, (signal) => this.#sink.open?.(session(signal)))
  }

  async write(batch: Omit<SinkBatch, 'signal'>): Promise<Written | undefined> {
    if (this.#sink.columns !== undefined) for (const { value } of batch.items) this.#tellLeftOut(value, this.#sink.columns)
    const answer = await this.#within('answer to a batch', this.#world.timeoutMs, (signal) =>
      this.#sink.write({ ...batch, signal }),
    )
    return answer ?? undefined
  }

  async finish(interrupted: boolean): Promise<Written | undefined> {
    const answer = await this.#within('finish', this.#world.timeoutMs, () => this.#sink.finish?.({ interrupted }))
    return answer ?? undefined
  }

  /** Whoever named the columns may have forgotten one. */
  #tellLeftOut(item: Json, columns: readonly string[]): void {
    if (typeof item !== 'object' || item === null) return
    for (const name of Object.keys(item)) {
      if (this.#knownFields.has(name) || this.#knownFields.size >= columns.length + MOST_TOLD) continue
      this.#knownFields.add(name)
      const empty = columns.find((column) => !Object.hasOwn(item, column) && didYouMean(column, [name]) !== '')
      const hint = empty === undefined ? '' : `; column ${JSON.stringify(empty)} is empty${didYouMean(empty, [name])}`
      this.#world.notice(
        `sink ${this.#sink.name}: field ${JSON.stringify(name.slice(0, MOST_NAMED))} is not written, because no column has it${hint}`,
      )
    }
  }

  /** Waits for nothing any more: what is being waited for fails. */
  letGo(): void {
    this.#over.abort(new Error('the sink is not waited for any more'))
  }

  /** Closes it, whatever it is doing. What goes wrong there is nobody's. */
  async close(): Promise<void> {
    this.letGo()
    const closing = new OpenSink(this.#sink, this.#world)
    await closing.#within('close', CLOSE_MS, () => this.#sink.close?.()).catch(() => undefined)
  }

  /** Its answer. Throws what it throws, and when it takes too long or is let go of. */
  async #within<Answer>(what: string, ms: number, work: (signal: AbortSignal) => Answer | Promise<Answer>): Promise<Answer> {
    const { clock, hold } = this.#world
    using _hold = hold(`sink ${this.#sink.name}`)
    const late = Promise.withResolvers<never>()
    const tooLate = new AbortController()
    const signal = AbortSignal.any([this.#over.signal, tooLate.signal])
    this.#askedAt = clock.now()
    const abandoned = (): void => late.reject(signal.reason)
    signal.addEventListener('abort', abandoned)
    using _deadline = clock.at(clock.now() + ms, () =>
      tooLate.abort(new Error(`it did not ${what} within ${formatDuration(ms)}`)),
    )
    try {
      signal.throwIfAborted()
      return await Promise.race([(async () => work(signal))(), late.promise])
    } finally {
      this.#askedAt = undefined
      signal.removeEventListener('abort', abandoned)
    }
  }
}

// Hands a batch to a sink, and says what became of it.

const NONE_REFUSED = 'expected ItemsRefused with keys of items of the batch, got none of these'

/** What became of a batch. `refused`: the sink can never take these items. */
type HandedOver =
  | { readonly became: 'written'; readonly answer: Written }
  | { readonly became: 'refused'; readonly items: readonly CommittedItem[]; reasonOf(item: CommittedItem): string }
  | { readonly became: 'failed'; readonly error: unknown }

/** `handedUpTo`: the number up to which the sink has got items. */
export async function handOver(
  session: Pick<OpenSink, 'write'>,
  { items, mark }: Batch,
  handedUpTo: number,
): Promise<HandedOver> {
  try {
    return { became: 'written', answer: checkedAnswer(await session.write({ items, mark }), handedUpTo) }
  } catch (error) {
    if (!(error instanceof ItemsRefused)) return { became: 'failed', error }
    const refused = items.filter(({ key }) => error.reasons.has(key))
    if (refused.length === 0) return { became: 'failed', error: new Error(NONE_REFUSED) }
    return { became: 'refused', items: refused, reasonOf: ({ key }) => error.reasons.get(key) ?? '' }
  }
}

// A mark as a sink gives it: it is written to the store, and decides what the sink gets next.

/** The store keeps it in a row: enough for a list of parts, and not for the items themselves. */
const MAX_STATE_BYTES = 65_536

/** The mark. Throws an Error for one that is none; `most`: the last item that the sink has got. */
export function checkedMark(mark: unknown, most: number): SinkMark {
  const { itemSeq, state } = (typeof mark === 'object' && mark !== null ? mark : {}) as Partial<SinkMark>
  if (!Number.isSafeInteger(itemSeq) || itemSeq === undefined || itemSeq < 0)
    throw new Error(`expected a mark of the sink to have an itemSeq of 0 or more, got ${shown(mark)}`)
  if (itemSeq > most)
    throw new Error(`expected a mark of the sink at item ${most} at most, which is the last that it got, got ${itemSeq}`)
  if (state === undefined) return { itemSeq }
  const unlike = unlikeJson(state)
  if (unlike !== undefined) throw new Error(`expected the state of a mark to be JSON, got ${shown(state)}`)
  if (Buffer.byteLength(JSON.stringify(state)) > MAX_STATE_BYTES)
    throw new Error(`expected the state of a mark to have ${MAX_STATE_BYTES} bytes at most; keep large things in the sink itself`)
  return { itemSeq, state }
}

/** What a sink answered to a batch, with checked marks. */
export function checkedAnswer(answer: Written | undefined, most: number): Written {
  const { mark, rewind } = answer ?? {}
  return {
    ...(mark !== undefined && { mark: checkedMark(mark, most) }),
    ...(rewind !== undefined && { rewind: checkedMark(rewind, most) }),
  }
}
