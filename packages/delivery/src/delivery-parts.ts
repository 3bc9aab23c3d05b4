// What a delivery works with: a sink, a store with patience, time and chance.
import type { Sink, SinkLimits, SinkSession } from '@avocet/core/sink'
import type { FrontierReader, ItemRecord, Ports, SinkStore } from '@avocet/core/store'
import { itemChangeOf } from './item-change.ts'
import type { SinkRejects } from './sink-rejects.ts'

/** What core gives to its port. */
export type DeliveryWish = Parameters<Ports['delivery']>[0]

/** Until when to deliver what is there. */
export type DeliveryEnd = Parameters<Awaited<ReturnType<Ports['delivery']>>['finish']>[0]

/** The parts of a delivery. */
export interface DeliveryParts extends Omit<DeliveryWish, 'sinks' | 'frontier' | 'keep' | 'isRevisiting'> {
  readonly sink: Sink
  readonly store: {
    readonly sinks: SinkStore
    readonly reader: Pick<FrontierReader, 'items' | 'changes' | 'counts' | 'info' | 'sinks'>
  }
  readonly rejects: SinkRejects
  readonly crawl: SinkSession['crawl']
  /** Whether other processes may commit items, or run the sink. */
  readonly isShared: boolean
}

/** Where a sink says nothing. */
export const DEFAULT_SINK_LIMITS: SinkLimits = { maxItems: 256, maxBytes: 4 * 2 ** 20, maxWaitMs: 1_000, timeoutMs: 60_000 }

type Reading = Pick<DeliveryParts, 'make' | 'store' | 'sink'>

// How many items, or changes, a sink lacks by its mark in the store, suspects among them.

/** Of a sink that the store does not know yet: all that there are. */
export async function behindInStore({ make, store, sink }: Reading): Promise<number> {
  const { reader } = store
  const known = (await make('sink', () => reader.sinks())).find(({ name }) => name === sink.name)
  if (known !== undefined) return known.behind
  if (sink.changes === true) return (await make('sink', () => reader.changes({ newestFirst: true, limit: 1 })))[0]?.seq ?? 0
  const { items, itemsGone = 0 } = await make('sink', () => reader.counts())
  return items - itemsGone
}

// What a sink gets, by number: items, or changes in the form of items.

/** The next ones behind a number. */
export async function nextFor(
  { make, store, sink }: Reading,
  query: { readonly afterSeq: number; readonly limit: number },
): Promise<readonly ItemRecord[]> {
  if (sink.changes !== true) return make('items of a sink', () => store.reader.items(query))
  const changes = await make('changes of a sink', () => store.reader.changes(query))
  return changes.map((change) => {
    const { seq, requestId, url, visit } = change
    // At a place that no item has (`SinkReject.ordinal`).
    return { seq, requestId, url, visit, ordinal: -seq, json: JSON.stringify(itemChangeOf(change)) }
  })
}
