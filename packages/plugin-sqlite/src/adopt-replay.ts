// Takes what handlers made of kept responses, in a store of their own (the replay), into a copy of the store of a crawl.
//
// The copy keeps everything that the replay does not know: hosts and what was learned of them, memories of the crawl, the queues with their moments, history,
// recrawls. So it is not the replay that is given what the store has, but the other way round. Requests go by their fingerprints. Of each page that the replay
// settled, outcome and items take the place of those of the visit that the response is of, the last one that had a page; items of earlier visits stay, for
// their responses are not kept. Links that the store does not know wait. A page that is not kept stays what it was. So does one that failed or moved by what
// its server said later than the response that is kept: only what failed in the user's code is settled anew. The rejected way, running the handlers in the copy
// itself, would leave known links with the handler and the data that the old spider gave them.
import { closeSync, openSync } from 'node:fs'
import type { Blame, Clock, Fingerprint, HandlerError, NewRequest } from '@avocet/core/store'
import { addRequests } from './commit/new-rows.ts'
import { connectReader } from './file/connect-reader.ts'
import { storeError } from './file/store-error.ts'
import { closeStore, openStore } from './open-store.ts'
import type { Replacement } from './outcome/outcome-table.ts'
import { UnseenProcesses } from './process/unseen-processes.ts'
import type { StoredHost } from './queue/host-table.ts'
import { cutOf, CUT_COLUMNS, fillIn, urlOf, type RequestRow } from './queue/request-table.ts'
import type { Store } from './store.ts'

/** Which stores, and what of the replay counts. */
export interface Adoption {
  /** Of the store of the crawl. It is read only. */
  readonly path: string
  /** Of the store of the replay, closed. It is read only. */
  readonly replay: string
  /** Where the copy is made. */
  readonly into: string
  readonly clock: Clock
  /** The reason with which a page failed in the replay that is not kept. */
  readonly notKept: string
  /** Parts of the crawl memory of the replay that count. */
  readonly crawlParts: readonly string[]
  /** The mark of an output with this at the end of its name says where the output begins: it is written anew from there. */
  readonly startEnding: string
}

/** Rows in one transaction. */
const AT_ONCE = 500
const PATIENCE_MS = 30_000

/**
 * Makes the copy, for its owner alone. Returns how many pages were settled anew.
 *
 * Throws AVO_FRONTIER_SPEC where the two name URLs or hosts in different ways, and AVO_FRONTIER_… for a store that cannot be read or written.
 */
export async function adoptReplay(adoption: Adoption): Promise<number> {
  const { path, replay, into, clock } = adoption
  await copyStore(path, into)
  const store = await openedFor(replay, into, clock)
  try {
    store.db.prepare('ATTACH ? AS replay').run(replay)
    const firstNew = store.totals.load().known + 1
    await addLinks(store)
    await store.writer.write('now', () => bringInLine(store, firstNew))
    const count = await adoptPages(store, adoption)
    await store.writer.write('now', () => adoptMemory(store, adoption))
    return count
  } catch (thrown) {
    throw storeError(thrown, into)
  } finally {
    await closeStore(store)
  }
}

async function copyStore(path: string, into: string): Promise<void> {
  const db = await connectReader(path)
  try {
    closeSync(openSync(into, 'w', 0o600))
    db.prepare('VACUUM INTO ?').run(into)
  } catch (thrown) {
    throw storeError(thrown, into)
  } finally {
    db.close()
  }
}

async function openedFor(replay: string, into: string, clock: Clock): Promise<Store> {
  const db = await connectReader(replay)
  const columns = 'name, canonicalisation, host_keying AS hostKeying'
  const spec = db
    .prepare<unknown[], { name: string; canonicalisation: string; hostKeying: string }>(`SELECT ${columns} FROM crawl`)
    .get()
  db.close()
  if (spec === undefined) throw storeError(Object.assign(new Error('the crawl has no row'), { code: 'SQLITE_CORRUPT' }), replay)
  const how = { synchronous: 'full', cacheEntries: 0, maxBytes: Infinity, lockPatienceMs: PATIENCE_MS, clock } as const
  const { store } = await openStore(into, how, { spec, now: clock.now(), unseen: new UnseenProcesses() })
  return store
}

interface LinkRow extends RequestRow {
  readonly key: string
  readonly origin: string
  readonly handler: string
}

/** Requests that the store does not know wait. `CROSS JOIN` keeps SQLite to the order of the ids, or it would sort all rows for each batch. */
async function addLinks(store: Store): Promise<void> {
  const query = store.db.prepare<unknown[], LinkRow>(
    `SELECT r.id, r.fingerprint, h.key, h.origin, r.path, r.depth, r.rank, w.word AS handler, r.anchor, e.method, e.headers, e.body, e.data, e.hops,
     e.redirected_from, e.identity FROM replay.request r CROSS JOIN replay.host h ON h.id = r.host CROSS JOIN replay.handler w ON w.id = r.handler
     LEFT JOIN replay.extra e ON e.id = r.id WHERE r.id > ? ORDER BY r.id LIMIT ?`,
  )
  for (let rows = query.all(0, AT_ONCE); rows.length > 0; rows = query.all(rows.at(-1)?.id ?? Infinity, AT_ONCE))
    await addRequests(store, rows.map(requestOf))
}

