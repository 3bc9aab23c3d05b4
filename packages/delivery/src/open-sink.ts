// One opening of a sink, from `open` to `close`: each call within its time, and nothing that comes later counts.
import type { Json } from '@avocet/core'
import { didYouMean, formatDuration } from '@avocet/core/plugin'
import type { Sink, SinkBatch, SinkMark, SinkSession, Written } from '@avocet/core/sink'
import type { Clock, SinkRecord } from '@avocet/core/store'

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
