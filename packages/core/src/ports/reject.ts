// Rejects: items that the spider's schema or a sink refused. They are kept aside with the reason, the page and their place.
//
// A place is (request, visit, ordinal), as of items. A reject of the schema is no item: its place stays free for the item
// of a later visit. A reject of a sink is one that this sink does not get: the item itself is where it was, and other sinks have it.
import { beginningOf } from '../values/shown.ts'
import { alikeMessage } from './handler-error.ts'

/** The source of rejects of the spider's schema. No sink may have this name. */
export const SCHEMA_SOURCE = 'schema'

/** The source of items that a plugin holds back (`Handled.hold`). No sink may have this name. */
export const HELD_SOURCE = 'held'

/** Groups of a store that are listed one by one. */
export const MAX_REJECT_GROUPS = 100

/** What those beyond them are counted as, source by source. */
export const OTHER_REASONS = 'further reasons'

/** A reason is cut to so many characters. */
const MOST_OF_REASON = 500
/** And what it has in common with others of its group. */
const MOST_OF_GROUP = 200

/** What the schema refused of a page, committed with it. */
export interface NewReject {
  /** The item as the handler yielded it. */
  readonly json: string
  /** Its place among all that the page yielded. */
  readonly ordinal: number
  /** In words, with the path of the field: `price: expected number, got text`. */
  readonly reason: string
  /** Epoch ms. */
  readonly at: number
}

/** An item that a sink could not write. It stays an item. */
export interface SinkReject {
  /** Name of the sink. */
  readonly source: string
  readonly requestId: number
  /** 0: the first. */
  readonly visit: number
  /** Of a change: minus its number, which is the place of no item. */
  readonly ordinal: number
  /** Of a change, as the sink gets it. Absent: the item is in the store. */
  readonly json?: string
  /** In words; cut to 500 characters. */
  readonly reason: string
  /** Epoch ms. */
  readonly at: number
}

/** A reject at rest. */
export interface RejectRecord {
  readonly id: number
  /** `schema`, `held`, or the name of the sink. */
  readonly source: string
  readonly requestId: number
  /** Of the page. */
  readonly url: string
  readonly hostKey: string
  /** Of the page. */
  readonly handler: string
  /** 0: the first. */
  readonly visit: number
  readonly ordinal: number
  /** Of the item that a sink refused; absent for rejects of the schema, which are no items. */
  readonly seq?: number
  readonly json: string
  readonly reason: string
  /** Epoch ms. */
  readonly at: number
}

/** Which rejects to list. Pages go by id. */
export interface RejectQuery {
  readonly source?: string
  readonly hostKey?: string
  readonly afterId?: number
  /** Default: all. */
  readonly limit?: number
}

/** Rejects of one source with reasons that are alike. */
export interface RejectGroup {
  /** `schema`, or the name of a sink. */
  readonly source: string
  /** That of the first of them. */
  readonly reason: string
  /** How many the store has. */
  readonly count: number
  /** The page of the first of them. */
  readonly url: string
}

/** The part of a frontier that keeps rejects. */
export interface RejectStore {
  /**
   * Keeps rejects of sinks. One that is there gets the new reason; one whose item is gone is left out. One transaction; returns how many were not there
   * before.
   */
  setAside(rejects: readonly SinkReject[]): Promise<number>
  /** These are rejects no longer: their sink gets them again. Ids that are gone are left alone. One transaction; returns how many went. */
  forget(ids: readonly number[]): Promise<number>
}

/** The reason as it is kept. */
export function keptReason(reason: string): string {
  return reason.length > MOST_OF_REASON ? `${beginningOf(reason, MOST_OF_REASON - 1)}…` : reason
}

/**
 * What reasons that are alike have in common: without URLs, numbers and quoted texts, and `[]` for each place of a list.
 *
 * @example
 * ```ts
 * rejectGroupOf('offers[3].price: must be at least 0 (was -5)') // 'offers[].price: must be at least 0 (was -0)'
 * ```
 */
export function rejectGroupOf(reason: string): string {
  return beginningOf(alikeMessage(reason.replaceAll(/\[\d+\]/g, '[]')), MOST_OF_GROUP)
}
