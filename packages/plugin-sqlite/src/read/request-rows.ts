// Requests with their history, as readers see them.
import type { RequestQuery, RequestRecord } from '@avocet/core/store'
import { STATES, requestRecordOf, type RequestRecordRow } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'

const SELECT = `SELECT r.id, r.path, h.origin, h.key AS host_key, w.word AS handler, r.depth, r.rank, r.anchor,
  a.state, a.attempts, a.free_attempts, a.fetched_at, a.status, a.duration_ms, a.wire_bytes,
  y.word AS reason, t.blame, k.json AS handler_error, t.target, d.not_before, e.redirected_from, e.method, e.headers, e.body, e.data, e.identity, p.path AS parent_path, ph.origin AS parent_origin,
  v.visits, v.skipped, v.missing, v.missing_since, v.asked_at, q.path AS asked_path, qh.origin AS asked_origin
  FROM request r JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler
  LEFT JOIN attempt a ON a.id = r.id LEFT JOIN trouble t ON t.id = r.id LEFT JOIN reason y ON y.id = t.reason
  LEFT JOIN handler_error k ON k.id = t.error LEFT JOIN delayed d ON d.id = r.id LEFT JOIN extra e ON e.id = r.id
  LEFT JOIN visited v ON v.id = r.id LEFT JOIN request p ON p.id = r.parent LEFT JOIN host ph ON ph.id = p.host
  LEFT JOIN request q ON q.id = v.asked_by AND v.asked_at IS NOT NULL LEFT JOIN host qh ON qh.id = q.host`
/** What is missing and will not be recrawled is on probation no longer. */
const MISSING = 'FROM visited v WHERE v.missing > 0 AND EXISTS (SELECT 1 FROM delayed d WHERE d.id = v.id)'

/** Reads requests. There is no index by URL or by host: those questions read the rows of requests once (about 0.4 s for a million). */
export class RequestRows {
  readonly #db: Database
  readonly #byUrl: Statement<RequestRecordRow>

  constructor(db: Database) {
    this.#db = db
    this.#byUrl = db.prepare<unknown[], RequestRecordRow>(
      `${SELECT} WHERE r.path IN (?, ?) AND (r.path = ? OR h.origin = ?) ORDER BY r.id`,
    )
  }

  /** Every request of `url`, oldest first. */
  ofUrl(url: string): RequestRecord[] {
    const slash = url.indexOf('/', url.indexOf('//') + 2)
    const [origin, path] = slash < 0 ? [url, url] : [url.slice(0, slash), url.slice(slash)]
    return this.#byUrl.all(path, url, url, origin).map(requestRecordOf)
  }

  /** Pages that are missing, longest first, at most `limit`; and how many there are. */
  missing(limit: number): { pages: number; requests: RequestRecord[] } {
    const pages = this.#db.prepare<unknown[], number>(`SELECT count(*) ${MISSING}`).pluck().get() ?? 0
    const longest = `SELECT v.id ${MISSING} ORDER BY v.missing_since, v.id LIMIT ?`
    const rows = this.#db.prepare<unknown[], RequestRecordRow>(
      `${SELECT} WHERE r.id IN (${longest}) ORDER BY v.missing_since, r.id`,
    )
    return { pages, requests: rows.all(limit).map(requestRecordOf) }
  }

  select(query: RequestQuery): RequestRecord[] {
    const where = ['r.id > ?']
    const values: unknown[] = [query.afterId ?? 0]
    if (query.state !== undefined) where.push(`coalesce(a.state, 0) = ${STATES.indexOf(query.state)}`)
    if (query.hostKey !== undefined) where.push('r.host = (SELECT id FROM host WHERE key = ?)')
    if (query.hostKey !== undefined) values.push(query.hostKey)
    if (query.handler !== undefined) where.push('r.handler = (SELECT id FROM handler WHERE word = ?)')
    if (query.handler !== undefined) values.push(query.handler)
    // A page that is done keeps the reason of an earlier failure in its row, but has none.
    if (query.reason !== undefined) where.push('y.word = ? AND coalesce(a.state, 0) <> 1')
    if (query.reason !== undefined) values.push(query.reason)
    return this.#db
      .prepare<unknown[], RequestRecordRow>(`${SELECT} WHERE ${where.join(' AND ')} ORDER BY r.id LIMIT ?`)
      .all(...values, query.limit)
      .map(requestRecordOf)
  }
}
