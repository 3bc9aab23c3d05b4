// The sinks of a run: opened before the first request, told of every commit, and given a while at the end.
import { createHash } from 'node:crypto'
import { AvocetError, messageOf } from '../errors.ts'
import type { Frontier, NewItem } from '../frontier.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'
import type { SinkStatus } from '../sink-status.ts'
import type { Sink } from '../sink.ts'
import type { Delivery } from './delivery.ts'
import type * as Deliveries from './delivery.ts'
import type * as Rejects from './sink-rejects.ts'
import type { DeliveryEnd, DeliveryParts } from './delivery-parts.ts'

/** What all sinks of a run have in common. */
export interface SinksParts extends Pick<
  DeliveryParts,
  'clock' | 'make' | 'hold' | 'chance' | 'hidden' | 'problem' | 'notice' | 'fail'
> {
  readonly sinks: readonly Sink[]
  readonly frontier: Frontier
  readonly loop: LoopBudget
}

type Loaded = Pick<typeof Deliveries, 'Delivery'> & Pick<typeof Rejects, 'sinkRejects'>

/** The deliveries to all sinks. */
export class Sinks {
  readonly #parts: SinksParts
  #deliveries: readonly Delivery[] = []

  constructor(parts: SinksParts) {
    this.#parts = parts
  }

  /** How far each is; undefined when there are none. */
  get status(): readonly SinkStatus[] | undefined {
    return this.#parts.sinks.length === 0 ? undefined : this.#deliveries.map(({ status }) => status)
  }

  /** Opens them all. Throws AVO_SINK_OPEN, with the name of one that cannot be opened; then none is open. */
  async open(): Promise<void> {
    const { sinks, frontier, make } = this.#parts
    if (sinks.length === 0) return
    const { Delivery, sinkRejects } = await this.#loaded()
    const { name, createdAt } = await make('sinks', () => frontier.reader.info())
    const crawl = { name, id: createHash('sha256').update(`${name}\n${createdAt}`).digest('hex').slice(0, 16) }
    const deliveries = sinks.map((sink) => {
      const rejects = sinkRejects(frontier, sink.name)
      return new Delivery({ ...this.#partsOf(sink), rejects, crawl })
    })
    const opened = await Promise.allSettled(deliveries.map((delivery) => delivery.open()))
    for (const [n, result] of opened.entries()) {
      if (result.status === 'fulfilled') continue
      await Promise.all(deliveries.map((delivery) => delivery.close()))
      throw this.#openError(sinks[n]?.name ?? '', result.reason)
    }
    this.#deliveries = deliveries
    for (const delivery of deliveries) delivery.begin()
  }

  /** Crawls without sinks load none of it. Virtual time stands still meanwhile. */
  async #loaded(): Promise<Loaded> {
    using _hold = this.#parts.hold('sinks')
    return { ...(await import('./delivery.ts')), ...(await import('./sink-rejects.ts')) }
  }

  /** Items were committed. */
  committed(items: readonly NewItem[]): void {
    if (items.length === 0 || this.#deliveries.length === 0) return
    const bytes = items.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
    for (const delivery of this.#deliveries) delivery.committed(items.length, bytes)
  }

  /** Waits for them until then, and closes them. */
  async finish(end: DeliveryEnd): Promise<void> {
    await Promise.all(this.#deliveries.map((delivery) => delivery.finish(end)))
  }

  /** Waits for them no longer. */
  letGo(): void {
    for (const delivery of this.#deliveries) delivery.letGo()
  }

  #partsOf(sink: Sink): Omit<DeliveryParts, 'crawl' | 'rejects'> {
    const { frontier, loop, problem, notice, clock, make, hold, chance, hidden, fail } = this.#parts
    return {
      ...{ sink, clock, make, hold, chance, hidden, problem, notice, fail },
      store: frontier,
      isShared: frontier.changedElsewhere !== undefined,
      room: (rows) => loop.room(COST.row * rows),
    }
  }

  /** An error with a code of its own keeps it: its message says what to do. */
  #openError(name: string, error: unknown): unknown {
    if (error instanceof AvocetError) return error
    const message = this.#parts.hidden(messageOf(error))
    return new AvocetError(
      'AVO_SINK_OPEN',
      `sink ${name} cannot be opened: ${message}; mend that, or leave the sink out of this run`,
      { cause: error },
    )
  }
}
