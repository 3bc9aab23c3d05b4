// Rejects, each source once at a place (request, visit, ordinal). Those of the schema have the item as it was yielded, and no item is at their place; those
// of a sink refer to the item that is there, and have a change as the sink gets it.
import { keptReason, rejectGroupOf, SCHEMA_SOURCE, type NewItem, type NewReject, type SinkReject } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import type { CrawlTotals } from './crawl-totals.ts'

/** A page, at one of its visits. */
interface PageVisit {
  readonly id: number
  readonly visit: number
}

const HAS_ITEM = 'EXISTS (SELECT 1 FROM item i WHERE i.request = @request AND i.visit = @visit AND i.ordinal = @ordinal)'
const INSERT = `INSERT INTO reject (source, request, visit, ordinal, json, reason, kind, at)
  SELECT @source, @request, @visit, @ordinal, @json, @reason, @kind, @at WHERE`
const AGAIN = `ON CONFLICT (request, visit, ordinal, source) DO UPDATE SET json = excluded.json, reason = excluded.reason, kind = excluded.kind,
  at = excluded.at`

/** Those of earlier visits, and those at whose places there are items. */
const DROP_PAST = `DELETE FROM reject WHERE request = ? AND source = '${SCHEMA_SOURCE}' AND (visit < ? OR EXISTS (
  SELECT 1 FROM item i WHERE i.request = reject.request AND i.visit = reject.visit AND i.ordinal = reject.ordinal))`
/** Rejects of one connection, within a transaction. */
export class RejectTable {
  readonly #db: Database
  readonly #totals: CrawlTotals

  constructor(db: Database, totals: CrawlTotals) {
    this.#db = db
    this.#totals = totals
  }

  /**
   * What the schema refused of a page, once its items are there: an item keeps its place, and takes that of a reject. A visit that yields anything takes
   * the place of those before it.
   */
  add(page: PageVisit, { items, rejects }: { readonly items: readonly NewItem[]; readonly rejects: readonly NewReject[] }): void {
    if (rejects.length === 0 && (items.length === 0 || this.#totals.rejects === 0)) return
    const before = this.#count(page)
    if (before > 0) this.#db.prepare(DROP_PAST).run(page.id, page.visit)
    const insert = this.#db.prepare(`${INSERT} NOT ${HAS_ITEM} ${AGAIN}`)
    for (const reject of rejects) insert.run(rowOf(page, { ...reject, source: SCHEMA_SOURCE }))
    this.#totals.count('rejects', this.#count(page) - before)
  }

  /** Of sinks. Returns how many were not there before. */
  setAside(rejects: readonly SinkReject[]): number {
    const place = 'request = ? AND visit = ? AND ordinal = ? AND source = ?'
    const there = this.#db.prepare(`SELECT 1 FROM reject WHERE ${place}`)
    const insert = this.#db.prepare(`${INSERT} (@json IS NOT NULL OR ${HAS_ITEM}) ${AGAIN}`)
    let added = 0
    for (const { requestId: id, visit, json = null, ...reject } of rejects) {
      const isThere = there.get(id, visit, reject.ordinal, reject.source) !== undefined
      const { changes } = insert.run(rowOf({ id, visit }, { ...reject, json }))
      if (!isThere) added += changes
    }
    this.#totals.count('rejects', added)
    return added
  }

  /** Returns how many went. */
  forget(ids: readonly number[]): number {
    const drop = this.#db.prepare('DELETE FROM reject WHERE id = ?')
    const gone = ids.reduce((sum, id) => sum + drop.run(id).changes, 0)
    this.#totals.count('rejects', -gone)
    return gone
  }

  #count({ id }: PageVisit): number {
    const count = this.#db.prepare<unknown[], number>('SELECT count(*) FROM reject WHERE request = ?').pluck()
    return count.get(id) ?? 0
  }
}

function rowOf(
  { id, visit }: PageVisit,
  { source, ordinal, json, reason, at }: Omit<NewReject, 'json'> & { readonly source: string; readonly json: string | null },
): Readonly<Record<string, string | number | null>> {
  const kept = keptReason(reason)
  return { source, request: id, visit, ordinal, json, reason: kept, kind: rejectGroupOf(kept), at: Math.round(at) }
}
