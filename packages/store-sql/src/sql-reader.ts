// The read side of a store on SQL tables, each question once for all kinds of databases.
import { AvocetError } from '@avocet/core'
import {
  isUntilResumed,
  storedJson,
  type Counts,
  type FrontierInfo,
  type FrontierReader,
  type HandlerError,
  type HandlerErrorGroup,
  type HostRecord,
  type MemoryParts,
  type SinkRecord,
  type SinkStanding,
  type StoredOrder,
} from '@avocet/core/store'
import { probationOf, requestsOf } from './request-record-of.ts'
import { memoriesByProcess, type CrawlPartRow, type SqlReads } from './sql-reads.ts'
import { joinedUrl, NEVER, STATES } from './states.ts'
import { changesOf, itemsOfRequest, yieldsOf, rejectGroupsOf, rejectsOf } from './yield-records-of.ts'

/** Reads what `sql` asks. `close` does nothing: whoever opened the store closes it. */
export function sqlReader(sql: SqlReads): FrontierReader {
  return {
    info: () => infoOf(sql),
    sinks: () => sinksOf(sql),
    counts: () => countsOf(sql),
    failures: () =>
      sql.all(`SELECT word AS reason, failed AS count FROM ${sql.reasons} WHERE failed > 0 ORDER BY failed DESC, word`),
    problems: async () => ({
      handlerErrors: await handlerErrorsOf(sql),
      rejects: await rejectGroupsOf(sql),
      probation: await probationOf(sql),
    }),
    orders: (after) => sql.all<StoredOrder>('SELECT at, json FROM {S}.orders WHERE at > $1 ORDER BY at', [after]),
    hosts: (query) => hostsOf(sql, query),
    requests: (query) => requestsOf(sql, query),
    items: (query) => yieldsOf(sql, query),
    itemsOfRequest: (query) => itemsOfRequest(sql, query),
    rejects: (query) => rejectsOf(sql, query),
    changes: (query) => changesOf(sql, query),
    sizes: (now) => sizesOf(sql, now),
    close: () => Promise.resolve(),
  }
}

async function infoOf(sql: SqlReads): Promise<FrontierInfo> {
  const [row] = await sql.all<{ name: string; created_at: number }>('SELECT name, created_at FROM {S}.crawl')
  const processes = await sql.processes()
  const parts = await sql.all<CrawlPartRow>('SELECT process, part, json FROM {S}.crawl_memory ORDER BY process')
  return {
    ...{ name: row?.name ?? '', createdAt: row?.created_at ?? 0, liveProcesses: processes.length, processes },
    memories: [...memoriesByProcess(parts, sql.unpacked).values()],
  }
}

async function sinksOf(sql: SqlReads): Promise<readonly SinkStanding[]> {
  const rows = await sql.all<Parameters<typeof sinkStandingOf>[0]>(
    `SELECT s.record, ${sql.behind} AS behind FROM {S}.sink s WHERE s.record IS NOT NULL ORDER BY s.name`,
  )
  return rows.map(sinkStandingOf)
}

