// What handlers made of kept responses takes the place of what the store has of those pages.
//
// A kept response counts only if it is the page of the last visit that had one, because the items of a later visit must not be replaced by those of an
// earlier one. A visit is identified by the moment at which its page was fetched, which the exchange gives to the store and to the file of kept responses
// alike. Where several handlers get a page, only the response of the last exchange is kept. So for each of them, the last visit of another one counts as well,
// if it is later.
import { SCHEMA_SOURCE, type Blame, type HandlerError, type NewItem, type NewReject, cutOf } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import type { Replacement } from '../outcome/outcome-table.ts'
import { fingerprintFor, type AskedRow } from '../queue/asked-row.ts'
import type { StoredHost } from '../queue/host-table.ts'
import { CUT_COLUMNS } from '../queue/request-table.ts'
import type { Store } from '../store.ts'
import { batchesById } from './id-batches.ts'

/** What became of pages of the store. */
export interface AdoptedPages {
  /** Pages that were settled anew, and are done. */
  readonly done: number
  /** Pages that are done, and stay what they were: a later visit than that of the kept response had a page. */
  readonly outdated: number
}

/** Of requests of the store: what was settled anew, and what was not because a later visit had a page. */
const DECIDED = `CREATE TEMP TABLE settled_anew (id INTEGER PRIMARY KEY); CREATE TEMP TABLE outdated (id INTEGER PRIMARY KEY);`

type Placed<Row> = Omit<Row, 'ordinal'> & { readonly visit: number; readonly ordinal: number }

interface PageRow extends AskedRow {
  readonly there: number
  readonly id: number
  readonly host: number
  readonly rank: number
  readonly handler: string
  /** Number of the visit that the items of the page are of. */
  readonly visit: number
  /** In the store; null: never tried. */
  readonly was: number | null
  /** In the store, epoch ms: when anything was fetched last, and when a page was. */
  readonly last_at: number | null
  readonly page_at: number | null
  readonly state: number
  /** Of the kept response, epoch ms. */
  readonly fetched_at: number | null
  readonly status: number | null
  readonly duration_ms: number | null
  readonly wire_bytes: number | null
  readonly reason: string | null
  readonly blame: string | null
  readonly target: string | null
  readonly error: string | null
  readonly cut_for: string | null
  readonly cut_of: number | null
  readonly cut_left: number | null
}

/** Of requests `r` with rows `b` and `v`. */
const PAGE_AT = 'iif(v.id IS NULL, b.fetched_at, v.page_at)'

/** Of attempts `b` with troubles `u`: of what waits, what is done, and what failed in the user's code. Any other is what its server said. */
export const SETTLED_ANEW = "(coalesce(b.state, 0) < 2 OR (b.state = 3 AND u.blame = 'user'))"

const PAGES = `SELECT p.there, r.id, r.host, r.rank, coalesce(v.page_visit, 0) AS visit, b.state AS was, b.fetched_at AS last_at, ${PAGE_AT} AS page_at,
  a.state, a.fetched_at, a.status, a.duration_ms, a.wire_bytes, y.word AS reason, t.blame, t.target, iif(json_valid(x.json), x.json, NULL) AS error, ${CUT_COLUMNS},
  r.path, h.origin, k.word AS handler, e.method, e.body, e.identity
  FROM replay.attempt a CROSS JOIN temp.pair p ON p.there = a.id CROSS JOIN main.request r ON r.id = p.here CROSS JOIN main.host h ON h.id = r.host
  CROSS JOIN main.handler k ON k.id = r.handler LEFT JOIN main.extra e ON e.id = r.id
  LEFT JOIN main.attempt b ON b.id = r.id LEFT JOIN main.visited v ON v.id = r.id LEFT JOIN main.trouble u ON u.id = r.id
  LEFT JOIN replay.trouble t ON t.id = a.id LEFT JOIN replay.reason y ON y.id = t.reason LEFT JOIN replay.handler_error x ON x.id = t.error
  LEFT JOIN replay.cut c ON c.id = a.id LEFT JOIN replay.reason z ON z.id = c.reason
  WHERE a.id > ? AND a.state <> 0 AND NOT (a.state = 3 AND y.word IS ?) AND ${SETTLED_ANEW}
  ORDER BY a.id LIMIT ?`

/** Settles the pages of `temp.pair` anew; `notKept`: the reason with which a page failed in the replay that is not kept. */
export async function adoptPages(store: Store, notKept: string): Promise<AdoptedPages> {
  const query = store.db.prepare<unknown[], PageRow>(PAGES)
  const found = yieldedIn(store.db)
  const isOfLast = lastVisits(store)
  store.db.exec(DECIDED)
  const settle = store.db.prepare('INSERT OR IGNORE INTO temp.settled_anew VALUES (?)')
  const pass = store.db.prepare('INSERT OR IGNORE INTO temp.outdated VALUES (?)')
  let lastSeq = store.items.lastSeq()
  let [done, outdated] = [0, 0]
  const batches = batchesById(
    (after, limit) => query.all(after, notKept, limit),
    ({ there }) => there,
  )
  for (const rows of batches) {
    const batch = rows.filter(isOfLast)
    const passed = rows.filter((row) => row.was === 1 && !batch.includes(row))
    // It may be called more than once.
    const from = lastSeq
    lastSeq = await store.writer.write('now', () => {
      let seq = from
      for (const row of batch) {
        const { items, rejects } = found(row.there)
        adoptPage(store, row)
        store.items.replace(row, items, seq)
        store.rejects.replace(row, rejects)
        seq += items.length
        settle.run(row.id)
      }
      for (const { id } of passed) pass.run(id)
      store.save()
      return seq
    })
    done += batch.filter(({ state }) => state === 1).length
    outdated += passed.length
  }
  return { done, outdated }
}

