// Watched items and their changes, as the laws of core say; and items that are held, which are rejects until they are published.
import {
  HELD_SOURCE,
  keptReason,
  rejectGroupOf,
  watchLaws,
  type CommitUnit,
  type HeldFate,
  type NewItem,
  type ShownItem,
  type WatchedItem,
} from '@avocet/core/store'
import type { Database, Statement } from '../file/driver.ts'
import type { CrawlTotals } from './crawl-totals.ts'

/** A page, at one of its visits; `at`: when it was fetched, epoch ms. */
export interface SeenPage {
  readonly host: number
  readonly id: number
  readonly visit: number
  readonly at: number
}

interface WatchedRow extends Omit<WatchedItem, 'isGone'> {
  readonly gone: 0 | 1
}

interface ShownRow extends ShownItem, WatchedRow {
  readonly key: string
}

interface HeldRow extends SeenPage {
  readonly ordinal: number
  readonly json: string
  readonly key: string | null
  readonly value: string | null
  readonly reject: number
}

const COLUMNS = 'w.value, w.source, w.pages, w.gone'

/** What becomes of held items, or of the first `most`. `by`: the page that says so, which publishes only those of pages with its handler. */
interface Settlement {
  readonly to: HeldFate
  readonly most?: number
  readonly by?: number
}

/** Those of one connection, within a transaction. */
export class WatchTable {
  readonly #db: Database
  readonly #totals: CrawlTotals
  readonly #ofPage: Statement<ShownRow>
  readonly #ofKey: Statement<WatchedRow>
  readonly #keep: Statement
  readonly #keepShown: Statement
  readonly #drop: Statement
  readonly #record: Statement

  constructor(db: Database, totals: CrawlTotals) {
    this.#db = db
    this.#totals = totals
    this.#ofPage = db.prepare(
      `SELECT s.key, s.digest, s.missed, ${COLUMNS} FROM shown s CROSS JOIN watched w ON w.host = +? AND w.key = s.key WHERE s.request = +?`,
    )
    this.#ofKey = db.prepare(`SELECT ${COLUMNS} FROM watched w WHERE w.host = ? AND w.key = ?`)
    this.#keep = db.prepare('INSERT OR REPLACE INTO watched (host, key, value, source, pages, gone) VALUES (?, ?, ?, ?, ?, ?)')
    this.#keepShown = db.prepare('INSERT OR REPLACE INTO shown (request, key, digest, missed) VALUES (?, ?, ?, ?)')
    this.#drop = db.prepare('DELETE FROM shown WHERE request = ? AND key = ?')
    this.#record = db.prepare(
      'INSERT INTO change (host, key, kind, before, after, request, visit, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    )
  }

  /** A page was visited. Returns how many changes that makes. */
  visited(page: SeenPage, watch: NonNullable<CommitUnit['watch']>, items: readonly NewItem[]): number {
    const { host, id: requestId } = page
    // At its first visit nothing is known of the page; what was held is published later.
    const rows = page.visit === 0 && watch.shows !== 'some' ? [] : this.#ofPage.all(host, requestId)
    const ofPage = new Map(rows.map((row) => [row.key, { ...row, item: itemOf(row) }]))
    const sightings = items.flatMap(({ watched }) => watched ?? [])
    const find = (key: string): WatchedItem | undefined => {
      const row = this.#ofKey.get(host, key)
      return row && itemOf(row)
    }
    let changes = 0
    const visit = { requestId, page: watch, sightings }
    for (const { key, item, shown, change } of watchLaws.visited(visit, { ofPage, find })) {
      if (item !== undefined) this.#keep.run(host, key, item.value, item.source, item.pages, item.isGone ? 1 : 0)
      if (shown === null) this.#drop.run(requestId, key)
      else if (shown !== undefined) this.#keepShown.run(requestId, key, shown.digest, shown.missed)
      if (change === undefined) continue
      changes++
      this.#record.run(host, key, change.kind, change.before ?? null, change.after ?? null, requestId, page.visit, page.at)
    }
    return changes
  }

  /** Items of a page are held. */
  hold(page: SeenPage, { items, reason }: NonNullable<CommitUnit['held']>): void {
    const kept = keptReason(reason)
    const insert = this.#db.prepare(
      `INSERT INTO reject (source, request, visit, ordinal, json, reason, kind, at, host, watch_key, watch_value)
       VALUES ('${HELD_SOURCE}', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    const rows = items.reduce((sum, { json, ordinal, watched: { key, value } = {} }, n) => {
      const place = [page.id, page.visit, ordinal ?? n]
      return sum + insert.run(...place, json, kept, rejectGroupOf(kept), page.at, page.host, key ?? null, value ?? null).changes
    }, 0)
    this.#totals.count('rejects', rows)
  }

  /** A page was visited and is not held: it takes the place of its earlier visits that are, and of what is held of the items that it shows. */
  replaceHeld({ host, id }: SeenPage, items: readonly NewItem[]): void {
    if (this.#totals.rejects === 0) return
    const keys = JSON.stringify(items.flatMap(({ watched }) => watched?.key ?? []))
    const { changes } = this.#db
      .prepare('DELETE FROM reject WHERE host = ? AND (request = ? OR watch_key IN (SELECT value FROM json_each(?)))')
      .run(host, id, keys)
    if (changes > 0) this.#totals.count('rejects', -changes)
  }

  /** What becomes of items that are held of a host. Returns how many it is, and how many changes they make. */
  settleHeld(
    host: number,
    { to, most = -1, by }: Settlement,
    add: (page: SeenPage, items: readonly NewItem[]) => number,
  ): Record<'settled' | 'published' | 'changes', number> {
    const rows = this.#db
      .prepare<unknown[], HeldRow>(
        `SELECT id AS reject, host, request AS id, visit, at, ordinal, json, watch_key AS key, watch_value AS value FROM reject j
         WHERE host = @host AND (@by IS NULL OR
           (SELECT r.handler FROM request r WHERE r.id = j.request) = (SELECT r.handler FROM request r WHERE r.id = @by))
         ORDER BY j.id LIMIT @most`,
      )
      .all({ host, most, by: to === 'publish' ? (by ?? null) : null })
    const ids = JSON.stringify(rows.map(({ reject }) => reject))
    const { changes: settled } = this.#db.prepare('DELETE FROM reject WHERE id IN (SELECT value FROM json_each(?))').run(ids)
    if (settled > 0) this.#totals.count('rejects', -settled)
    const done = { settled, published: 0, changes: 0 }
    if (to === 'drop') return done
    for (const page of Map.groupBy(rows, ({ id, visit }) => `${id}/${visit}`).values()) {
      const [first] = page
      if (first === undefined) continue
      const items = page.map(({ json, ordinal, key, value }): NewItem => {
        return { json, ordinal, ...(key !== null && value !== null && { watched: { key, value } }) }
      })
      done.published += add(first, items)
      done.changes += this.visited(first, { shows: 'some' }, items)
    }
    return done
  }
}

function itemOf({ value, source, pages, gone }: WatchedRow): WatchedItem {
  return { value, source, pages, isGone: gone === 1 }
}
