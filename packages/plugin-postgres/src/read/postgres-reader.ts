// The read side of a crawl on PostgreSQL, on connections of its own, also beside a crawl that goes on.
import type { FrontierInfo, FrontierReader, HandlerError, HandlerErrorGroup } from '@avocet/core/store'
import { STATES, urlOf } from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'
import { countsOf } from './counts-of.ts'
import { aliveOf, crawlingProcesses } from './crawling-processes.ts'
import { dumpCrawl } from './dump-crawl.ts'
import { HostReads } from './host-reads.ts'
import { RejectReads } from './reject-reads.ts'
import { RequestReads } from './request-reads.ts'
import { storedVisits } from './visit-reads.ts'
import { YieldReads } from './yield-reads.ts'

interface ErrorRow {
  readonly json: string
  readonly pages: number
  readonly path: string
  readonly origin: string
  readonly handler: string
}

const HANDLER_ERRORS = `SELECT e.json, g.pages, r.path, h.origin, w.word AS handler FROM (
    SELECT t.error, count(*) AS pages, min(t.id) AS first FROM {S}.trouble t
    CROSS JOIN LATERAL (SELECT state FROM {S}.attempt WHERE id = t.id LIMIT 1) a WHERE t.error IS NOT NULL AND a.state = ${STATES.indexOf('failed')} GROUP BY t.error) g
  JOIN {S}.handler_error e ON e.id = g.error JOIN {S}.request r ON r.id = g.first JOIN {S}.host h ON h.id = r.host JOIN {S}.handler w ON w.id = r.handler
  ORDER BY g.pages DESC, e.id`

const FAILURES = `SELECT y.word AS reason, sum(t.failed) AS count FROM {S}.reason_total t JOIN {S}.reason y ON y.id = t.reason
  GROUP BY y.id HAVING sum(t.failed) > 0 ORDER BY count DESC, y.word`

/** A reader that can always dump. */
export type DumpingReader = FrontierReader & Required<Pick<FrontierReader, 'dump'>>

/** Reads the crawl that `queries` asks. The caller closes the connections. */
export function postgresReader(queries: Queries): DumpingReader {
  const alive = (): Promise<ReadonlySet<number>> => aliveOf(queries)
  const hosts = new HostReads(queries, alive)
  const requests = new RequestReads(queries)
  const rejects = new RejectReads(queries)
  const yields = new YieldReads(queries)
  return {
    info: () => infoOf(queries),
    counts: () => countsOf(queries),
    crawlMemories: () => hosts.crawlMemories(),
    hosts: ({ afterHostKey = '', limit, parts }) => hosts.page(afterHostKey, limit, parts),
    host: (hostKey) => hosts.one(hostKey),
    memories: (page) => hosts.memories(page),
    history: (url) => requests.ofUrl(url),
    requests: (query) => requests.select(query),
    probation: ({ limit }) => requests.missing(limit),
    failures: () => queries.all(FAILURES),
    handlerErrors: () => handlerErrorsOf(queries),
    rejects: (query) => rejects.select(query),
    rejectGroups: () => rejects.groups(),
    items: (page) => yields.items(page),
    visits: (query) => storedVisits(queries, query),
    records: (page) => yields.records(page),
    sinks: () => yields.sinks(),
    dump: () => dumpCrawl(queries),
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

async function handlerErrorsOf(queries: Queries): Promise<readonly HandlerErrorGroup[]> {
  const rows = await queries.all<ErrorRow>(HANDLER_ERRORS)
  return rows.map(({ json, pages, path, origin, handler }) => {
    const error = JSON.parse(json) as HandlerError
    return { ...error, count: pages, url: urlOf(path, origin), handler }
  })
}
