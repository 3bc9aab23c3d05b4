// A request as a record of a dump, from the rows that tables of SQL have of it.
import type { Blame, DumpedRequest, Earlier, Fingerprint } from '@avocet/core/store'
import { STATES } from './states.ts'
import { urlOf } from './states.ts'

/** A row of `request` with what all other tables have of it; null where they have nothing. */
export interface DumpedRequestRow {
  readonly id: number
  readonly path: string
  readonly depth: number
  readonly rank: number
  readonly anchor: string | null
  readonly method: string | null
  readonly headers: string | null
  readonly body: string | null
  readonly data: string | null
  readonly hops: number | null
  readonly redirected_from: string | null
  readonly identity: string | null
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
  readonly run: number | null
  readonly reason: string | null
  readonly blame: Blame | null
  readonly target: string | null
  readonly error_kind: string | null
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

/** Leaves out what is NULL. */
function said<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined)) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>
  }
}

/** The record of a row. */
export function dumpedRequestOf(row: DumpedRequestRow, fingerprint: Fingerprint): DumpedRequest {
  const { fetched_at: at, status, duration_ms: durationMs, wire_bytes: wireBytes } = row
  const fetched = said({ at, status, durationMs, wireBytes })
  const page = said({ at: row.page_at, visit: row.page_visit })
  return {
    type: 'request',
    id: row.id,
    fingerprint,
    hostKey: row.host_key,
    url: urlOf(row.path, row.origin),
    handler: row.handler,
    depth: row.depth,
    priority: -row.rank || 0,
    state: STATES[row.state ?? 0] ?? 'waiting',
    attempts: row.attempts ?? 0,
    freeAttempts: row.free_attempts ?? 0,
    ...linkOf(row),
    ...said({ notBefore: row.not_before, visitedIn: row.run, reason: row.reason, blame: row.blame }),
    ...said({ target: row.target, errorKind: row.error_kind, earlier: earlierOf(row), deaths: row.deaths }),
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
