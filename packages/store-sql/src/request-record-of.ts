// A request at rest, from the columns that stores on SQL tables have of it.
import type { Json } from '@avocet/core'
import { type Blame, type HandlerError, rendersOf, type RequestRecord, sessionOf, storedJson } from '@avocet/core/store'
import { STATES, urlOf } from './states.ts'

/** A request, its host and what became of it, as columns; null where there is nothing. Flags of SQL and dates are numbers. */
export interface RequestRecordRow {
  readonly id: number
  readonly path: string
  readonly origin: string
  readonly host_key: string
  readonly handler: string
  readonly depth: number
  readonly rank: number
  readonly anchor: string | null
  readonly method: string | null
  readonly headers: string | null
  readonly body: string | null
  readonly data: string | null
  readonly identity: string | null
  readonly state: number | null
  readonly attempts: number | null
  readonly free_attempts: number | null
  readonly fetched_at: number | null
  readonly status: number | null
  readonly duration_ms: number | null
  readonly wire_bytes: number | null
  readonly reason: string | null
  readonly blame: Blame | null
  readonly handler_error: string | null
  readonly target: string | null
  readonly not_before: number | null
  readonly redirected_from: string | null
  readonly parent_path: string | null
  readonly parent_origin: string | null
  readonly visits: number | null
  readonly skipped: number | null
  readonly missing: number | null
  readonly missing_since: number | null
  readonly asked_at: number | null
  readonly asked_path: string | null
  readonly asked_origin: string | null
}

/** These columns in SQL: of a request r, its host h, handler w, attempt a, trouble t with its reason y and error k, and what else there is of it. */
export const REQUEST_RECORD_COLUMNS = `r.id, r.path, h.origin, h.key AS host_key, w.word AS handler, r.depth, r.rank, r.anchor, a.state, a.attempts,
  a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, y.word AS reason, t.blame, k.json AS handler_error, t.target, d.not_before,
  e.redirected_from, e.method, e.headers, e.body, e.data, e.identity, p.path AS parent_path, ph.origin AS parent_origin, v.visits, v.skipped, v.missing,
  v.missing_since, v.asked_at, q.path AS asked_path, qh.origin AS asked_origin`

/** A row as readers see it. */
export function requestRecordOf(row: RequestRecordRow): RequestRecord {
  const state = STATES[row.state ?? 0] ?? 'waiting'
  const optional = {
    parent: row.parent_path === null ? null : urlOf(row.parent_path, row.parent_origin ?? ''),
    anchorText: row.anchor,
    redirectedFrom: row.redirected_from,
    target: state === 'moved' ? row.target : null,
    reason: state === 'done' ? null : row.reason,
    blame: row.blame,
    handlerError: state === 'failed' && row.handler_error !== null ? (JSON.parse(row.handler_error) as HandlerError) : null,
    notBefore: row.not_before,
    asked: askedOf(row),
    fetchedAt: row.fetched_at,
    status: row.status,
    durationMs: row.duration_ms,
    wireBytes: row.wire_bytes,
    visits: row.visits,
    skipped: row.skipped,
    missing: row.missing !== null && row.missing > 0 ? { visits: row.missing, since: row.missing_since ?? 0 } : null,
    gone: row.missing !== null && row.missing < 0 ? true : null,
  }
  return {
    id: row.id,
    url: urlOf(row.path, row.origin),
    handler: row.handler,
    hostKey: row.host_key,
    state,
    depth: row.depth,
    priority: -row.rank || 0,
    attempts: row.attempts ?? 0,
    freeAttempts: row.free_attempts ?? 0,
    ...saidOf(row),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)),
  }
}

/** What its link said beside the URL. `null` is data. */
function saidOf({ method, headers, body, data, identity }: RequestRecordRow): Partial<RequestRecord> {
  return {
    ...(method !== null && { method }),
    ...(headers !== null && {
      headers: storedJson(headers, 'the headers of a request') as Readonly<Record<string, string>>,
    }),
    ...(body !== null && { body }),
    ...(data !== null && { data: storedJson(data, 'the data of a request') as Json }),
    ...(identity !== null && identified(identity)),
  }
}

function identified(identity: string): Partial<RequestRecord> {
  const session = sessionOf(identity)
  return { identity, ...(session !== undefined && { session }), ...(rendersOf(identity) && { render: 'browser' }) }
}

function askedOf({ asked_at: at, asked_path: path, asked_origin: origin }: RequestRecordRow): RequestRecord['asked'] | null {
  return at === null ? null : { at, ...(path !== null && { by: urlOf(path, origin ?? '') }) }
}

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
