// Requests with their history, as readers see them.
//
// A statement first finds the ids of a page, then looks each of them up in the tables that may have more. The look-ups are lateral and of one row, so that they
// are made by index whatever the statistics of the tables say: a hash join would read all that the store knows for each page.
// There is no index by URL or by host: those questions read the rows of requests once.
import {
  budgetWord,
  requestRecordOf,
  STATES,
  type RequestQuery,
  type RequestRecord,
  type RequestRecordRow,
} from '@avocet/core/store'
import type { Queries } from '../connection/queries.ts'

const [WAITING, DONE] = [STATES.indexOf('waiting'), STATES.indexOf('done')]

/** What is missing and will not be recrawled is on probation no longer. */
const MISSING = 'FROM {S}.visited v WHERE v.missing > 0 AND EXISTS (SELECT 1 FROM {S}.delayed d WHERE d.id = v.id)'

/** Details of the requests in `page (id, place)`, in the order of their places. */
const DETAILS = `SELECT r.id, r.path, h.origin, h.key AS host_key, w.word AS handler, r.depth, r.rank, r.anchor,
  a.state, a.attempts, a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, y.word AS reason, t.blame, k.json AS handler_error, t.target,
  z.word AS cut_for, c.links AS cut_of, c.waiting AS cut_left, d.not_before, e.redirected_from, e.method, e.headers, e.body, e.data, e.identity,
  p.path AS parent_path, ph.origin AS parent_origin, v.visits, v.skipped, v.missing, v.missing_since, x.runs AS deaths, v.asked_at,
  q.path AS asked_path, qh.origin AS asked_origin
  FROM page
  ${one('request', 'r', 'page.id')} ${one('host', 'h', 'r.host')} ${one('handler', 'w', 'r.handler')} ${one('attempt', 'a', 'r.id')}
  ${one('trouble', 't', 'r.id')} ${one('reason', 'y', 't.reason')} ${one('cut', 'c', 'r.id')} ${one('reason', 'z', 'c.reason')}
  ${one('handler_error', 'k', 't.error')} ${one('delayed', 'd', 'r.id')} ${one('extra', 'e', 'r.id')} ${one('visited', 'v', 'r.id')}
  ${one('death', 'x', 'r.id')} ${one('request', 'p', 'r.parent')} ${one('host', 'ph', 'p.host')}
  ${one('request', 'q', 'CASE WHEN v.asked_at IS NOT NULL THEN v.asked_by END')} ${one('host', 'qh', 'q.host')}
  ORDER BY page.place`

/** Reads requests. */
export class RequestReads {
  readonly #queries: Queries

  constructor(queries: Queries) {
    this.#queries = queries
  }

  /** Every request of `url`, oldest first. */
  ofUrl(url: string): Promise<RequestRecord[]> {
    const slash = url.indexOf('/', url.indexOf('//') + 2)
    const [origin, path] = slash < 0 ? [url, url] : [url.slice(0, slash), url.slice(slash)]
    return this.#read(
      `SELECT r.id, r.id AS place FROM {S}.request r WHERE r.path IN ($1, $2)
       AND (r.path = $2 OR EXISTS (SELECT 1 FROM {S}.host h WHERE h.id = r.host AND h.origin = $3))`,
      [path, url, origin],
    )
  }

  /** Pages that are missing, longest first, at most `limit`; and how many there are. */
  async missing(limit: number): Promise<{ pages: number; requests: RequestRecord[] }> {
    const [row] = await this.#queries.all<{ readonly pages: number }>(`SELECT count(*) AS pages ${MISSING}`)
    const longest = `SELECT v.id, row_number() OVER (ORDER BY v.missing_since, v.id) AS place ${MISSING} ORDER BY v.missing_since, v.id LIMIT $1`
    return { pages: row?.pages ?? 0, requests: await this.#read(longest, [limit]) }
  }

  select(query: RequestQuery): Promise<RequestRecord[]> {
    const values: unknown[] = []
    const value = (given: unknown): string => `$${values.push(given)}`
    const where = [`r.id > ${value(query.afterId ?? 0)}`]
    const state = query.state === undefined ? undefined : STATES.indexOf(query.state)
    // What was never tried has no row.
    if (state !== undefined) where.push(state === WAITING ? `coalesce(a.state, ${WAITING}) = ${WAITING}` : `a.state = ${state}`)
    if (query.hostKey !== undefined) where.push(`r.host = (SELECT id FROM {S}.host WHERE key = ${value(query.hostKey)})`)
    if (query.cut) where.push(`a.state <> ${WAITING}`)
    // A page that is done keeps the reason of an earlier failure in its row, but has none.
    if (query.reason !== undefined)
      where.push(
        `t.reason = (SELECT id FROM {S}.reason WHERE word = ${value(query.reason)}) AND coalesce(a.state, ${WAITING}) <> ${DONE}`,
      )
    if (typeof query.cut === 'object')
      where.push(`c.reason = (SELECT id FROM {S}.reason WHERE word = ${value(budgetWord(query.cut))})`)
    const cut = query.cut ? 'JOIN {S}.cut c ON c.id = r.id' : ''
    const trouble = query.reason === undefined ? '' : 'JOIN {S}.trouble t ON t.id = r.id'
    return this.#read(
      `SELECT r.id, r.id AS place FROM {S}.request r LEFT JOIN {S}.attempt a ON a.id = r.id ${cut} ${trouble}
       WHERE ${where.join(' AND ')} ORDER BY r.id LIMIT ${value(query.limit)}`,
      values,
    )
  }

  async #read(page: string, values: readonly unknown[]): Promise<RequestRecord[]> {
    const rows = await this.#queries.all<RequestRecordRow>(`WITH page AS MATERIALIZED (${page}) ${DETAILS}`, values)
    return rows.map(requestRecordOf)
  }
}

/** A look-up of the row with this id, by index. */
function one(table: string, alias: string, id: string): string {
  return `LEFT JOIN LATERAL (SELECT * FROM {S}.${table} WHERE id = ${id} LIMIT 1) ${alias} ON true`
}
