// The read side of a crawl on PostgreSQL, on connections of its own, also beside a crawl that goes on.
import { AvocetError } from '@avocet/core'
import type { FrontierInfo, Counts } from '@avocet/core/store'
import { handlerErrorOf, presentCounts, STATES, type CopiedReader, type HandlerErrorRow } from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'
import { crawlRows } from './crawl-rows.ts'
import { crawlMemoriesIn, hostAt, hostsAfter, memoriesMentioning } from './host-reads.ts'
import { itemsAfter, recordsAfter, groupedRejects, rejectsAfter, knownSinks, storedVisits, tableAfter } from './yield-reads.ts'
import { requestsOnProbation, requestsAfter, requestsMadeOf } from './request-reads.ts'
import { crawlingProcesses } from './may-live.ts'

const HANDLER_ERRORS = `SELECT e.json, g.pages, r.path, h.origin, w.word AS handler FROM (
    SELECT t.error, count(*) AS pages, min(t.id) AS first FROM {S}.trouble t
    CROSS JOIN LATERAL (SELECT state FROM {S}.attempt WHERE id = t.id LIMIT 1) a WHERE t.error IS NOT NULL AND a.state = ${STATES.indexOf('failed')} GROUP BY t.error) g
  JOIN {S}.handler_error e ON e.id = g.error JOIN {S}.request r ON r.id = g.first JOIN {S}.host h ON h.id = r.host JOIN {S}.handler w ON w.id = r.handler
  ORDER BY g.pages DESC, e.id`

const FAILURES = `SELECT y.word AS reason, sum(t.failed) AS count FROM {S}.reason_total t JOIN {S}.reason y ON y.id = t.reason
  GROUP BY y.id HAVING sum(t.failed) > 0 ORDER BY count DESC, y.word`

/** Reads the crawl that `queries` asks. The caller closes the connections. */
export function postgresReader(queries: Queries): CopiedReader {
  return {
    info: () => infoOf(queries),
    counts: () => countsOf(queries),
    crawlMemories: () => crawlMemoriesIn(queries),
    orders: (after) => queries.all('SELECT at, json FROM {S}.orders WHERE at > $1 ORDER BY at', [after]),
    hosts: (page) => hostsAfter(queries, page),
    host: (hostKey) => hostAt(queries, hostKey),
    memories: (page) => memoriesMentioning(queries, page),
    history: (url) => requestsMadeOf(queries, url),
    requests: (query) => requestsAfter(queries, query),
    probation: ({ limit }) => requestsOnProbation(queries, limit),
    failures: () => queries.all(FAILURES),
    handlerErrors: async () => (await queries.all<HandlerErrorRow>(HANDLER_ERRORS)).map(handlerErrorOf),
    rejects: (query) => rejectsAfter(queries, query),
    rejectGroups: () => groupedRejects(queries),
    items: (page) => itemsAfter(queries, page),
    visits: (query) => storedVisits(queries, query),
    records: (page) => recordsAfter(queries, page),
    table: (page) => tableAfter(queries, page),
    sinks: () => knownSinks(queries),
    rows: () => crawlRows(queries),
    close: () => Promise.resolve(),
  }
}

async function infoOf(queries: Queries): Promise<FrontierInfo> {
  const [row] = await queries.all<{ readonly name: string; readonly created_at: number }>(
    'SELECT name, created_at FROM {S}.crawl',
  )
  const processes = await crawlingProcesses(queries)
  return { name: row?.name ?? '', createdAt: row?.created_at ?? 0, liveProcesses: processes.length, processes }
}

// The totals of a crawl: sums over its processes, those that are gone among them.

const COUNTS = `SELECT known, known - done - moved - failed AS waiting, done, moved, failed, items, again, rejects,
  (SELECT count(*) FROM {S}.record) AS records, h.* FROM
  (SELECT sum(known) AS known, sum(done) AS done, sum(moved) AS moved, sum(failed) AS failed, sum(items) AS items, sum(again) AS again,
   sum(rejects) AS rejects FROM {S}.process) p,
  (SELECT count(*) AS hosts, count(*) FILTER (WHERE retired_for IS NOT NULL) AS "retiredHosts",
   coalesce(sum(ready + delayed - again) FILTER (WHERE retired_for IS NOT NULL), 0) AS retired FROM {S}.host) h`

/** Reads them. */
export async function countsOf(queries: Queries): Promise<Counts> {
  const [row] = await queries.all<Required<Counts>>(COUNTS)
  if (row === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected the totals of the crawl, got none')
  return presentCounts(row)
}
