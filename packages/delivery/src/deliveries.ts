// The sinks of a run: opened before the first request, told of every commit, and given a while at the end.
import { AvocetError } from '@avocet/core'
import { messageOf, type NewItem } from '@avocet/core/store'
import type { SinkStatus } from '@avocet/core/tools'
import { createHash } from 'node:crypto'
import { Delivery } from './delivery.ts'
import type { DeliveryEnd, DeliveryWish } from './delivery-parts.ts'
import { Pruning } from './pruning.ts'
import { sinkRejects } from './sink-rejects.ts'

/** About as much JSON text as one has. */
const CHANGE_BYTES = 300

/** The deliveries to all sinks of a crawl. */
export class SinkDeliveries {
  readonly #parts: DeliveryWish
  #deliveries: readonly Delivery[] = []
  #pruning: Pruning | undefined

  constructor(parts: DeliveryWish) {
    this.#parts = parts
  }

  /** How far each is; undefined when there are none. */
  get status(): readonly SinkStatus[] | undefined {
    return this.#parts.sinks.length === 0 ? undefined : this.#deliveries.map(({ status }) => status)
  }

  /** Opens them all. Throws AVO_SINK_OPEN, with the name of one that cannot be opened and never could; then none is open. */
  async open(): Promise<void> {
    const { sinks } = this.#parts
    if (sinks.length > 0) await this.#openSinks()
    this.#pruning = new Pruning(this.#parts)
  }

  /** Items were committed, and changes. */
  committed(items: readonly NewItem[], { published, changes }: { readonly published: number; readonly changes: number }): void {
    const count = items.length + published
    if (count + changes === 0 || this.#deliveries.length === 0) return
    const bytes = items.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
    for (const delivery of this.#deliveries) {
      const more = delivery.isOfChanges ? changes : count
      if (more > 0) delivery.committed(more, delivery.isOfChanges ? changes * CHANGE_BYTES : bytes)
    }
  }

  /** Waits for them until then, and closes them. */
  async finish(end: DeliveryEnd): Promise<void> {
    await this.#pruning?.end()
    await Promise.all(this.#deliveries.map((delivery) => delivery.finish(end)))
  }

  /** Waits for them no longer. */
  letGo(): void {
    this.#pruning?.letGo()
    for (const delivery of this.#deliveries) delivery.letGo()
  }

  async #openSinks(): Promise<void> {
    const { sinks, frontier, make } = this.#parts
    const { name, createdAt } = await make('sinks', () => frontier.reader.info())
    const crawl = { name, id: createHash('sha256').update(`${name}\n${createdAt}`).digest('hex').slice(0, 16) }
    const around = { ...this.#parts, crawl, store: frontier, isShared: frontier.sharing !== undefined }
    const deliveries = sinks.map((sink) => new Delivery({ ...around, sink, rejects: sinkRejects(frontier, sink.name) }))
    const opened = await Promise.allSettled(deliveries.map((delivery) => delivery.open()))
    for (const [n, result] of opened.entries()) {
      if (result.status === 'fulfilled') continue
      await Promise.all(deliveries.map((delivery) => delivery.close()))
      throw this.#openError(sinks[n]?.name ?? '', result.reason)
    }
    this.#deliveries = deliveries
    for (const delivery of deliveries) delivery.begin()
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
