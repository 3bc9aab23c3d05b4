// A row that is handed out (schema/request-functions.sql.ts), as core has it.
import type { Earlier, Leased } from '@avocet/core/store'
import { settledState, SUSPECTED_AFTER_RUNS, urlOf } from '@avocet/store-sql'
import { fingerprintIn } from './identity/known-cache.ts'

type Text = string | null
type Whole = number | null

/** [host, id, fingerprint, parent, rank, depth, handler, path, anchor, from delayed, path and origin of the parent, and what is rare]. */
export type LeasedRow = readonly [
  host: number,
  id: number,
  fingerprint: string,
  parent: Whole,
  rank: number,
  depth: number,
  handler: number,
  path: string,
  anchor: Text,
  later: boolean,
  parentPath: Text,
  parentOrigin: Text,
  attempt: readonly [attempts: number, free: number, state: number] | null,
  deaths: Whole,
  extra:
    | readonly [method: Text, headers: Text, body: Text, data: Text, hops: Whole, from: Text, identity: Text, asked: Whole]
    | null,
  visited:
    | readonly [
        visits: number,
        due: number,
        skipped: number,
        etag: Text,
        modified: Text,
        hash: Text,
        missing: number,
        since: Whole,
        asked: Whole,
      ]
    | null,
]

/** Its host, and the word of its handler. */
interface Context {
  readonly hostKey: string
  readonly origin: string
  readonly handler: string
}

type Writable<Type> = { -readonly [Field in keyof Type]: Type[Field] }

/** The request of `row`. */
export function leasedOf(row: LeasedRow, { hostKey, origin, handler }: Context): Leased {
  const [, id, fingerprint, parent, rank, depth, , path, anchor, , parentPath, parentOrigin, attempt] = row
  const leased: Writable<Leased> = {
    id,
    fingerprint: fingerprintIn(fingerprint),
    hostKey,
    url: urlOf(path, origin),
    handler,
    depth,
    priority: -rank || 0,
    attempts: attempt?.[0] ?? 0,
    freeAttempts: attempt?.[1] ?? 0,
  }
  if (parent !== null) leased.parentId = parent
  if (parentPath !== null) leased.parent = urlOf(parentPath, parentOrigin ?? origin)
  if (anchor !== null) leased.anchorText = anchor
  addRare(leased, row)
  return leased
}

/** What few requests have. */
function addRare(leased: Writable<Leased>, row: LeasedRow): void {
  const [attempt, deaths, extra, visited] = [row[12], row[13], row[14], row[15]]
  if (extra !== null) fillIn(leased, extra)
  if (visited !== null) leased.earlier = earlierOf(visited)
  // Of a later visit, what was asked for the first one says nothing.
  const again = visited === null ? extra?.[7] : visited[8]
  if (typeof again === 'number') leased.again = again
  const was = settledState(attempt?.[2])
  if (was !== undefined) leased.was = was
  if ((deaths ?? 0) >= SUSPECTED_AFTER_RUNS) leased.suspected = true
}

function fillIn(leased: Writable<Leased>, extra: NonNullable<LeasedRow[14]>): void {
  const [method, headers, body, data, hops, from, identity] = extra
  if (method !== null) leased.method = method
  if (headers !== null) leased.headersJson = headers
  if (body !== null) leased.body = body
  if (data !== null) leased.dataJson = data
  if (hops !== null) leased.hops = hops
  if (from !== null) leased.redirectedFrom = from
  if (identity !== null) leased.identity = identity
}

function earlierOf([visits, dueAt, skipped, etag, modified, hash, missing, since]: NonNullable<LeasedRow[15]>): Earlier {
  return {
    visits,
    dueAt,
    skipped,
    ...(etag !== null && { etag }),
    ...(modified !== null && { lastModified: modified }),
    ...(hash !== null && { bodyHash: hash }),
    ...(missing > 0 && { missing: { visits: missing, since: since ?? 0 } }),
    ...(missing < 0 && { gone: true }),
  }
}
