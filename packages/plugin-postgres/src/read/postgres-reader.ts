// The read side of a crawl on PostgreSQL, on connections of its own, also beside a crawl that goes on.
import { AvocetError } from '@avocet/core'
import { type FrontierInfo, type Counts, thisProcess, type CrawlingProcess, type ProcessIdentity } from '@avocet/core/store'
import { handlerErrorOf, presentCounts, STATES, type CopiedReader, type HandlerErrorRow } from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'
import { crawlRows } from './crawl-rows.ts'
import { HostReads } from './host-reads.ts'
import { RejectReads, storedVisits, YieldReads } from './yield-reads.ts'
import { RequestReads } from './request-reads.ts'
import { mayLive } from './may-live.ts'

const HANDLER_ERRORS = `SELECT e.json, g.pages, r.path, h.origin, w.word AS handler FROM (
    SELECT t.error, count(*) AS pages, min(t.id) AS first FROM {S}.trouble t
    CROSS JOIN LATERAL (SELECT state FROM {S}.attempt WHERE id = t.id LIMIT 1) a WHERE t.error IS NOT NULL AND a.state = ${STATES.indexOf('failed')} GROUP BY t.error) g
  JOIN {S}.handler_error e ON e.id = g.error JOIN {S}.request r ON r.id = g.first JOIN {S}.host h ON h.id = r.host JOIN {S}.handler w ON w.id = r.handler
  ORDER BY g.pages DESC, e.id`

const FAILURES = `SELECT y.word AS reason, sum(t.failed) AS count FROM {S}.reason_total t JOIN {S}.reason y ON y.id = t.reason
  GROUP BY y.id HAVING sum(t.failed) > 0 ORDER BY count DESC, y.word`

/** Reads the crawl that `queries` asks. The caller closes the connections. */
export function postgresReader(queries: Queries): CopiedReader {
  const alive = (): Promise<ReadonlySet<number>> => aliveOf(queries)
  const hosts = new HostReads(queries, alive)
  const requests = new RequestReads(queries)
  const rejects = new RejectReads(queries)
  const yields = new YieldReads(queries)
  return {
    info: () => infoOf(queries),
    counts: () => countsOf(queries),
    crawlMemories: () => hosts.crawlMemories(),
    orders: (after) => queries.all('SELECT at, json FROM {S}.orders WHERE at > $1 ORDER BY at', [after]),
    hosts: ({ afterHostKey = '', limit, parts }) => hosts.page(afterHostKey, limit, parts),
    host: (hostKey) => hosts.one(hostKey),
    memories: (page) => hosts.memories(page),
    history: (url) => requests.ofUrl(url),
    requests: (query) => requests.select(query),
    probation: ({ limit }) => requests.missing(limit),
    failures: () => queries.all(FAILURES),
    handlerErrors: async () => (await queries.all<HandlerErrorRow>(HANDLER_ERRORS)).map(handlerErrorOf),
    rejects: (query) => rejects.select(query),
    rejectGroups: () => rejects.groups(),
    items: (page) => yields.items(page),
    visits: (query) => storedVisits(queries, query),
    records: (page) => yields.records(page),
    sinks: () => yields.sinks(),
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

// The processes that work on a crawl, as far as can be told from here.
//
// Of those of another machine nobody can say at once that they died: they count until somebody has buried them. How long ago each was heard of is by the
// server's clock alone, which wrote down when it was; nothing is decided by it.

interface ProcessRow extends ProcessIdentity {
  readonly id: number
  readonly machine: string
  readonly hosts: number
  readonly since: number
  readonly silent_ms: number
}

const IDENTITIES = 'SELECT id, boot, namespace, pid, thread, started FROM {S}.process WHERE id > 0'
const PROCESSES = `SELECT p.id, p.boot, p.namespace, p.pid, p.thread, p.started, p.machine, p.signed_in_at AS since,
  (SELECT count(*) FROM {S}.host h WHERE h.owner = p.id) AS hosts,
  greatest(0, floor(extract(epoch FROM clock_timestamp() - p.heard_at) * 1000))::bigint AS silent_ms
  FROM {S}.process p WHERE p.id > 0 ORDER BY p.machine, p.pid, p.id`

/** Ids of those that live. */
export async function aliveOf(queries: Pick<Queries, 'all'>, me: ProcessIdentity = thisProcess()): Promise<ReadonlySet<number>> {
  const rows = await queries.all<ProcessIdentity & { readonly id: number }>(IDENTITIES)
  return new Set(rows.filter((row) => mayLive(row, me)).map(({ id }) => id))
}

/** Those that live, by machine and pid. */
async function crawlingProcesses(queries: Pick<Queries, 'all'>): Promise<readonly CrawlingProcess[]> {
  const rows = await queries.all<ProcessRow>(PROCESSES)
  const me = thisProcess()
  return rows
    .filter((row) => mayLive(row, me))
    .map(({ machine, pid, hosts, since, silent_ms: silentMs }) => ({ machine, pid, hosts, since, silentMs }))
}
