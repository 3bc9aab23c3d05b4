// The read side of a crawl on PostgreSQL, on connections of its own, also beside a crawl that goes on.
//
// Look-ups are lateral and of one row, so that they are made by index whatever the statistics of the tables say. Numbers of items are given once the
// transaction of a group has ended, so who reads by number misses none (schema/tables.sql.ts). Whoever reads numbers first.
import type { Queries } from '../connection/queries.ts'
import type { FrontierReader } from '@avocet/core/store'
import { sqlReader, type SqlDialect } from '@avocet/store-sql'
import { storedWord } from '../names/word-ids.ts'
import { firstPartOf, packedBeginning, partsOf } from '../schema/packed-memory.ts'
import { aliveOf, crawlingProcesses } from './may-live.ts'

/** No host has as many. A limit keeps the look-ups apart, each by index: joined as a whole, all memory of the store would be read for each page. */
const MOST_PARTS = 100_000

/** Those of groups that are numbered from a mark on, and of the group that the mark cuts; and of those that have no number yet. */
function behind(table: 'item' | 'change'): string {
  return `(SELECT coalesce(sum(g.${table}s), 0) FROM {S}.item_group g WHERE g.base >= s.item_seq)
    + (SELECT coalesce(sum(g.${table}s), 0) FROM {S}.item_group g WHERE g.base IS NULL)
    + (SELECT count(*) FROM {S}.item_group g JOIN {S}.${table} i ON i.grp = g.id
       WHERE g.base = (SELECT max(base) FROM {S}.item_group WHERE base < s.item_seq) AND g.base + i.n > s.item_seq)`
}

/** Small parts of a memory are together in one row, under no name. */
const DIALECT: SqlDialect = {
  one: (table, alias, id) => `LEFT JOIN LATERAL (SELECT * FROM {S}.${table} WHERE id = ${id} LIMIT 1) ${alias} ON true`,
  word: storedWord,
  spelt: (path, url) => `(SELECT id FROM {S}.requests_at(${path}, ${url}) u (id))`,
  waitingAt: (host) =>
    `(SELECT id FROM {S}.ready WHERE host = ${host} UNION ALL SELECT id FROM {S}.delayed WHERE host = ${host})`,
  // Sums over the processes, those that are gone among them.
  totals: `(SELECT sum(known) AS known, sum(done) AS done, sum(moved) AS moved, sum(failed) AS failed, sum(items) AS items, sum(again) AS again,
    sum(rejects) AS rejects, (SELECT items_gone FROM {S}.crawl) AS items_gone FROM {S}.process)`,
  reasons: `(SELECT y.word, sum(t.failed) AS failed FROM {S}.reason_total t JOIN {S}.reason y ON y.id = t.reason GROUP BY y.id) y`,
  // By groups, in the order of their numbers, from the one on that the first number is in.
  yields: (table, order) => ({
    from: `{S}.item_group g JOIN LATERAL (SELECT * FROM {S}.${table} WHERE grp = g.id ORDER BY n ${order}) i ON true`,
    after: `${table === 'change' ? 'g.changes > 0 AND ' : ''}g.base >= coalesce((SELECT max(base) FROM {S}.item_group WHERE base <= $1), 0) AND g.base + i.n > $1`,
    order: `g.base ${order}, i.n ${order}`,
  }),
  seq: 'g.base + i.n',
  numbering: 'LEFT JOIN LATERAL (SELECT base FROM {S}.item_group WHERE id = i.grp LIMIT 1) g ON true',
  behind: `CASE WHEN s.record::json ->> 'changes' = 'true' THEN ${behind('change')} ELSE ${behind('item')} END`,
  sizes: `SELECT {S}.bytes_of(NULL) AS used, 0 AS free, {S}.bytes_of('{item,item_group}') AS items, {S}.bytes_of('{change}') AS changes,
    {S}.bytes_of('{host_memory}') AS memory`,
  memory: (parts, value) => {
    const named = parts === undefined ? '' : `AND (part = '' OR part = ANY (${value(parts.map(storedWord))}))`
    const json = parts?.length === 1 ? `${firstPartOf(`${value(packedBeginning(parts[0] ?? ''))}::text`)} AS json` : 'json'
    return `LEFT JOIN LATERAL (SELECT part, ${json} FROM {S}.host_memory WHERE host = h.id ${named} LIMIT ${String(MOST_PARTS)}) m ON true`
  },
  unpacked: partsOf,
}

/** Reads the crawl that `queries` ask. The caller closes the connections. */
export function postgresReader(queries: Pick<Queries, 'all'>): FrontierReader {
  return sqlReader({
    ...DIALECT,
    all: (text, values) => queries.all(text, values),
    number: () => numberItems(queries),
    alive: () => aliveOf(queries),
    processes: () => crawlingProcesses(queries),
  })
}

// Gives numbers to items whose transactions have ended.

/** Groups that are numbered in one call, at most: what is left is numbered by the next one. */
const NUMBERED_AT_ONCE = 10_000

/** Numbers some. Returns whether there may be more. */
async function numberItems(queries: Pick<Queries, 'all'>): Promise<boolean> {
  const [row] = await queries.all<{ readonly more: boolean }>(`SELECT {S}.number_items(${NUMBERED_AT_ONCE}) AS more`)
  return row?.more === true
}
