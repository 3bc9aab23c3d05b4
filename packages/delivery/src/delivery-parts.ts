// What a delivery works with: a sink, a store with patience, time and chance.
import type { Sink, SinkSession } from '@avocet/core/sink'
import type { FrontierReader, Ports, SinkStore } from '@avocet/core/store'
import type { SinkRejects } from './sink-rejects.ts'

/** What core gives to its port. */
export type DeliveryWish = Parameters<Ports['delivery']>[0]

/** Until when to deliver what is there. */
export type DeliveryEnd = Parameters<Awaited<ReturnType<Ports['delivery']>>['finish']>[0]

/** The parts of a delivery. */
export interface DeliveryParts extends Omit<DeliveryWish, 'sinks' | 'frontier'> {
  readonly sink: Sink
  readonly store: { readonly sinks: SinkStore; readonly reader: Pick<FrontierReader, 'items' | 'sinks' | 'counts' | 'info'> }
  readonly rejects: SinkRejects
  readonly crawl: SinkSession['crawl']
  /** Whether other processes may commit items, or run the sink. */
  readonly isShared: boolean
}