function requestOf(row: LinkRow): NewRequest {
  const { fingerprint, key, origin, path, depth, rank, handler } = row
  const request: NewRequest = {
    fingerprint: fingerprint.toString('latin1') as Fingerprint,
    hostKey: key,
    url: urlOf(path, origin),
    handler,
    depth,
    priority: -rank || 0,
  }
  fillIn(request, row)
  return request
}

/** Pairs the requests of both stores; what is new gets its parent, and all get the handler and the data that links give them today. */
function bringInLine({ db }: Store, firstNew: number): void {
  db.exec(`CREATE TEMP TABLE pair (there INTEGER PRIMARY KEY, here INTEGER NOT NULL UNIQUE);
    INSERT INTO temp.pair SELECT w.id, r.id FROM main.request r JOIN replay.request w ON w.fingerprint = r.fingerprint;
    INSERT OR IGNORE INTO main.handler (word) SELECT word FROM replay.handler;
    UPDATE main.request SET handler = h.id FROM temp.pair p, replay.request w, replay.handler v, main.handler h
      WHERE request.id = p.here AND w.id = p.there AND v.id = w.handler AND h.word = v.word AND request.handler <> h.id;
    UPDATE main.extra SET data = NULL FROM temp.pair p WHERE extra.id = p.here AND data IS NOT NULL;
    INSERT INTO main.extra (id, data) SELECT p.here, e.data FROM temp.pair p JOIN replay.extra e ON e.id = p.there WHERE e.data IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET data = excluded.data;`)
  db.prepare(
    `UPDATE main.request SET parent = q.here FROM temp.pair p, replay.request w, temp.pair q
     WHERE request.id = p.here AND request.id >= ? AND w.id = p.there AND q.there = w.parent`,
  ).run(firstNew)
}

interface PageRow {
  readonly there: number
  readonly id: number
  readonly host: number
  readonly rank: number
  /** Number of the visit that the kept response is of. */
  readonly visit: number
  /** In the store; null: never tried. */
  readonly was: number | null
  readonly state: number
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

/** The last one; where that found the page as it was (304), the one that its items are of. */
const VISIT = `coalesce(iif(b.status = 304, (SELECT max(i.visit) FROM main.item i WHERE i.request = r.id), NULL), v.visits - 1, 0)`

/** Of the store: what waits, what is done, and what failed in the user's code. */
const PAGES = `SELECT p.there, r.id, r.host, r.rank, ${VISIT} AS visit, b.state AS was, a.state, a.fetched_at, a.status, a.duration_ms, a.wire_bytes,
  y.word AS reason, t.blame, t.target, x.json AS error, ${CUT_COLUMNS}
  FROM replay.attempt a CROSS JOIN temp.pair p ON p.there = a.id CROSS JOIN main.request r ON r.id = p.here
  LEFT JOIN main.attempt b ON b.id = r.id LEFT JOIN main.visited v ON v.id = r.id LEFT JOIN main.trouble u ON u.id = r.id
  LEFT JOIN replay.trouble t ON t.id = a.id LEFT JOIN replay.reason y ON y.id = t.reason LEFT JOIN replay.handler_error x ON x.id = t.error
  LEFT JOIN replay.cut c ON c.id = a.id LEFT JOIN replay.reason z ON z.id = c.reason
  WHERE a.id > ? AND a.state <> 0 AND NOT (a.state = 3 AND y.word IS ?) AND (coalesce(b.state, 0) < 2 OR (b.state = 3 AND u.blame = 'user'))
  ORDER BY a.id LIMIT ?`

/** Returns how many. */
async function adoptPages(store: Store, { notKept }: Adoption): Promise<number> {
  const query = store.db.prepare<unknown[], PageRow>(PAGES)
  const items = store.db.prepare<unknown[], { readonly json: string }>(
    'SELECT json FROM replay.item WHERE request = ? ORDER BY visit, ordinal',
  )
  let lastSeq = store.items.lastSeq()
  let count = 0
  for (
    let rows = query.all(0, notKept, AT_ONCE);
    rows.length > 0;
    rows = query.all(rows.at(-1)?.there ?? Infinity, notKept, AT_ONCE)
  ) {
    const batch = rows
    // It may be called more than once.
    const from = lastSeq
    lastSeq = await store.writer.write('now', () => {
      let seq = from
      for (const row of batch) {
        const found = items.all(row.there)
        adoptPage(store, row)
        store.items.replace(row, found, seq)
        seq += found.length
      }
      store.save()
      return seq
    })
    count += rows.length
  }
  return count
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
  const { was, state, reason, blame, target, error, fetched_at: at, status, duration_ms: durationMs, wire_bytes: wireBytes } = row
  const fetched =
    was === null && at !== null ? { at, status: status ?? 0, durationMs: durationMs ?? 0, wireBytes: wireBytes ?? 0 } : undefined
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

function adoptMemory(store: Store, { crawlParts, startEnding }: Adoption): void {
  const part = store.db.prepare<unknown[], { readonly part: string; readonly json: string }>(
    'SELECT part, json FROM replay.crawl_memory WHERE part = ? ORDER BY process',
  )
  for (const name of crawlParts) for (const row of part.all(name)) store.memories.setCrawl({ [row.part]: row.json })
  store.items.rewindMarks(startEnding)
  store.save()
}
