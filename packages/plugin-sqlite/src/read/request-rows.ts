// Requests with their history, as readers see them.
import type { RequestQuery, RequestRecord, VisitPage, VisitQuery, VisitRecord } from '@avocet/core/store'
import {
  itemRecordOf,
  lastPageOf,
  partsOfUrl,
  REQUEST_RECORD_COLUMNS,
  requestRecordOf,
  STATES,
  type ItemRecordRow,
  type LastPageRow,
  type RequestRecordRow,
} from '@avocet/store-sql'
import type { Database } from '../file/driver.ts'

const SELECT = `SELECT ${REQUEST_RECORD_COLUMNS}
  FROM request r JOIN host h ON h.id = r.host JOIN handler w ON w.id = r.handler
  LEFT JOIN attempt a ON a.id = r.id LEFT JOIN trouble t ON t.id = r.id LEFT JOIN reason y ON y.id = t.reason
  LEFT JOIN handler_error k ON k.id = t.error LEFT JOIN delayed d ON d.id = r.id LEFT JOIN extra e ON e.id = r.id
  LEFT JOIN visited v ON v.id = r.id LEFT JOIN request p ON p.id = r.parent LEFT JOIN host ph ON ph.id = p.host
  LEFT JOIN request q ON q.id = v.asked_by AND v.asked_at IS NOT NULL LEFT JOIN host qh ON qh.id = q.host`
/** What is missing and will not be recrawled is on probation no longer. */
const MISSING = 'FROM visited v WHERE v.missing > 0 AND EXISTS (SELECT 1 FROM delayed d WHERE d.id = v.id)'

/** Every request of `url`, oldest first. There is no index by URL or by host: these questions read the rows of requests once (about 0.4 s for a million). */
export function requestsOfUrl(db: Database, url: string): RequestRecord[] {
  const [origin, path] = partsOfUrl(url)
  return records(db, 'WHERE r.path IN (?, ?) AND (r.path = ? OR h.origin = ?) ORDER BY r.id', [path, url, url, origin])
}

/** Pages that are missing, longest first, at most `limit`; and how many there are. */
export function missingRequests(db: Database, limit: number): { pages: number; requests: RequestRecord[] } {
  const pages = db.prepare<unknown[], number>(`SELECT count(*) ${MISSING}`).pluck().get() ?? 0
  const longest = `SELECT v.id ${MISSING} ORDER BY v.missing_since, v.id LIMIT ?`
  return { pages, requests: records(db, `WHERE r.id IN (${longest}) ORDER BY v.missing_since, r.id`, [limit]) }
}

/** Those of a query. */
export function requestsOf(db: Database, { state, hostKey, handler, reason, afterId = 0, limit }: RequestQuery): RequestRecord[] {
  const where = ['r.id > @afterId']
  if (state !== undefined) where.push(`coalesce(a.state, 0) = ${STATES.indexOf(state)}`)
  if (hostKey !== undefined) where.push('r.host = (SELECT id FROM host WHERE key = @hostKey)')
  if (handler !== undefined) where.push('r.handler = (SELECT id FROM handler WHERE word = @handler)')
  // A page that is done keeps the reason of an earlier failure in its row, but has none.
  if (reason !== undefined) where.push('y.word = @reason AND coalesce(a.state, 0) <> 1')
  return records(db, `WHERE ${where.join(' AND ')} ORDER BY r.id LIMIT @limit`, [{ afterId, hostKey, handler, reason, limit }])
}

function records(db: Database, which: string, values: readonly unknown[]): RequestRecord[] {
  const rows = db.prepare<unknown[], RequestRecordRow>(`${SELECT} ${which}`).all(...values)
  return rows.map(requestRecordOf)
}

// Visits of one request with the items that they brought, by the index of the places of items: what other requests have is not read.

const REQUEST = `SELECT r.path, h.origin, v.visits, v.page_at, v.page_visit, a.state, a.fetched_at FROM request r JOIN host h ON h.id = r.host
  LEFT JOIN visited v ON v.id = r.id LEFT JOIN attempt a ON a.id = r.id WHERE r.id = ?`
const ITEMS = 'SELECT seq, request, visit, ordinal, json FROM item WHERE request = ? AND visit = ? ORDER BY ordinal LIMIT ?'

type ItemRow = Omit<ItemRecordRow, 'path' | 'origin'>

type RequestRow = LastPageRow & { readonly path: string; readonly origin: string }

/** A page of them, the newest first. */
export function visitsOf(db: Database, query: VisitQuery): VisitPage {
  const { requestId, before = Number.MAX_SAFE_INTEGER, limit, itemsPerVisit, maxBytes } = query
  const request = db.prepare<unknown[], RequestRow>(REQUEST).get(requestId)
  if (request === undefined) return { visits: [] }
  const newestBefore = db.prepare<unknown[], number | null>('SELECT max(visit) FROM item WHERE request = ? AND visit < ?').pluck()
  const page = lastPageOf(request)
  const visits: VisitRecord[] = []
  let [visit, left] = [newestBefore.get(requestId, before) ?? undefined, maxBytes]
  while (visit !== undefined && visits.length < limit && left >= 0) {
    const { rows, truncated } = itemsOf(db, [requestId, visit, itemsPerVisit + 1], { limit: itemsPerVisit, maxBytes: left })
    left -= rows.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
    const items = rows.map((row) => itemRecordOf({ ...row, path: request.path, origin: request.origin }))
    visits.push({ visit, ...(page?.visit === visit && { fetchedAt: page.at }), items, truncated })
    visit = newestBefore.get(requestId, visit) ?? undefined
  }
  const next = visit === undefined ? undefined : visits.at(-1)?.visit
  return { visits, ...(next !== undefined && { next }) }
}

/** What is behind the last item is not read: it may be megabytes. */
function itemsOf(
  db: Database,
  which: readonly [requestId: number, visit: number, limit: number],
  { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
): { readonly rows: readonly ItemRow[]; readonly truncated: boolean } {
  const rows: ItemRow[] = []
  let bytes = 0
  for (const row of db.prepare<unknown[], ItemRow>(ITEMS).iterate(...which)) {
    if (rows.length >= limit || bytes > maxBytes) return { rows, truncated: true }
    rows.push(row)
    bytes += Buffer.byteLength(row.json)
  }
  return { rows, truncated: false }
}
