// A request that is handed out, from the columns that stores on SQL tables have of it. In place, field by field: it is made for each page.
import type { Earlier, Leased } from '@avocet/core/store'
import { settledState, SUSPECTED_AFTER_RUNS, urlOf } from './states.ts'

/** Its columns, but for its fingerprint, its host and the word of its handler. What is absent was not read: there is nothing. */
export interface LeasedRequestRow {
  readonly id: number
  readonly path: string
  readonly parent: number | null
  readonly depth: number
  readonly rank: number
  readonly anchor: string | null
  readonly parent_path: string | null
  readonly parent_origin: string | null
  readonly state?: number | null
  readonly attempts?: number | null
  readonly free_attempts?: number | null
  readonly deaths?: number | null
  readonly method?: string | null
  readonly headers?: string | null
  readonly body?: string | null
  readonly data?: string | null
  readonly hops?: number | null
  readonly redirected_from?: string | null
  readonly identity?: string | null
  readonly first_asked_at?: number | null
  readonly visits?: number | null
  readonly due_at?: number | null
  readonly skipped?: number | null
  readonly etag?: string | null
  readonly last_modified?: string | null
  readonly body_hash?: string | null
  readonly missing?: number | null
  readonly missing_since?: number | null
  readonly asked_at?: number | null
}

/** What is not in the row. `origin`: that of the host. */
interface Context extends Pick<Leased, 'fingerprint' | 'hostKey' | 'handler'> {
  readonly origin: string
}

type Writable<Type> = { -readonly [Field in keyof Type]: Type[Field] }

/** The request of `row`. */
export function leasedRequestOf(row: LeasedRequestRow, { fingerprint, hostKey, handler, origin }: Context): Leased {
  const { id, path, depth, rank, attempts, free_attempts, visits } = row
  const url = urlOf(path, origin)
  const tried = { attempts: attempts ?? 0, freeAttempts: free_attempts ?? 0 }
  const leased: Writable<Leased> = { id, fingerprint, hostKey, url, handler, depth, priority: -rank || 0, ...tried }
  if (row.parent !== null) leased.parentId = row.parent
  if (row.parent_path !== null) leased.parent = urlOf(row.parent_path, row.parent_origin ?? origin)
  fillIn(leased, row)
  if (typeof visits === 'number') leased.earlier = earlierOf(row, visits)
  // Of a later visit, what was asked for the first one says nothing.
  const again = typeof visits === 'number' ? row.asked_at : row.first_asked_at
  if (typeof again === 'number') leased.again = again
  const was = settledState(row.state)
  if (was !== undefined) leased.was = was
  if ((row.deaths ?? 0) >= SUSPECTED_AFTER_RUNS) leased.suspected = true
  return leased
}

/** Gives `request` what not every link says. */
function fillIn(request: Writable<Leased>, row: LeasedRequestRow): void {
  if (typeof row.anchor === 'string') request.anchorText = row.anchor
  if (typeof row.method === 'string') request.method = row.method
  if (typeof row.headers === 'string') request.headersJson = row.headers
  if (typeof row.body === 'string') request.body = row.body
  if (typeof row.data === 'string') request.dataJson = row.data
  if (typeof row.hops === 'number') request.hops = row.hops
  if (typeof row.redirected_from === 'string') request.redirectedFrom = row.redirected_from
  if (typeof row.identity === 'string') request.identity = row.identity
}

function earlierOf(row: LeasedRequestRow, visits: number): Earlier {
  const { due_at, skipped, etag, last_modified, body_hash, missing, missing_since } = row
  return {
    visits,
    dueAt: due_at ?? 0,
    skipped: skipped ?? 0,
    ...(typeof etag === 'string' && { etag }),
    ...(typeof last_modified === 'string' && { lastModified: last_modified }),
    ...(typeof body_hash === 'string' && { bodyHash: body_hash }),
    ...(typeof missing === 'number' && missing > 0 && { missing: { visits: missing, since: missing_since ?? 0 } }),
    ...(typeof missing === 'number' && missing < 0 && { gone: true as const }),
  }
}
