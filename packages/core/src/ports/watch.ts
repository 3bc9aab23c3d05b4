// Changes of watched items: what a page shows of an item, what the store knows of it, and what it records.
import type { Json } from '../values/json.ts'

/** A watched item as a page shows it. */
export interface WatchedValue {
  /** Identifies the item at its host. */
  readonly key: string
  /** Its watched fields as JSON text, in canonical form: what differs has changed. */
  readonly value: string
}

/**
 * What a page says of the items that were seen on it before. `all`: it lacks those that it does not show, and after `goneAfterVisits` such visits in a row
 * it is none of their pages. `unchanged`: it is as it was at its last visit. `some`: it says nothing of those that it does not show. `gone`: it is believed
 * to be gone itself. `isOnce`: it is its first visit and, as far as is known, its last: what it shows is not remembered of it.
 */
export type WatchedPage = { readonly isOnce?: true } & (
  | { readonly shows: 'all' | 'unchanged'; readonly goneAfterVisits: number }
  | { readonly shows: 'some' | 'gone' }
)

/** What became of a watched item. `back`: it was gone before. */
export type ChangeKind = 'new' | 'changed' | 'gone' | 'back'

/** What becomes of held items: they are items from then on, as if they had never been held, or go. */
export type HeldFate = 'publish' | 'drop'

/** A recorded change. */
export interface ChangeRecord {
  /** Ascends in the order of commits, never repeats within a store. */
  readonly seq: number
  readonly kind: ChangeKind
  readonly hostKey: string
  readonly key: string
  /** URL of the page that shows it, or that no longer does. */
  readonly url: string
  readonly requestId: number
  /** Number of the visit; 0: the first. */
  readonly visit: number
  /** Epoch ms at which the page was fetched. */
  readonly at: number
  /** Watched fields before: of what was there. */
  readonly before?: Readonly<Record<string, Json>>
  /** Watched fields from now on: of what is there. */
  readonly after?: Readonly<Record<string, Json>>
}

/** Which changes to list, in the order of their commits. What is absent does not narrow. */
export interface ChangeQuery {
  /** Default 0: from the start. */
  readonly afterSeq?: number
  /** Fetched at this epoch ms or later. */
  readonly since?: number
  readonly hostKey?: string
  readonly key?: string
  /** The last one first. */
  readonly newestFirst?: true
  /** Default: all. */
  readonly limit?: number
}
