// Requests with their history, as readers see them.
//
// A statement first finds the ids of a page, then looks each of them up in the tables that may have more. The look-ups are lateral and of one row, so that they
// are made by index whatever the statistics of the tables say: a hash join would read all that the store knows for each page.
// Which table a page is of is said, not left to the planner: the one with the fewest rows that have to do with the question. Only requests of a host in any
// state, or settled, are looked for among all of their state: there is no index by host.
import type { RequestQuery, RequestRecord } from '@avocet/core/store'
import { partsOfUrl, REQUEST_RECORD_COLUMNS, requestRecordOf, STATES, type RequestRecordRow } from '@avocet/store-sql'
import { storedWord } from '../names/word-ids.ts'
import type { Queries } from '../connection/queries.ts'

const [WAITING, DONE] = [STATES.indexOf('waiting'), STATES.indexOf('done')]

/** What is missing and will not be recrawled is on probation no longer. */
const MISSING = 'FROM {S}.visited v WHERE v.missing > 0 AND EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = v.id)'

/** Details of the requests in `page (id, place)`, in the order of their places. */
const DETAILS = `SELECT ${REQUEST_RECORD_COLUMNS}
  FROM page
  ${one('request', 'r', 'page.id')} ${one('host', 'h', 'r.host')} ${one('handler', 'w', 'r.handler')} ${one('attempt', 'a', 'r.id')}
  ${one('trouble', 't', 'r.id')} ${one('reason', 'y', 't.reason')}
  ${one('handler_error', 'k', 't.error')} ${one('delayed', 'd', 'r.id')} ${one('extra', 'e', 'r.id')} ${one('visited', 'v', 'r.id')}
  ${one('request', 'p', 'r.parent')} ${one('host', 'ph', 'p.host')}
  ${one('request', 'q', 'CASE WHEN v.asked_at IS NOT NULL THEN v.asked_by END')} ${one('host', 'qh', 'q.host')}
  ORDER BY page.place`

/** Every request of `url`, oldest first. */
export function requestsMadeOf(queries: Queries, url: string): Promise<RequestRecord[]> {
  const [origin, path] = partsOfUrl(url)
  return read(
    queries,
    `SELECT u.id, u.id AS place FROM {S}.requests_at($1, $2) u (id) ${one('request', 'r', 'u.id')} ${one('host', 'h', 'r.host')}
       WHERE r.path = $2 OR h.origin = $3`,
    [path, url, origin],
  )
}

/** Pages that are missing, longest first, at most `limit`; and how many there are. */
export async function requestsOnProbation(
  queries: Queries,
  limit: number,
): Promise<{ pages: number; requests: RequestRecord[] }> {
  const [row] = await queries.all<{ readonly pages: number }>(`SELECT count(*) AS pages ${MISSING}`)
  const longest = `SELECT v.id, row_number() OVER (ORDER BY v.missing_since, v.id) AS place ${MISSING} ORDER BY v.missing_since, v.id LIMIT $1`
  return { pages: row?.pages ?? 0, requests: await read(queries, longest, [limit]) }
}

/** Those of a query. */
export async function requestsAfter(queries: Queries, query: RequestQuery): Promise<RequestRecord[]> {
  const { handler, hostKey, reason } = query
  const ids = await Promise.all([
    idOf(queries, 'host', hostKey),
    idOf(queries, 'handler', handler),
    idOf(queries, 'reason', reason),
  ])
  // What the store never met nothing is of.
  if (ids.includes(null)) return []
  const [host, handlerId, reasonId] = ids.map((id) => (typeof id === 'number' ? String(id) : undefined))
  const state = query.state === undefined ? undefined : STATES.indexOf(query.state)
  const where = ['s.id > $1']
  // What was never tried has no row.
  if (state !== undefined) where.push(state === WAITING ? `coalesce(a.state, ${WAITING}) = ${WAITING}` : `a.state = ${state}`)
  if (host !== undefined) where.push(`r.host = ${host}`)
  if (handlerId !== undefined) where.push(`r.handler = ${handlerId}`)
  if (reasonId !== undefined) where.push(`s.reason = ${reasonId}`)
  // A page that is done keeps the reason of an earlier failure in its row, but has none.
  if (reason !== undefined) where.push(`coalesce(a.state, ${WAITING}) <> ${DONE}`)
  return read(
    queries,
    `SELECT s.id, s.id AS place FROM ${tableOf(query, host)} s ${one('request', 'r', 's.id')} ${one('attempt', 'a', 's.id')}
       WHERE ${where.join(' AND ')} ORDER BY s.id LIMIT $2`,
    [query.afterId ?? 0, query.limit],
  )
}

/** Id of the row with this word; null where there is none, undefined without a word. */
async function idOf(
  queries: Queries,
  table: 'host' | 'handler' | 'reason',
  word: string | undefined,
): Promise<number | null | undefined> {
  if (word === undefined) return undefined
  const column = table === 'host' ? 'key' : 'word'
  const [row] = await queries.all<{ readonly id: number }>(`SELECT id FROM {S}.${table} WHERE ${column} = $1`, [storedWord(word)])
  return row?.id ?? null
}

async function read(queries: Queries, page: string, values: readonly unknown[]): Promise<RequestRecord[]> {
  const rows = await queries.all<RequestRecordRow>(`WITH page AS MATERIALIZED (${page}) ${DETAILS}`, values)
  return rows.map(requestRecordOf)
}

/** The table that has all requests of a page, by their ids, and few others. */
function tableOf({ reason, state }: RequestQuery, host: string | undefined): string {
  if (reason !== undefined) return '{S}.trouble'
  if (state === 'failed') return `(SELECT id FROM {S}.attempt WHERE state = ${STATES.indexOf(state)})`
  if (state === 'waiting' && host !== undefined)
    return `(SELECT id FROM {S}.ready WHERE host = ${host} UNION ALL SELECT id FROM {S}.delayed WHERE host = ${host})`
  return state === undefined || state === 'waiting' ? '{S}.request' : '{S}.attempt'
}

/** A look-up of the row with this id, by index. */
function one(table: string, alias: string, id: string): string {
  return `LEFT JOIN LATERAL (SELECT * FROM {S}.${table} WHERE id = ${id} LIMIT 1) ${alias} ON true`
}
