// A request that is handed out, from the columns that stores on SQL tables have of it. In place, field by field: it is made for each page.
import { requestLaws, type Leased } from '@avocet/core/store'
import { settledState, urlOf } from './states.ts'

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
  /** Null, or absent: it was not visited before. */
  readonly visits?: number | null
  readonly askedAt?: number | null
}

/** What is not in the row. `origin`: that of the host. */
interface Context extends Pick<Leased, 'fingerprint' | 'hostKey' | 'handler'> {
  readonly origin: string
}

type Writable<Type> = { -readonly [Field in keyof Type]: Type[Field] }

/** The request of `row`. */
export function leasedRequestOf(row: LeasedRequestRow, { fingerprint, hostKey, handler, origin }: Context): Leased {
  const { id, path, depth, rank, attempts, free_attempts } = row
  const url = urlOf(path, origin)
  const tried = { attempts: attempts ?? 0, freeAttempts: free_attempts ?? 0 }
  const leased: Writable<Leased> = { id, fingerprint, hostKey, url, handler, depth, priority: -rank || 0, ...tried }
  if (row.parent !== null) leased.parentId = row.parent
  if (row.parent_path !== null) leased.parent = urlOf(row.parent_path, row.parent_origin ?? origin)
  fillIn(leased, row)
  const earlier = wasVisited(row) ? requestLaws.earlierOf(row) : undefined
  if (earlier !== undefined) leased.earlier = earlier
  // Of a later visit, what was asked for the first one says nothing.
  const again = earlier !== undefined ? row.askedAt : row.first_asked_at
  if (typeof again === 'number') leased.again = again
  const was = settledState(row.state)
  if (was !== undefined) leased.was = was
  if ((row.deaths ?? 0) >= requestLaws.SUSPECTED_AFTER_RUNS) leased.suspected = true
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

/** Whether it was visited before: then all that is known of its visits was read. */
function wasVisited(row: LeasedRequestRow): row is LeasedRequestRow & Parameters<typeof requestLaws.earlierOf>[0] {
  return typeof row.visits === 'number'
}