/** Totals of the crawl. */
export async function countsOf({ totals, all }: Pick<SqlReads, 'totals' | 'all'>): Promise<Counts> {
  const retired = '{S}.host WHERE retired_for IS NOT NULL'
  const [row] = await all<Required<Counts>>(
    `SELECT known, known - done - moved - failed AS waiting, done, moved, failed, items, items_gone AS "itemsGone", again, rejects,
     (SELECT count(*) FROM {S}.record) AS records, (SELECT count(*) FROM {S}.host) AS hosts,
     (SELECT count(*) FROM ${retired}) AS "retiredHosts",
     (SELECT coalesce(sum(ready + delayed - again), 0) FROM ${retired}) AS retired FROM ${totals} c`,
  )
  if (row === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', 'expected the totals of the crawl, got none')
  return presentCounts(row)
}

const DAY_MS = 86_400_000

/** Growth is that of the last week, or since the store has notes of it; after an hour at the earliest. */
async function sizesOf(sql: SqlReads, now: number): ReturnType<NonNullable<FrontierReader['sizes']>> {
  const { sizes, all, totals } = sql
  type Row = Readonly<Record<'used' | 'free' | 'items' | 'changes' | 'memory' | 'ever' | 'gone', number>>
  const [row] = await all<Row>(`SELECT z.*, c.items AS ever, c.items_gone AS gone FROM (${sizes}) z, ${totals} c`)
  const { used = 0, free = 0, items = 0, changes = 0, memory = 0, ever = 0, gone = 0 } = row ?? {}
  const [then] = await all<{ readonly items: number; readonly at: number; readonly bytes: number }>(
    'SELECT items, at, bytes FROM {S}.item_age WHERE at > $1 AND at < $2 ORDER BY at LIMIT 1',
    [now - 7 * DAY_MS, now - DAY_MS / 24],
  )
  const requests = Math.max(0, used - items - changes - memory)
  if (then === undefined) return { requests, items, changes, memory, free }
  const days = (now - then.at) / DAY_MS
  const perDay = ((ever - then.items) * (items / Math.max(1, ever - gone))) / days
  const grown = (used - then.bytes) / days
  return { requests, items, changes, memory, free, daily: { items: perDay, rest: Math.max(0, grown - perDay) } }
}

/** One host, or a page of them by key. */
async function hostsOf(
  sql: SqlReads,
  { hostKey, afterHostKey = '', limit = Number.MAX_SAFE_INTEGER, parts }: Parameters<FrontierReader['hosts']>[0],
): Promise<HostRecord[]> {
  const values: unknown[] = [hostKey ?? afterHostKey, limit]
  const join =
    parts?.length === 0
      ? `LEFT JOIN (SELECT '' AS part, NULL AS json) m ON true`
      : sql.memory(parts, (value) => `$${String(values.push(value))}`)
  const those = `SELECT ${HOST_RECORD_COLUMNS} FROM {S}.host WHERE key ${hostKey === undefined ? '>' : '='} $1 ORDER BY key LIMIT $2`
  const rows = await sql.all<HostRecordRow & { readonly part: string; readonly json: string | null }>(
    `SELECT h.*, m.part, m.json FROM (${those}) h ${join} ORDER BY h.key`,
    values,
  )
  const alive = rows.some(({ owner }) => owner !== null) ? await sql.alive() : new Set<number>()
  return [...Map.groupBy(rows, ({ id }) => id).values()].flatMap((ofHost) => {
    const memory: MemoryParts = Object.assign(
      {},
      ...ofHost.map(({ part, json }) => json !== null && sql.unpacked({ part, json }, parts)),
    )
    return ofHost.slice(0, 1).map((row) => hostRecordOf(row, alive, memory))
  })
}

// Totals, errors in the user's code, sinks and hosts, from the columns that stores on SQL tables have of them.

/** Totals as readers see them: what there is none of is not said. */
function presentCounts({ records, again, rejects, itemsGone, ...counts }: Required<Counts>): Counts {
  return {
    ...counts,
    ...(itemsGone > 0 && { itemsGone }),
    ...(records > 0 && { records }),
    ...(again > 0 && { again }),
    ...(rejects > 0 && { rejects }),
  }
}

/** Columns of a kind of errors, with the page that failed with it first. */
interface HandlerErrorRow {
  readonly json: string
  readonly pages: number
  readonly path: string
  readonly origin: string
  readonly handler: string
}

async function handlerErrorsOf({ all, one }: SqlReads): Promise<HandlerErrorGroup[]> {
  const rows = await all<HandlerErrorRow>(
    `SELECT e.json, g.pages, r.path, h.origin, w.word AS handler FROM (
       SELECT t.error, count(*) AS pages, min(t.id) AS first FROM {S}.trouble t ${one('attempt', 'a', 't.id')}
       WHERE t.error IS NOT NULL AND a.state = ${STATES.indexOf('failed')} GROUP BY t.error) g
     ${one('handler_error', 'e', 'g.error')} ${one('request', 'r', 'g.first')} ${one('host', 'h', 'r.host')}
     ${one('handler', 'w', 'r.handler')} ORDER BY g.pages DESC, e.id`,
  )
  return rows.map(({ json, pages: count, handler, ...of }) => {
    return { ...(JSON.parse(json) as HandlerError), count, url: joinedUrl(of), handler }
  })
}

/** What is kept of a sink. Throws AVO_FRONTIER_CORRUPT. */
export function sinkRecordOf(text: string): SinkRecord {
  return storedJson(text, 'what is kept of a sink') as SinkRecord
}

/** A sink as readers see it; `behind`: how many items are beyond its mark. */
function sinkStandingOf({ record, behind }: { readonly record: string; readonly behind: number }): SinkStanding {
  const known = sinkRecordOf(record)
  const { suspects = [], mark: { itemSeq } = { itemSeq: 0 } } = known
  return { ...known, behind: behind + suspects.filter(({ seq }) => seq <= itemSeq).length }
}

/** Its columns; `waiting` without what is due again. */
interface HostRecordRow {
  readonly id: number
  readonly key: string
  readonly ready_at: number
  /** Of a host that nobody holds and that has something to do. */
  readonly due_at: number | null
  readonly waiting: number
  readonly done: number
  readonly moved: number
  readonly failed: number
  readonly again: number
  readonly retried: number
  readonly owner: number | null
  readonly retired_for: string | null
  readonly probe_at: number | null
}

/** The query for them, but for where. */
const HOST_RECORD_COLUMNS =
  'id, key, ready_at, due_at, ready + delayed - again AS waiting, done, moved, failed, again, retried, owner, retired_for, probe_at'

/** A row as readers see it; `alive`: ids of the processes that live. */
function hostRecordOf(row: HostRecordRow, alive: ReadonlySet<number>, memory: MemoryParts): HostRecord {
  const { key: hostKey, waiting, done, moved, failed, again, retried, owner, retired_for, probe_at } = row
  const readyAt = Math.max(row.ready_at, (retired_for === null ? row.due_at : null) ?? 0)
  return {
    hostKey,
    waiting,
    done,
    moved,
    failed,
    retried,
    readyAt: readyAt >= NEVER || isUntilResumed(readyAt) ? Infinity : readyAt,
    held: owner !== null && alive.has(owner),
    memory,
    ...(again > 0 && { again }),
    ...(retired_for !== null && { retiredFor: retired_for, ...(probe_at !== null && { probeAt: probe_at }) }),
  }
}
