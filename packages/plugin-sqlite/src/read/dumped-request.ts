// A request as a record of a dump, from all tables that have something of it.
import type { DumpedRequest, Fingerprint } from '@avocet/core/store'
import { dumpedRequestOf, type DumpedRequestRow } from '@avocet/store-sql'

/** A row of `REQUESTS`. */
export type StoredRequestRow = DumpedRequestRow & { readonly fingerprint: Buffer }

/** Requests after an id, in order: parameters are that id and how many. */
export const REQUESTS: string = `SELECT r.id, r.path, r.fingerprint, r.parent, r.depth, r.rank, r.anchor, h.key AS host_key, h.origin, w.word AS handler,
  e.method, e.headers, e.body, e.data, e.hops, e.redirected_from, e.identity, e.asked_at AS first_asked_at,
  a.state, a.attempts, a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, a.run,
  y.word AS reason, t.blame, t.target, k.kind AS error_kind, d.not_before, x.runs AS deaths,
  v.visits, v.due_at, v.skipped, v.etag, v.last_modified, v.body_hash, v.missing, v.missing_since, v.asked_at, v.asked_by, v.page_at, v.page_visit
  FROM request r JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler LEFT JOIN extra e ON e.id = r.id LEFT JOIN attempt a ON a.id = r.id
  LEFT JOIN trouble t ON t.id = r.id LEFT JOIN reason y ON y.id = t.reason LEFT JOIN handler_error k ON k.id = t.error
  LEFT JOIN delayed d ON d.id = r.id LEFT JOIN death x ON x.id = r.id
  LEFT JOIN visited v ON v.id = r.id WHERE r.id > ? ORDER BY r.id LIMIT ? + 0`

/** The record of a row. */
export function dumpedRequest(row: StoredRequestRow): DumpedRequest {
  return dumpedRequestOf(row, row.fingerprint.toString('latin1') as Fingerprint)
}
