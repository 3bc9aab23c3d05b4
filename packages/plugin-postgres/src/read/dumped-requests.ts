// Requests as records of a dump, page by page: each table that may have something of them is read over the same range of ids, in its own order.
import type { DumpedRequest } from '@avocet/core/store'
import { dumpedRequestOf, type DumpedRequestRow } from '@avocet/store-sql'
import type { Snapshot } from '../connection/queries.ts'
import { fingerprintIn } from '../identity/fingerprint-hex.ts'
import type { DenseIds } from './dense-ids.ts'

const AT_ONCE = 4_000

type StoredRow = Omit<DumpedRequestRow, keyof typeof NOTHING> & { readonly fingerprint: string }

const PAGE = `SELECT r.id, r.path, r.fingerprint, r.parent, r.depth, r.rank, r.anchor, h.key AS host_key, h.origin, w.word AS handler FROM (
    SELECT * FROM {S}.request WHERE id > $1 ORDER BY id LIMIT $2) r
  CROSS JOIN LATERAL (SELECT key, origin FROM {S}.host WHERE id = r.host LIMIT 1) h
  CROSS JOIN LATERAL (SELECT word FROM {S}.handler WHERE id = r.handler LIMIT 1) w ORDER BY r.id`

/** What other tables have of a range of requests. */
const MORE: readonly string[] = [
  `SELECT id, state, attempts, free_attempts, fetched_at, status, duration_ms, wire_bytes, nullif(run, 0) AS run FROM {S}.attempt`,
  'SELECT id, method, headers, body, data, hops, redirected_from, identity, asked_at AS first_asked_at FROM {S}.extra',
  `SELECT t.id, (SELECT word FROM {S}.reason WHERE id = t.reason) AS reason, t.blame, t.target,
     (SELECT kind FROM {S}.handler_error WHERE id = t.error) AS error_kind FROM {S}.trouble t`,
  'SELECT id, not_before FROM {S}.delayed',
  'SELECT id, runs AS deaths FROM {S}.death',
  `SELECT id, visits, due_at, skipped, etag, last_modified, body_hash, missing, missing_since, asked_at, asked_by, page_at, page_visit FROM {S}.visited`,
].map((select) => `${select} WHERE id > $1 AND id <= $2`)

/** A request of which no other table has anything. */
const NOTHING = {
  ...{ state: null, attempts: null, free_attempts: null, fetched_at: null, status: null, duration_ms: null, wire_bytes: null },
  ...{ run: null, method: null, headers: null, body: null, data: null, hops: null, redirected_from: null },
  ...{ identity: null, first_asked_at: null, reason: null, blame: null, target: null, error_kind: null },
  ...{ not_before: null, deaths: null, visits: null, due_at: null, skipped: null },
  ...{ etag: null, last_modified: null, body_hash: null, missing: null, missing_since: null, asked_at: null, asked_by: null },
  ...{ page_at: null, page_visit: null },
} as const

/** All requests by id; returns how many there were. */
export async function* dumpedRequests(view: Snapshot, ids: DenseIds): AsyncGenerator<DumpedRequest, number> {
  let count = 0
  for (let after = 0; ;) {
    const rows = await view.all<StoredRow>(PAGE, [after, AT_ONCE])
    const upTo = rows.at(-1)?.id ?? after
    const more = await moreOf(view, after, upTo)
    for (const row of rows) yield recordOf({ ...NOTHING, ...row, ...more.get(row.id) }, ids)
    count += rows.length
    if (rows.length < AT_ONCE) return count
    after = upTo
  }
}

async function moreOf(view: Snapshot, after: number, upTo: number): Promise<ReadonlyMap<number, object>> {
  const found = new Map<number, object>()
  for (const select of MORE) {
    for (const row of await view.all<{ readonly id: number }>(select, [after, upTo])) {
      const other = found.get(row.id)
      if (other === undefined) found.set(row.id, row)
      else Object.assign(other, row)
    }
  }
  return found
}

function recordOf(row: DumpedRequestRow & { readonly fingerprint: string }, ids: DenseIds): DumpedRequest {
  const { id, parent, asked_by } = row
  const dense = { id: ids.of(id), parent: parent && ids.of(parent), asked_by: asked_by && ids.of(asked_by) }
  return dumpedRequestOf({ ...row, ...dense }, fingerprintIn(row.fingerprint))
}
