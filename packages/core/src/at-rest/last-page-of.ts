// The last page that a handler got of a request, by the columns that stores on SQL tables have of it.
import { STATES } from './states.ts'

/** Columns of a request; null where there is no row. `visits` is there with a row of its visits alone. */
export interface LastPageRow {
  readonly visits: number | null
  readonly page_at: number | null
  readonly page_visit: number | null
  readonly state: number | null
  readonly fetched_at: number | null
}

/** When it was fetched, epoch ms, and which visit its items are of; undefined where that is not known. */
export function lastPageOf(row: LastPageRow | undefined): { readonly at: number; readonly visit: number } | undefined {
  if (row === undefined) return undefined
  const { visits, page_at, page_visit, state, fetched_at } = row
  if (visits !== null) return page_at === null ? undefined : { at: page_at, visit: page_visit ?? 0 }
  // One that was visited once: what it was fetched for since then has failed.
  return state !== STATES.indexOf('done') || fetched_at === null ? undefined : { at: fetched_at, visit: 0 }
}
