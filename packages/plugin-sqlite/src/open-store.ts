// Opening and closing: makes the tables of a new store or checks those of an old one, signs in, recovers what dead processes held; and leaves one file.
import { AvocetError } from '@avocet/core'
import { CANONICALISATION, sleepUntil, type Clock, type CrawlInfo, type CrawlSpec, setBackMs } from '@avocet/core/store'
import { BUSY_MS, connect, type Synchronous } from './file/connect.ts'
import type { Database } from './file/driver.ts'
import { FileWatch } from './file/file-watch.ts'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './file/schema.ts'
import { storeError } from './file/store-error.ts'
import { Writer } from './file/writer.ts'
import { assertSpec } from './open-reader.ts'
import { Store } from './store.ts'
import { quickCheck } from './verify/verify-store.ts'
import { NEVER } from '@avocet/store-sql'

const PAUSE_MS = 20

/** How to open. */
export interface OpenStoreOptions {
  readonly clock: Clock
  readonly synchronous: Synchronous
  readonly maxBytes: number
  /** How long to wait for a lock of another process, here and in each call. */
  readonly lockPatienceMs: number
}

/** Who opens it. */
interface Opening {
  readonly spec: CrawlSpec
  /** Epoch ms by its own clock. */
  readonly now: number
}

/** The store at `path`, and what was in it. Throws as `connect` does, and AVO_FRONTIER_SPEC. */
export async function openStore(
  path: string,
  options: OpenStoreOptions,
  opening: Opening,
): Promise<{ store: Store; info: CrawlInfo }> {
  const { clock, synchronous, lockPatienceMs } = options
  const db = await connected(path, options)
  try {
    const watch = new FileWatch(path, () => clock.monotonic())
    const writer = new Writer({ db, path, clock, watch, synchronous, lockPatienceMs })
    await writer.write('now', () => createTables(db, opening.spec, opening.now))
    await writer.look(() => quickCheck(db, path))
    const store = new Store({ db, path, writer, watch, monotonic: () => clock.monotonic() })
    const info = await writer.write('now', () => signIn(store, path, opening))
    return { store, info }
  } catch (error) {
    db.close()
    throw storeError(error, path)
  }
}

/** Gives everything back and leaves one file behind, without a WAL beside it. */
export async function closeStore(store: Store): Promise<void> {
  try {
    await store.writer.writeLast(() => {
      store.owners.leave()
      store.save()
    })
  } finally {
    // Also of a file that was moved away, for nobody would look for the WAL here. What it cannot copy stays in the WAL, and is read from there.
    checkpoint(store.db)
    store.inProgress.close()
    store.processes.forget()
    store.db.close()
  }
}

function checkpoint(db: Database): void {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The write before it has said what there is to say.
  }
}

/** Of two processes that make one store at the same moment SQLite rejects one at once, without waiting (both would switch it to WAL). */
async function connected(path: string, { clock, synchronous, maxBytes, lockPatienceMs }: OpenStoreOptions): Promise<Database> {
  const giveUpAt = clock.now() + lockPatienceMs
  for (;;) {
    try {
      return await connect(path, { synchronous, maxBytes, readonly: false, openingMs: BUSY_MS })
    } catch (error) {
      if (!(error instanceof AvocetError) || error.code !== 'AVO_FRONTIER_BUSY' || clock.now() + PAUSE_MS > giveUpAt) throw error
    }
    await sleepUntil(clock, clock.now() + PAUSE_MS)
  }
}

/** Does nothing where they are there. */
function createTables(db: Database, spec: CrawlSpec, now: number): void {
  if (db.pragma('application_id', { simple: true }) === APPLICATION_ID) return
  db.exec(SCHEMA)
  const insert = db.prepare('INSERT INTO crawl (id, name, canonicalisation, host_keying, created_at) VALUES (1, ?, ?, ?, ?)')
  insert.run(spec.name, CANONICALISATION, spec.hostKeying, Math.round(now))
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${SCHEMA_VERSION}`)
}

function signIn(store: Store, path: string, { spec, now }: Opening): CrawlInfo {
  const { processes, owners, memories, totals, identity } = store
  const before = totals.load()
  assertSpec(path, spec, before)
  const monotonic = store.monotonic()
  const { alive } = processes.others(monotonic)
  // While others have it open, its waits are by their time, and this process goes by that too. Behind it they are for a moment alone: they share a clock.
  const time = processes.crawlTimeAmong(alive, monotonic)
  const aheadMs = time === undefined ? 0 : Math.max(0, Math.round(time - now))
  const backMs = time === undefined ? setBack(store.db, before.last_at, now) : 0
  if (alive.size === 0) totals.beginRun()
  const quarantined = owners.recover(store.goneOwners())
  processes.register({ now: now + aheadMs, monotonic })
  const inherited = memories.inherit(alive)
  store.save()
  identity.refresh(before)
  const { known, done, moved, failed, items, again } = totals.load()
  const settled = done + moved + failed
  const counts = { known, waiting: known - settled, settled, done, moved, failed, items }
  const orderedAt = store.db.prepare<[], number>('SELECT coalesce(max(at), 0) FROM orders').pluck().get() ?? 0
  const found = { resumed: known > 0, ...counts, ...inherited, quarantined, orderedAt }
  // Moments are stored in whole ms.
  const isOff = aheadMs > 1
  return { ...found, ...(again > 0 && { again }), ...(backMs > 0 && { setBackMs: backMs }), ...(isOff && { aheadMs }) }
}

// A store that was written by a clock that was ahead: all waits that are not over are moved back, so that what was left of each is left now.

/**
 * Moves them if `now` is well before `lastAt`, the latest moment in the store (epoch ms); how far they went back. One transaction, for the caller
 * to begin, before anything else of the store is read, and while no other process has the store open: what it knows would not move. `due_at` of a host follows:
 * it is the later of two moments that move alike.
 */
function setBack(db: Database, lastAt: number, now: number): number {
  const byMs = Math.round(setBackMs(lastAt, now))
  if (byMs === 0) return 0
  const at = Math.round(now)
  const moved = (table: string, column: string): void => {
    db.prepare(`UPDATE ${table} SET ${column} = max(@at, ${column} - @byMs) WHERE ${column} > @at AND ${column} < ${NEVER}`).run({
      at,
      byMs,
    })
  }
  moved('host', 'ready_at')
  moved('host', 'probe_at')
  moved('host', 'due_at')
  moved('delayed', 'not_before')
  moved('visited', 'due_at')
  moved('visited', 'missing_since')
  db.prepare('UPDATE process SET hungry_at = min(hungry_at, @at)').run({ at })
  db.prepare('UPDATE crawl SET last_at = @at').run({ at })
  return byMs
}
