// Items and records at rest, from the columns that stores on SQL tables have of them.
import type { DocumentRecord, ItemRecord } from '@avocet/core/store'
import { urlOf } from './states.ts'

/** Columns of an item and its page. */
export interface ItemRecordRow {
  readonly seq: number
  readonly request: number
  readonly visit: number
  readonly ordinal: number
  readonly json: string
  readonly path: string
  readonly origin: string
}

/** Columns of a record and its document. */
export interface DocumentRecordRow extends ItemRecordRow {
  readonly handler: string
}

/** A row as readers see it. */
export function itemRecordOf({ seq, request, ordinal, json, visit, path, origin }: ItemRecordRow): ItemRecord {
  const item = { seq, requestId: request, url: urlOf(path, origin), ordinal, json }
  return visit > 0 ? { ...item, visit } : item
}

/** A row as readers see it. */
export function documentRecordOf(row: DocumentRecordRow): DocumentRecord {
  return { ...itemRecordOf(row), handler: row.handler }
}
