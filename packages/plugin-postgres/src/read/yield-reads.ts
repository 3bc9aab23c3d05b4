// Items and records by their numbers, and how far sinks are.
//
// Numbers are given once the transaction of a group is over, so who reads by number misses none (schema/tables.sql.ts). Whoever reads numbers first.
import { storedJson, type DocumentRecord, type ItemRecord, type SinkRecord, type SinkStanding } from '@avocet/core/store'
import { documentRecordOf, itemRecordOf, type DocumentRecordRow } from '@avocet/store-sql'
import type { Queries } from '../connection/queries.ts'
import { numberItems } from './number-items.ts'

interface SinkRow {
  readonly record: string
  readonly behind: number
}

/** Items of groups that are numbered from a mark on, and of the group that the mark cuts; and of those that have no number yet. */
const BEHIND = `(SELECT coalesce(sum(g.items), 0) FROM {S}.item_group g WHERE g.base >= s.item_seq)
  + (SELECT coalesce(sum(g.items), 0) FROM {S}.item_group g WHERE g.base IS NULL)
  + (SELECT count(*) FROM {S}.item_group g JOIN {S}.item i ON i.grp = g.id
     WHERE g.base = (SELECT max(base) FROM {S}.item_group WHERE base < s.item_seq) AND g.base + i.n > s.item_seq)`

/** Reads them. */
export class YieldReads {
  readonly #queries: Queries

  constructor(queries: Queries) {
    this.#queries = queries
  }

  async items(page: { readonly afterSeq: number; readonly limit: number }): Promise<readonly ItemRecord[]> {
    return (await this.#page('item', page)).map(itemRecordOf)
  }

  async records(page: Parameters<YieldReads['items']>[0] & { readonly handler?: string }): Promise<readonly DocumentRecord[]> {
    // Nearly no crawl has any: groups without records need not be looked through.
    const [some] = await this.#queries.all(
      `SELECT 1 FROM {S}.record WHERE $1::text IS NULL OR EXISTS (SELECT 1 FROM {S}.handler WHERE word = $1) LIMIT 1`,
      [page.handler ?? null],
    )
    return some === undefined ? [] : (await this.#page('record', page)).map(documentRecordOf)
  }

  async sinks(): Promise<readonly SinkStanding[]> {
    await numberItems(this.#queries)
    const rows = await this.#queries.all<SinkRow>(
      `SELECT s.record, ${BEHIND} AS behind FROM {S}.sink s WHERE s.record IS NOT NULL ORDER BY s.name`,
    )
    return rows.map(({ record, behind }) => {
      const known = storedJson(record, 'what is kept of a sink') as SinkRecord
      const { suspects = [], mark: { itemSeq } = { itemSeq: 0 } } = known
      return { ...known, behind: behind + suspects.filter(({ seq }) => seq <= itemSeq).length }
    })
  }

  async #page(
    table: 'item' | 'record',
    { afterSeq, limit, handler }: { readonly afterSeq: number; readonly limit: number; readonly handler?: string },
  ): Promise<readonly DocumentRecordRow[]> {
    await numberItems(this.#queries)
    // By groups, in the order of their numbers, from the one on that the first number is in.
    return this.#queries.all<DocumentRecordRow>(
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
}
