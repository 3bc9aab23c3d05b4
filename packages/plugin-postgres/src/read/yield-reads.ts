// Items and records by their numbers, and how far sinks are.
//
// Numbers are given once the transaction of a group is over, so who reads by number misses none (schema/tables.sql.ts). Whoever reads numbers first.
import {
  type DocumentRecord,
  type FrontierReader,
  type ItemRecord,
  type TableKey,
  type TableRow,
  type SinkStanding,
  type VisitPage,
  type VisitQuery,
  type VisitRecord,
  MAX_REJECT_GROUPS,
  type RejectGroup,
  type RejectQuery,
  type RejectRecord,
} from '@avocet/core/store'
import {
  documentRecordOf,
  itemRecordOf,
  type DocumentRecordRow,
  lastPageOf,
  type ItemRecordRow,
  type LastPageRow,
  REJECT_GROUPS,
  rejectGroupsOf,
  rejectRecordOf,
  REJECTS_BY_SOURCE,
  sinkStandingOf,
  type RejectCount,
  type RejectGroupRow,
  type RejectRecordRow,
} from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'
import { textsText } from '../connection/storable-text.ts'
import { AvocetError } from '@avocet/core'
import { storedWord } from '../names/word-ids.ts'

/** Items of groups that are numbered from a mark on, and of the group that the mark cuts; and of those that have no number yet. */
const BEHIND = `(SELECT coalesce(sum(g.items), 0) FROM {S}.item_group g WHERE g.base >= s.item_seq)
  + (SELECT coalesce(sum(g.items), 0) FROM {S}.item_group g WHERE g.base IS NULL)
  + (SELECT count(*) FROM {S}.item_group g JOIN {S}.item i ON i.grp = g.id
     WHERE g.base = (SELECT max(base) FROM {S}.item_group WHERE base < s.item_seq) AND g.base + i.n > s.item_seq)`

/** Which ones to read. */
interface YieldPage {
  readonly afterSeq: number
  readonly limit: number
  readonly handler?: string
}

/** Items by their numbers. */
export async function itemsAfter(queries: Queries, page: YieldPage): Promise<readonly ItemRecord[]> {
  return (await pageOf(queries, 'item', page)).map(itemRecordOf)
}

/** Records by their numbers. */
export async function recordsAfter(queries: Queries, page: YieldPage): Promise<readonly DocumentRecord[]> {
  // Nearly no crawl has any: groups without records need not be looked through.
  const [some] = await queries.all(
    `SELECT 1 FROM {S}.record WHERE $1::text IS NULL OR EXISTS (SELECT 1 FROM {S}.handler WHERE word = $1) LIMIT 1`,
    [page.handler ?? null],
  )
  return some === undefined ? [] : (await pageOf(queries, 'record', page)).map(documentRecordOf)
}

/** Rows of the table of a plugin, by key. */
export function tableAfter(
  queries: Queries,
  { plugin, afterKey = '', limit }: Parameters<FrontierReader['table']>[0],
): Promise<readonly TableRow[]> {
  const page = 'SELECT plugin, key, json FROM {S}.plugin_row WHERE plugin = $1 AND key > $2 ORDER BY key LIMIT $3'
  return queries.all(page, [plugin, afterKey, limit])
}

/** Those of the rows that there are. */
export function tableRowsOf(queries: Queries, keys: readonly TableKey[]): Promise<readonly TableRow[]> {
  const columns = [textsText(keys.map(({ plugin }) => plugin)), textsText(keys.map(({ key }) => key))]
  return queries.all<TableRow>(
    `SELECT r.plugin, r.key, r.json FROM unnest($1::text[], $2::text[]) u (plugin, key)
       CROSS JOIN LATERAL (SELECT * FROM {S}.plugin_row WHERE plugin = u.plugin AND key = u.key LIMIT 1) r`,
    columns,
  )
}

/** All that the store knows, by name. */
export async function knownSinks(queries: Queries): Promise<readonly SinkStanding[]> {
  await numberItems(queries)
  const rows = await queries.all<Parameters<typeof sinkStandingOf>[0]>(
    `SELECT s.record, ${BEHIND} AS behind FROM {S}.sink s WHERE s.record IS NOT NULL ORDER BY s.name`,
  )
  return rows.map(sinkStandingOf)
}

