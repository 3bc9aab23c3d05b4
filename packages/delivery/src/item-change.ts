// A change of a watched item, as sinks and programs get it: with the same fields everywhere.
import type { Json } from '@avocet/core'
import type { ChangeRecord } from '@avocet/core/store'

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