/** Items and rejects of a page of the replay: of all its visits one after the other, for they are of one response. */
function yieldedIn(db: Database): (id: number) => { readonly items: readonly NewItem[]; readonly rejects: readonly NewReject[] } {
  const ofItems = db.prepare<unknown[], Placed<NewItem>>(
    'SELECT visit, ordinal, json FROM replay.item WHERE request = ? ORDER BY visit, ordinal',
  )
  const ofRejects = db.prepare<unknown[], Placed<NewReject>>(
    `SELECT visit, ordinal, json, reason, at FROM replay.reject WHERE request = ? AND source = '${SCHEMA_SOURCE}' ORDER BY visit, ordinal`,
  )
  return (id) => {
    const [items, rejects] = [ofItems.all(id), ofRejects.all(id)]
    // A place is of the whole page: those of a later visit are behind those of the ones before.
    const beginAt = new Map<number, number>()
    const visits = [...new Set([...items, ...rejects].map(({ visit }) => visit))].sort((a, b) => a - b)
    let begin = 0
    for (const visit of visits) {
      beginAt.set(visit, begin)
      const last = [...items, ...rejects].reduce((most, each) => (each.visit === visit ? Math.max(most, each.ordinal) : most), -1)
      begin += last + 1
    }
    const placed = <Row extends { visit: number; ordinal: number }>({ visit, ...row }: Row): Omit<Row, 'visit'> => ({
      ...row,
      ordinal: row.ordinal + (beginAt.get(visit) ?? 0),
    })
    return { items: items.map(placed), rejects: rejects.map(placed) }
  }
}

/** Whether the response is of the last visit that had a page. What was never fetched has none that could be lost. */
function lastVisits({ db, identity, totals }: Store): (row: PageRow) => boolean {
  identity.refresh(totals.load())
  const handlers = db.prepare<unknown[], string>('SELECT word FROM main.handler').pluck().all()
  const pageAt = db
    .prepare<unknown[], number | null>(
      `SELECT ${PAGE_AT} FROM main.request r LEFT JOIN main.attempt b ON b.id = r.id LEFT JOIN main.visited v ON v.id = r.id WHERE r.id = ?`,
    )
    .pluck()
  return (row) => {
    const { last_at: lastAt, page_at: at, fetched_at: keptAt, handler } = row
    if (lastAt === null || keptAt === at) return true
    if (keptAt === null || at === null || keptAt < at) return false
    return handlers.some((other) => {
      const id = other === handler ? undefined : identity.idOf(fingerprintFor(row, other))
      return id !== undefined && pageAt.get(id) === keptAt
    })
  }
}

function adoptPage(store: Store, row: PageRow): void {
  const { id, rank, was } = row
  const host = store.hosts.get(row.host)
  if (host === undefined) throw Object.assign(new Error(`request ${id} has no host`), { code: 'SQLITE_CORRUPT' })
  const isReread = was === 0 && store.outcomes.isReread(id)
  // One that is settled and due again stays due.
  if ((was ?? 0) === 0 && !store.queue.undelay(host, id)) store.queue.leave(host, { id, rank })
  store.outcomes.replace(host, id, outcomeOf(row))
  if (isReread) visitNext(store, host, { id, rank })
  store.owners.clearSuspicion(id)
}

/** What was to be read again for its links is visited when it was to be visited anyway. */
function visitNext({ recrawls, outcomes, queue }: Store, host: StoredHost, { id, rank }: Pick<PageRow, 'id' | 'rank'>): void {
  const dueAt = recrawls.dueAt(id)
  if (dueAt === undefined) return
  outcomes.renew(id)
  outcomes.countAgain(host, 1)
  queue.delay(host, { id, rank }, dueAt)
}

function outcomeOf(row: PageRow): Replacement {
  const { state, reason, blame, target, error, fetched_at: at, status, duration_ms: durationMs, wire_bytes: wireBytes } = row
  const fetched =
    row.last_at === null && at !== null
      ? { at, status: status ?? 0, durationMs: durationMs ?? 0, wireBytes: wireBytes ?? 0 }
      : undefined
  if (state === 1) return { kind: 'done', cut: cutOf(row), fetched }
  if (state === 2) return { kind: 'moved', target: target ?? '', fetched }
  const handlerError = error === null ? {} : { handlerError: JSON.parse(error) as HandlerError }
  return {
    kind: 'failed',
    reason: reason ?? '',
    failure: { ...(blame !== null && { blame: blame as Blame }), ...handlerError },
    fetched,
  }
}
