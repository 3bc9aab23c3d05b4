// Opening and closing: makes the tables of a new store or checks those of an old one, signs in, recovers what dead processes held; and leaves one file.
import { AvocetError } from '@avocet/core'
import { sleepUntil, type Clock, type CrawlInfo, type CrawlSpec } from '@avocet/core/store'
import { BUSY_MS, connect, type Synchronous } from './file/connect.ts'
import type { Database } from './file/driver.ts'
import { FileWatch } from './file/file-watch.ts'
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './file/schema.ts'
import { storeError } from './file/store-error.ts'
import { upgrade } from './file/upgrade.ts'
import { Writer } from './file/writer.ts'
import { assertSpec } from './assert-spec.ts'
import type { UnseenProcesses } from './process/unseen-processes.ts'
import { Store } from './store.ts'
import { setBack } from './file/set-back.ts'
import { quickCheck } from './verify/quick-check.ts'

const PAUSE_MS = 20

/** How to open. */
export interface OpenStoreOptions {
  readonly clock: Clock
  readonly synchronous: Synchronous
  readonly cacheEntries: number
  readonly maxBytes: number
  /** How long to wait for a lock of another process, here and in each call. */
  readonly lockPatienceMs: number
}

/** Who opens it. */
interface Opening {
  readonly spec: CrawlSpec
  /** Epoch ms by its own clock. */
  readonly now: number
  readonly unseen: UnseenProcesses
}

/** The store at `path`, and what was in it. Throws as `connect` does, AVO_FRONTIER_SPEC, and AVO_FRONTIER_BUSY as `UnseenProcesses` does. */
export async function openStore(
  path: string,
  options: OpenStoreOptions,
  opening: Opening,
): Promise<{ store: Store; info: CrawlInfo }> {
  const { clock, synchronous, cacheEntries, lockPatienceMs } = options
  const db = await connected(path, options)
  try {
    const watch = new FileWatch(path, () => clock.monotonic())
    const writer = new Writer({ db, path, clock, watch, synchronous, lockPatienceMs })
    await writer.write('now', () => createTables(db, opening.spec, opening.now))
    await writer.look(() => quickCheck(db, path))
    const store = new Store({ db, path, writer, watch, cacheEntries, monotonic: () => clock.monotonic() })
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

/** Raises those of an earlier version; does nothing where they are as they should be. */
function createTables(db: Database, spec: CrawlSpec, now: number): void {
  const version = Number(db.pragma('user_version', { simple: true }))
  if (version === SCHEMA_VERSION) return
  if (db.pragma('application_id', { simple: true }) === APPLICATION_ID) return upgrade(db)
  db.exec(SCHEMA)
  const insert = db.prepare('INSERT INTO crawl (id, name, canonicalisation, host_keying, created_at) VALUES (1, ?, ?, ?, ?)')
  insert.run(spec.name, spec.canonicalisation, spec.hostKeying, Math.round(now))
  db.pragma(`application_id = ${APPLICATION_ID}`)
  db.pragma(`user_version = ${SCHEMA_VERSION}`)
}

function signIn(store: Store, path: string, { spec, now, unseen }: Opening): CrawlInfo {
  const { processes, owners, memories, totals, identity } = store
  const before = totals.load()
  assertSpec(path, spec, { canonicalisation: before.canonicalisation, hostKeying: before.host_keying })
  const monotonic = store.monotonic()
  const { alive } = processes.others(monotonic)
  // While others have it open, its waits are by their time, and this process goes by that too.
  const time = processes.crawlTimeAmong(alive, monotonic)
  const aheadMs = time === undefined ? 0 : Math.round(time - now)
  unseen.assertKnown(path, processes.peers(alive), { aheadMs, monotonic })
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
  const found = { resumed: known > 0, ...counts, ...inherited, quarantined }
  // Moments are stored in whole ms.
  const isOff = Math.abs(aheadMs) > 1
  return { ...found, ...(again > 0 && { again }), ...(backMs > 0 && { setBackMs: backMs }), ...(isOff && { aheadMs }) }
}
