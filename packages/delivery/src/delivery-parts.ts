// What a delivery works with: a sink, a store with patience, time and chance.
import type { Sink, SinkLimits, SinkSession } from '@avocet/core/sink'
import type { FrontierReader, Ports, SinkStore } from '@avocet/core/store'
import type { SinkRejects } from './sink-rejects.ts'

/** What core gives to its port. */
export type DeliveryWish = Parameters<Ports['delivery']>[0]

/** Until when to deliver what is there. */
export type DeliveryEnd = Parameters<Awaited<ReturnType<Ports['delivery']>>['finish']>[0]

/** The parts of a delivery. */
export interface DeliveryParts extends Omit<DeliveryWish, 'sinks' | 'frontier' | 'keep' | 'isWatching'> {
  readonly sink: Sink
  readonly store: { readonly sinks: SinkStore; readonly reader: Pick<FrontierReader, 'items' | 'counts' | 'info' | 'sinks'> }
  readonly rejects: SinkRejects
  readonly crawl: SinkSession['crawl']
  /** Whether other processes may commit items, or run the sink. */
  readonly isShared: boolean
}

/** Where a sink says nothing. */
export const DEFAULT_SINK_LIMITS: SinkLimits = { maxItems: 256, maxBytes: 4 * 2 ** 20, maxWaitMs: 1_000, timeoutMs: 60_000 }

// How many items a sink lacks by its mark in the store, suspects among them.

/** Of a sink that the store does not know yet: all that there are. */
export async function behindInStore({ make, store, sink }: Pick<DeliveryParts, 'make' | 'store' | 'sink'>): Promise<number> {
  const known = (await make('sink', () => store.reader.sinks())).find(({ name }) => name === sink.name)
  if (known !== undefined) return known.behind
  const { items, itemsGone = 0 } = await make('sink', () => store.reader.counts())
  return items - itemsGone
}