async function pageOf(
  queries: Queries,
  table: 'item' | 'record',
  { afterSeq, limit, handler }: YieldPage,
): Promise<readonly DocumentRecordRow[]> {
  await numberItems(queries)
  // By groups, in the order of their numbers, from the one on that the first number is in.
  return queries.all<DocumentRecordRow>(
    `SELECT g.base + i.n AS seq, i.request, i.visit, i.ordinal, i.json, r.path, h.origin, w.word AS handler FROM {S}.item_group g
       JOIN LATERAL (SELECT * FROM {S}.${table} WHERE grp = g.id ORDER BY n) i ON true
       JOIN LATERAL (SELECT * FROM {S}.request WHERE id = i.request LIMIT 1) r ON true
       JOIN LATERAL (SELECT * FROM {S}.host WHERE id = r.host LIMIT 1) h ON true
       JOIN LATERAL (SELECT * FROM {S}.handler WHERE id = r.handler LIMIT 1) w ON true
       WHERE g.base >= coalesce((SELECT max(base) FROM {S}.item_group WHERE base <= $1), 0) AND g.base + i.n > $1
       AND ($3::text IS NULL OR w.word = $3) ORDER BY g.base, i.n LIMIT $2`,
    [afterSeq, limit, handler ?? null],
  )
}

// Gives numbers to items whose transactions are over (schema/tables.sql.ts): whoever reads by number numbers first.

/** Groups that are numbered in one call, at most: what is left is numbered by the next one. */
const NUMBERED_AT_ONCE = 10_000

/** Numbers some. Returns whether there may be more. */
async function numberItems(queries: Queries): Promise<boolean> {
  const [row] = await queries.all<{ readonly more: boolean }>(`SELECT {S}.number_items(${NUMBERED_AT_ONCE}) AS more`)
  return row?.more === true
}

/** Numbers all. Throws AVO_FRONTIER_FAILED_OVER on a server that took the place of that of the crawl: no crawl has gone on there yet. */
export async function numberAll(queries: Queries): Promise<void> {
  while (await numberItems(queries));
  const left = await queries.all('SELECT 1 FROM {S}.item_group WHERE base IS NULL LIMIT 1')
  if (left.length === 0) return
  throw new AvocetError(
    'AVO_FRONTIER_FAILED_OVER',
    'expected the server that the crawl was on, got one that took its place (failover); crawl again to see how to go on',
  )
}

// Visits of one request with the items that they brought, by the index of the places of items: what other requests have is not read.
//
// The numbers of visits are found one after the other, each as the largest below the last, which is one step in the index however many items each visit has.
// How long a text is PostgreSQL knows without reading it, so texts beyond the bytes that are wanted are not read either.

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

// Rejects as readers see them: one by one, and by groups of reasons.

const ROWS = `SELECT j.id, j.source, j.request, j.visit, j.ordinal, coalesce(j.json, i.json, '') AS json, j.reason, j.at, j.retried,
  g.base + i.n AS seq, r.path, h.origin, h.key AS host_key, w.word AS handler FROM {S}.reject j JOIN {S}.request r ON r.id = j.request
  JOIN {S}.host h ON h.id = r.host JOIN {S}.handler w ON w.id = r.handler
  LEFT JOIN {S}.item i ON j.json IS NULL AND i.request = j.request AND i.visit = j.visit AND i.ordinal = j.ordinal
  LEFT JOIN {S}.item_group g ON g.id = i.grp`

/** One by one. */
export async function rejectsAfter(
  queries: Queries,
  { source, hostKey, afterId = 0, limit, retried }: RejectQuery,
): Promise<RejectRecord[]> {
  const rows = await queries.all<RejectRecordRow>(
    `${ROWS} WHERE ${retried === true ? 'j.retried AND' : ''} j.id > $1 AND ($2::text IS NULL OR j.source = $2)
       AND ($3::text IS NULL OR h.key = $3) ORDER BY j.id LIMIT $4`,
    [afterId, source === undefined ? null : storedWord(source), hostKey ?? null, limit],
  )
  return rows.map(rejectRecordOf)
}

/** By groups. */
export async function groupedRejects(queries: Queries): Promise<RejectGroup[]> {
  const rows = await queries.all<RejectGroupRow>(REJECT_GROUPS)
  const isAll = rows.length < MAX_REJECT_GROUPS
  return rejectGroupsOf(rows, isAll ? [] : await queries.all<RejectCount>(REJECTS_BY_SOURCE))
}
