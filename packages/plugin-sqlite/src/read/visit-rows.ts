// Visits of one request with the items that they brought, by the index of the places of items: what other requests have is not read.
import type { ItemRecord, VisitPage, VisitQuery, VisitRecord } from '@avocet/core/store'
import { lastPageOf, urlOf, type LastPageRow } from '@avocet/store-sql'
import type { Database, Statement } from '../file/driver.ts'

interface ItemRow {
  readonly seq: number
  readonly ordinal: number
  readonly json: string
}

type RequestRow = LastPageRow & { readonly path: string; readonly origin: string }

/** Reads them. */
export class VisitRows {
  readonly #request: Statement<RequestRow>
  readonly #before: Statement<number | null>
  readonly #items: Statement<ItemRow>

  constructor(db: Database) {
    this.#request = db.prepare(
      `SELECT r.path, h.origin, v.visits, v.page_at, v.page_visit, a.state, a.fetched_at FROM request r JOIN host h ON h.id = r.host
       LEFT JOIN visited v ON v.id = r.id LEFT JOIN attempt a ON a.id = r.id WHERE r.id = ?`,
    )
    this.#before = db.prepare<unknown[], number | null>('SELECT max(visit) FROM item WHERE request = +? AND visit < +?').pluck()
    this.#items = db.prepare('SELECT seq, ordinal, json FROM item WHERE request = +? AND visit = +? ORDER BY ordinal LIMIT ? + 0')
  }

  /** A page of them, the newest first. */
  select({ requestId, before = Number.MAX_SAFE_INTEGER, limit, itemsPerVisit, maxBytes }: VisitQuery): VisitPage {
    const request = this.#request.get(requestId)
    if (request === undefined) return { visits: [] }
    const page = lastPageOf(request)
    const visits: VisitRecord[] = []
    let [visit, left] = [this.#before.get(requestId, before) ?? undefined, maxBytes]
    while (visit !== undefined && visits.length < limit && left >= 0) {
      const { rows, truncated } = this.#rows(requestId, visit, { limit: itemsPerVisit, maxBytes: left })
      left -= rows.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
      const items = rows.map((row) => itemOf(row, { requestId, url: urlOf(request.path, request.origin), visit: visit ?? 0 }))
      visits.push({ visit, ...(page?.visit === visit && { fetchedAt: page.at }), items, truncated })
      visit = this.#before.get(requestId, visit) ?? undefined
    }
    const next = visit === undefined ? undefined : visits.at(-1)?.visit
    return { visits, ...(next !== undefined && { next }) }
  }

  /** What is behind the last item is not read: it may be megabytes. */
  #rows(
    requestId: number,
    visit: number,
    { limit, maxBytes }: { readonly limit: number; readonly maxBytes: number },
  ): { readonly rows: readonly ItemRow[]; readonly truncated: boolean } {
    const rows: ItemRow[] = []
    let bytes = 0
    for (const row of this.#items.iterate(requestId, visit, limit + 1)) {
      if (rows.length >= limit || bytes > maxBytes) return { rows, truncated: true }
      rows.push(row)
      bytes += Buffer.byteLength(row.json)
    }
    return { rows, truncated: false }
  }
}

function itemOf(row: ItemRow, { visit, ...of }: Pick<ItemRecord, 'requestId' | 'url'> & { readonly visit: number }): ItemRecord {
  return { seq: row.seq, ...of, ordinal: row.ordinal, ...(visit > 0 && { visit }), json: row.json }
}
