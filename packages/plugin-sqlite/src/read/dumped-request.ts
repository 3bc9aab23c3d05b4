// A request as a record of a dump, from all tables that have something of it.
import { cutOf, STATES, urlOf, type Blame, type DumpedRequest, type Earlier, type Fingerprint } from '@avocet/core/store'
import { CUT_COLUMNS, type RequestRow } from '../queue/request-table.ts'

/** A row of `REQUESTS`. */
export interface DumpedRequestRow extends RequestRow {
  readonly host_key: string
  readonly origin: string
  readonly handler: string
  readonly parent: number | null
  readonly first_asked_at: number | null
  readonly state: number | null
  readonly attempts: number | null
  readonly free_attempts: number | null
  readonly fetched_at: number | null
  readonly status: number | null
  readonly duration_ms: number | null
  readonly wire_bytes: number | null
  readonly first_at: number | null
  readonly run: number | null
  readonly reason: string | null
  readonly blame: Blame | null
  readonly target: string | null
  readonly error_kind: string | null
  readonly cut_for: string | null
  readonly cut_of: number | null
  readonly cut_left: number | null
  readonly reread: number | null
  readonly not_before: number | null
  readonly deaths: number | null
  readonly visits: number | null
  readonly due_at: number | null
  readonly skipped: number | null
  readonly etag: string | null
  readonly last_modified: string | null
  readonly body_hash: string | null
  readonly missing: number | null
  readonly missing_since: number | null
  readonly asked_at: number | null
  readonly asked_by: number | null
  readonly page_at: number | null
  readonly page_visit: number | null
}

/** Requests after an id, in order: parameters are that id and how many. */
export const REQUESTS: string = `SELECT r.id, r.path, r.fingerprint, r.parent, r.depth, r.rank, r.anchor, h.key AS host_key, h.origin, w.word AS handler,
  e.method, e.headers, e.body, e.data, e.hops, e.redirected_from, e.identity, e.asked_at AS first_asked_at,
  a.state, a.attempts, a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, a.first_at, a.run,
  y.word AS reason, t.blame, t.target, k.kind AS error_kind, ${CUT_COLUMNS}, c.reread, d.not_before, x.runs AS deaths,
  v.visits, v.due_at, v.skipped, v.etag, v.last_modified, v.body_hash, v.missing, v.missing_since, v.asked_at, v.asked_by, v.page_at, v.page_visit
  FROM request r JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler LEFT JOIN extra e ON e.id = r.id LEFT JOIN attempt a ON a.id = r.id
  LEFT JOIN trouble t ON t.id = r.id LEFT JOIN reason y ON y.id = t.reason LEFT JOIN handler_error k ON k.id = t.error
  LEFT JOIN cut c ON c.id = r.id LEFT JOIN reason z ON z.id = c.reason LEFT JOIN delayed d ON d.id = r.id LEFT JOIN death x ON x.id = r.id
  LEFT JOIN visited v ON v.id = r.id WHERE r.id > ? ORDER BY r.id LIMIT ? + 0`

/** Leaves out what is NULL. */
function said<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }
}

/** The record of a row. */
export function dumpedRequest(row: DumpedRequestRow): DumpedRequest {
  const { fetched_at: at, status, duration_ms: durationMs, wire_bytes: wireBytes } = row
  const fetched = said({ at, status, durationMs, wireBytes })
  const page = said({ at: row.page_at, visit: row.page_visit })
  return {
    type: 'request',
    id: row.id,
    fingerprint: row.fingerprint.toString('latin1') as Fingerprint,
    hostKey: row.host_key,
    url: urlOf(row.path, row.origin),
    handler: row.handler,
    depth: row.depth,
    priority: -row.rank || 0,
    state: STATES[row.state ?? 0] ?? 'waiting',
    attempts: row.attempts ?? 0,
    freeAttempts: row.free_attempts ?? 0,
    ...linkOf(row),
    ...said({ notBefore: row.not_before, firstAt: row.first_at, visitedIn: row.run, reason: row.reason, blame: row.blame }),
    ...said({ target: row.target, errorKind: row.error_kind, cut: cutOf(row), earlier: earlierOf(row), deaths: row.deaths }),
    ...(row.reread === 1 && { isReread: true }),
    ...(Object.keys(fetched).length > 0 && { fetched }),
    ...(row.asked_at !== null && { asked: { at: row.asked_at, ...(row.asked_by !== null && { by: row.asked_by }) } }),
    ...(Object.keys(page).length > 0 && { page }),
  }
}

/** What the link said beside the URL. */
function linkOf(row: DumpedRequestRow): Partial<DumpedRequest> {
  const { method, headers: headersJson, body, data: dataJson, hops, identity } = row
  return said({
    ...{ method, headersJson, body, dataJson, hops, identity },
    redirectedFrom: row.redirected_from,
    anchorText: row.anchor,
    parentId: row.parent,
    again: row.first_asked_at,
  })
}

function earlierOf(row: DumpedRequestRow): Earlier | undefined {
  const { visits, skipped, etag, last_modified: lastModified, body_hash: bodyHash, missing, missing_since: since } = row
  if (visits === null) return undefined
  return {
    visits,
    dueAt: row.due_at ?? 0,
    skipped: skipped ?? 0,
    ...said({ etag, lastModified, bodyHash }),
    ...(missing !== null && missing > 0 && { missing: { visits: missing, since: since ?? 0 } }),
    ...(missing !== null && missing < 0 && { gone: true as const }),
  }
}
