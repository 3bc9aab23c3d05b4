// What a delivery works with: a sink, a store with patience, time and chance.
import type { Clock } from '../clock.ts'
import type { FrontierReader } from '../frontier-reader.ts'
import type { Sink, SinkSession } from '../sink.ts'
import type { SinkStore } from '../sink-record.ts'
import type { SinkRejects } from './sink-rejects.ts'

/** The parts of a delivery. */
export interface DeliveryParts {
  readonly sink: Sink
  readonly store: SinkStore & { readonly reader: Pick<FrontierReader, 'items' | 'sinks' | 'counts' | 'info'> }
  readonly rejects: SinkRejects
  readonly clock: Clock
  readonly crawl: SinkSession['crawl']
  /** Whether other processes may commit items, or run the sink. */
  readonly isShared: boolean
  /** Makes a call to the store, with patience. */
  make<Answer>(name: string, call: () => Promise<Answer>): Promise<Answer>
  /** Virtual time stands still while a sink works. */
  hold(name: string): Disposable
  /** Resolves in a turn of the event loop that has room for so many rows. */
  room(rows: number): Promise<void>
  /** From 0 to 1, the same for the same salt. */
  chance(salt: string): number
  /** Tells a person. */
  problem(message: string): void
  /** Tells a person that nothing is wrong. */
  notice(message: string): void
  /** Takes secrets out of a text. */
  hidden(message: string): string
  /** The store cannot be used. */
  fail(error: unknown): void
}

/** Until when to deliver what is there. */
export interface DeliveryEnd {
  /** Epoch ms. */
  readonly until: number
  readonly interrupted: boolean
  /** Nothing is left of the crawl: an output that another process has not written to the end is waited for. Default: that one goes on with the crawl. */
  readonly isDone?: boolean
}
