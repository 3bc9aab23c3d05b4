// Takes what handlers made of kept responses, in a store of their own (the replay), into a copy of the store of a crawl.
//
// The copy keeps everything that the replay does not know: hosts and what was learned of them, memories of the crawl, the queues with their moments, history,
// recrawls. So it is not the replay that is given what the store has, but the other way round. Requests go by their fingerprints; those of pages that go to
// another handler today follow it (adoption/followed-handlers.ts). Of each page that the replay settled, outcome and items take the place of those of the last
// visit that had a page, if the kept response is of that visit (adoption/adopted-pages.ts); items of earlier visits stay, for their responses are not kept.
// Links that the store does not know wait. A page that is not kept stays what it was. So does one that failed or moved by what its server said later than the
// response that is kept: only what failed in the user's code is settled anew. The rejected way, running the handlers in the copy itself, would leave known
// links with the handler and the data that the old spider gave them.
import { closeSync, openSync } from 'node:fs'
import { SCHEDULE_PART, type Clock } from '@avocet/core/store'
import { adoptPages, type AdoptedPages } from './adoption/adopted-pages.ts'
import { adoptYields } from './adoption/adopted-yields.ts'
import { followHandlers } from './adoption/followed-handlers.ts'
import { batchesById } from './adoption/id-batches.ts'
import { LINK_COLUMNS, linksOf, storedLink, type LinkRow } from './adoption/stored-links.ts'
import { untouchedPages, type Today, type UntouchedPage } from './adoption/untouched-pages.ts'
import { addRequests } from './commit/new-rows.ts'
import { connectReader } from './file/connect-reader.ts'
import { storeError } from './file/store-error.ts'
import { closeStore, openStore } from './open-store.ts'
import { UnseenProcesses } from './process/unseen-processes.ts'
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
  readonly today: Today
  /** Called with each page that keeps its items: those that are done, and those of which the last visit had none. */
  onUntouched?(page: UntouchedPage): void
}

const PATIENCE_MS = 30_000

/**
 * Makes the copy, for its owner alone. Returns what became of its pages.
 *
 * Throws AVO_FRONTIER_SPEC where the two name URLs or hosts in different ways, and AVO_FRONTIER_… for a store that cannot be read or written.
 */
export async function adoptReplay(adoption: Adoption): Promise<AdoptedPages> {
  const { path, replay, into, clock } = adoption
  await copyStore(path, into)
  const store = await openedFor(replay, into, clock)
  try {
    await store.writer.write('now', () => followHandlers(store.db))
    const firstNew = store.totals.load().known + 1
    await addLinks(store)
    await store.writer.write('now', () => bringInLine(store, firstNew))
    const pages = await adoptPages(store, adoption.notKept)
    await adoptYields(store)
    await store.writer.write('now', () => adoptMemory(store, adoption))
    if (adoption.onUntouched !== undefined)
      for (const page of untouchedPages(store.db, adoption.today)) adoption.onUntouched(page)
    return pages
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
  store.db.prepare('ATTACH ? AS replay').run(replay)
  return store
}

/** Requests that the store does not know wait. `CROSS JOIN` keeps SQLite to the order of the ids, or it would sort all rows for each batch. */
async function addLinks(store: Store): Promise<void> {
  const query = store.db.prepare<unknown[], LinkRow>(
    `SELECT ${LINK_COLUMNS} FROM ${linksOf('replay')} WHERE r.id > ? ORDER BY r.id LIMIT ?`,
  )
  const batches = batchesById(
    (after, limit) => query.all(after, limit),
    ({ id }) => id,
  )
  for (const rows of batches) await addRequests(store, rows.map(storedLink))
}

/** Pairs the requests of both stores, which have the same handler then; what is new gets its parent, and all get the data that links give them today. */
function bringInLine({ db }: Store, firstNew: number): void {
  db.exec(`CREATE TEMP TABLE pair (there INTEGER PRIMARY KEY, here INTEGER NOT NULL UNIQUE);
    INSERT INTO temp.pair SELECT w.id, r.id FROM main.request r JOIN replay.request w ON w.fingerprint = r.fingerprint;
    UPDATE main.extra SET data = NULL FROM temp.pair p WHERE extra.id = p.here AND data IS NOT NULL;
    INSERT INTO main.extra (id, data) SELECT p.here, e.data FROM temp.pair p JOIN replay.extra e ON e.id = p.there WHERE e.data IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET data = excluded.data;`)
  db.prepare(
    `UPDATE main.request SET parent = q.here FROM temp.pair p, replay.request w, temp.pair q
     WHERE request.id = p.here AND request.id >= ? AND w.id = p.there AND q.there = w.parent`,
  ).run(firstNew)
}

/** What is damaged is left out: the store keeps its own, and stays as sound as it is. */
function adoptMemory(store: Store, { crawlParts }: Adoption): void {
  const part = store.db.prepare<unknown[], { readonly part: string; readonly json: string }>(
    "SELECT part, json FROM replay.crawl_memory WHERE part = ? AND (json = '' OR json_valid(json)) ORDER BY process",
  )
  for (const name of crawlParts) for (const row of part.all(name)) store.memories.setCrawl({ [row.part]: row.json })
  // What the replay settled has no moment by the rules of the crawl.
  store.db.prepare('DELETE FROM crawl_memory WHERE part = ?').run(SCHEDULE_PART)
  store.sinks.rewind()
  store.save()
}
