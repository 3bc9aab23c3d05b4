// Requests at rest, with their history.
//
// A statement first finds the ids of a page, then looks each of them up in the tables that may have more. Which table a page is of is said, not left to the
// planner: the one with the fewest rows that have to do with the question. Only requests of a host in any state, or settled, are looked for among all of
// their state: there is no index by host.
import type { Json } from '@avocet/core'
import {
  type Blame,
  type HandlerError,
  MAX_PROBATION,
  rendersOf,
  requestLaws,
  type RequestQuery,
  type RequestRecord,
  sessionOf,
  storedJson,
} from '@avocet/core/store'
import type { SqlReads } from './sql-reads.ts'
import { joinedUrl, partsOfUrl, STATES, urlOf } from './states.ts'

/** A request, its host and what became of it, as columns; null where there is nothing. Flags of SQL and dates are numbers. */
interface RequestRecordRow {
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
  readonly page_at: number | null
  readonly page_visit: number | null
  readonly missing: number | null
  readonly missing_since: number | null
  readonly asked_at: number | null
  readonly asked_path: string | null
  readonly asked_origin: string | null
}

/** What is missing and will not be recrawled is on probation no longer. */
const MISSING = 'FROM {S}.visited v WHERE v.missing > 0 AND EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = v.id)'

/** Those that are missing longest, and how many there are. */
export async function probationOf(sql: SqlReads): Promise<{ pages: number; requests: RequestRecord[] }> {
  const [row] = await sql.all<{ readonly pages: number }>(`SELECT count(*) AS pages ${MISSING}`)
  const requests = await read(sql, `SELECT v.id ${MISSING} ORDER BY v.missing_since, v.id LIMIT $1`, [MAX_PROBATION])
  const since = ({ missing }: RequestRecord): number => missing?.since ?? 0
  return { pages: row?.pages ?? 0, requests: requests.sort((a, b) => since(a) - since(b)) }
}

/** Those of a query. */
export async function requestsOf(sql: SqlReads, query: RequestQuery): Promise<RequestRecord[]> {
  const { url, state, hostKey, handler, reason, afterId = 0, limit = Number.MAX_SAFE_INTEGER } = query
  const { one } = sql
  const [host, handlerId, reasonId] = await Promise.all([
    idOf(sql, ['host', 'key'], hostKey),
    idOf(sql, ['handler', 'word'], handler),
    idOf(sql, ['reason', 'word'], reason),
  ])
  // What the store never met nothing is of.
  if (host === null || handlerId === null || reasonId === null) return []
  const where = ['s.id > $1']
  if (url !== undefined) where.push('(r.path = $4 OR (r.path = $3 AND h.origin = $5))')
  // What was never tried has no row.
  if (state !== undefined) where.push(`${state === 'waiting' ? 'coalesce(a.state, 0)' : 'a.state'} = ${STATES.indexOf(state)}`)
  if (host !== undefined) where.push(`r.host = ${host}`)
  if (handlerId !== undefined) where.push(`r.handler = ${handlerId}`)
  // A page that is done keeps the reason of an earlier failure in its row, but has none.
  if (reasonId !== undefined) where.push(`s.reason = ${reasonId}`, `coalesce(a.state, 0) <> ${STATES.indexOf('done')}`)
  const joined = `${one('request', 'r', 's.id')} ${one('attempt', 'a', 's.id')} ${url === undefined ? '' : one('host', 'h', 'r.host')}`
  const page = `SELECT s.id FROM ${tableOf(sql, query, host)} s ${joined} WHERE ${where.join(' AND ')} ORDER BY s.id LIMIT $2`
  return read(sql, page, [afterId, limit, ...(url === undefined ? [] : spellingsOf(url))])
}

/** What is stored of a URL: its path, or all of it where its host has another origin. */
function spellingsOf(url: string): readonly [path: string, url: string, origin: string] {
  const [origin, path] = partsOfUrl(url)
  return [path, url, origin]
}

/** Id of the row with this word; null where there is none, undefined without a word. */
async function idOf(
  sql: SqlReads,
  [table, column]: readonly [table: string, column: string],
  word: string | undefined,
): Promise<number | null | undefined> {
  if (word === undefined) return undefined
  const [row] = await sql.all<{ readonly id: number }>(`SELECT id FROM {S}.${table} WHERE ${column} = $1`, [sql.word(word)])
  return row?.id ?? null
}

/** The table that has all requests of a page, by their ids, and few others. */
function tableOf(sql: SqlReads, { url, reason, state }: RequestQuery, host: number | undefined): string {
  if (reason !== undefined) return '{S}.trouble'
  if (state === 'failed') return `(SELECT id FROM {S}.attempt WHERE state = ${STATES.indexOf(state)})`
  if (state === 'waiting' && host !== undefined) return sql.waitingAt(host)
  if (url !== undefined) return sql.spelt('$3', '$4')
  return state === undefined || state === 'waiting' ? '{S}.request' : '{S}.attempt'
}

/** In the order of their ids. `page`: the ids. */
async function read({ one, all }: SqlReads, page: string, values: readonly unknown[]): Promise<RequestRecord[]> {
  const rows = await all<RequestRecordRow>(
    `WITH page AS MATERIALIZED (${page}) SELECT r.id, r.path, h.origin, h.key AS host_key, w.word AS handler, r.depth, r.rank, r.anchor,
     a.state, a.attempts, a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, y.word AS reason, t.blame, k.json AS handler_error,
     t.target, d.not_before, e.redirected_from, e.method, e.headers, e.body, e.data, e.identity, p.path AS parent_path, ph.origin AS parent_origin,
     v.visits, v.skipped, v.page_at, v.page_visit, v.missing, v.missing_since, v.asked_at, q.path AS asked_path, qh.origin AS asked_origin FROM page
     ${one('request', 'r', 'page.id')} ${one('host', 'h', 'r.host')} ${one('handler', 'w', 'r.handler')} ${one('attempt', 'a', 'r.id')}
     ${one('trouble', 't', 'r.id')} ${one('reason', 'y', 't.reason')} ${one('handler_error', 'k', 't.error')}
     ${one('delayed', 'd', 'r.id')} ${one('extra', 'e', 'r.id')} ${one('visited', 'v', 'r.id')}
     ${one('request', 'p', 'r.parent')} ${one('host', 'ph', 'p.host')}
     ${one('request', 'q', 'CASE WHEN v.asked_at IS NOT NULL THEN v.asked_by END')} ${one('host', 'qh', 'q.host')} ORDER BY page.id`,
    values,
  )
  return rows.map(requestRecordOf)
}

/** A row as readers see it. */
function requestRecordOf(row: RequestRecordRow): RequestRecord {
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
    lastPage: lastPageOf(row, state) ?? null,
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
    url: joinedUrl(row),
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

function lastPageOf(row: RequestRecordRow, state: RequestRecord['state']): RequestRecord['lastPage'] {
  const { visits, fetched_at: fetchedAt, page_at: pageAt, page_visit: pageVisit } = row
  return requestLaws.lastPageOf({ state, visits, fetchedAt, pageAt, pageVisit })
}

function askedOf({ asked_at: at, asked_path: path, asked_origin: origin }: RequestRecordRow): RequestRecord['asked'] | null {
  return at === null ? null : { at, ...(path !== null && { by: urlOf(path, origin ?? '') }) }
}
