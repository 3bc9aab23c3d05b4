// What a delivery works with: a sink, a store with patience, time and chance.
import type { Sink, SinkLimits, SinkSession } from '@avocet/core/sink'
import type { FrontierReader, ItemRecord, Ports, SinkStore, ChangeRecord } from '@avocet/core/store'
import type { SinkRejects } from './sink-rejects.ts'
import type { Json } from '@avocet/core'

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

// A change of a watched item, as sinks and programs get it: with the same fields everywhere.

/** A change of a watched item as a sink with `changes: true` gets it, in place of an item. */
export type ItemChange = {
  /** When the page was fetched: `2026-01-01T00:00:00.000Z`. */
  readonly at: string
  readonly kind: ChangeRecord['kind']
  /** Of the item, as `key` is. */
  readonly host: string
  readonly key: string
  /** Its watched fields; null: it was not there. */
  readonly before: Readonly<Record<string, Json>> | null
  /** Null: it is gone. */
  readonly after: Readonly<Record<string, Json>> | null
  /** Of the page that shows it, or no longer does. */
  readonly url: string
  /** Of that page; 0: the first. */
  readonly visit: number
  /** Number of the change. */
  readonly seq: number
}

/** A recorded change in that form. */
export function itemChangeOf(change: ChangeRecord): ItemChange {
  const { seq, at, kind, hostKey: host, key, before = null, after = null, url, visit } = change
  return { at: new Date(at).toISOString(), kind, host, key, before, after, url, visit, seq }
}
