// Visits of one request with the items that they brought, by the index of the places of items: what other requests have is not read.
//
// The numbers of visits are found one after the other, each as the largest below the last, which is one step in the index however many items each visit has.
// How long a text is PostgreSQL knows without reading it, so texts beyond the bytes that are wanted are not read either.
import type { VisitPage, VisitQuery, VisitRecord } from '@avocet/core/store'
import { itemRecordOf, lastPageOf, type ItemRecordRow, type LastPageRow } from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'
import { numberItems } from './number-items.ts'

type VisitRow = Omit<ItemRecordRow, 'json'> & {
  /** Null of an item that is not wanted any more: it says that there are more. */
  readonly json: string | null
}

/** Above all numbers of visits. */
const NEWEST = 2 ** 31 - 1

const LAST_PAGE = `SELECT v.visits, v.page_at, v.page_visit, a.state, a.fetched_at FROM (SELECT $1::bigint AS id) r
  LEFT JOIN LATERAL (SELECT * FROM {S}.visited WHERE id = r.id LIMIT 1) v ON true
  LEFT JOIN LATERAL (SELECT * FROM {S}.attempt WHERE id = r.id LIMIT 1) a ON true`

/** The number of the newest visit before another one. */
function newestBefore(visit: string): string {
  return `(SELECT visit FROM {S}.item WHERE request = $1 AND visit < ${visit} ORDER BY request DESC, visit DESC LIMIT 1)`
}

/** One visit and one item of each visit more than are wanted. `ahead`: bytes of all wanted items before. */
const VISITS = `WITH RECURSIVE newest (visit, nth) AS (
    SELECT ${newestBefore('$2')}, 1 UNION ALL SELECT ${newestBefore('newest.visit')}, nth + 1 FROM newest WHERE visit IS NOT NULL AND nth <= $3),
  placed AS (SELECT i.*, w.nth <= $3 AND i.place <= $4 AS wanted FROM newest w JOIN LATERAL (
    SELECT *, row_number() OVER (ORDER BY ordinal) AS place FROM {S}.item WHERE request = $1 AND visit = w.visit ORDER BY ordinal LIMIT $4 + 1) i ON true),
  measured AS (SELECT *, coalesce(sum(octet_length(json)) FILTER (WHERE wanted) OVER (ORDER BY visit DESC, ordinal
    ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead FROM placed)
  SELECT g.base + i.n AS seq, i.request, i.visit, i.ordinal, CASE WHEN i.wanted AND i.ahead <= $5 THEN i.json END AS json, r.path, h.origin FROM measured i
  JOIN LATERAL (SELECT * FROM {S}.item_group WHERE id = i.grp LIMIT 1) g ON g.base IS NOT NULL
  JOIN LATERAL (SELECT * FROM {S}.request WHERE id = i.request LIMIT 1) r ON true
  JOIN LATERAL (SELECT * FROM {S}.host WHERE id = r.host LIMIT 1) h ON true
  ORDER BY i.visit DESC, i.ordinal`

/** A page of them, the newest first. */
export async function storedVisits(queries: Queries, query: VisitQuery): Promise<VisitPage> {
  const { requestId, before = NEWEST, limit, itemsPerVisit, maxBytes } = query
  await numberItems(queries)
  const [last] = await queries.all<LastPageRow>(LAST_PAGE, [requestId])
  const values = [requestId, Math.min(before, NEWEST), limit, itemsPerVisit, maxBytes]
  const byVisit = Map.groupBy(await queries.all<VisitRow>(VISITS, values), ({ visit }) => visit)
  const page = lastPageOf(last)
  const visits: VisitRecord[] = []
  for (const [visit, rows] of byVisit) {
    const items = rows.flatMap(({ json, ...row }) => (json === null ? [] : [itemRecordOf({ ...row, json })]))
    if (items.length === 0) break
    const fetchedAt = page?.visit === visit ? { fetchedAt: page.at } : {}
    visits.push({ visit, ...fetchedAt, items, truncated: items.length < rows.length })
  }
  const next = visits.length < byVisit.size ? visits.at(-1)?.visit : undefined
  return { visits, ...(next !== undefined && { next }) }
}
