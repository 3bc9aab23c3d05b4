// The durable frontier on SQLite: one file with known URLs, hosts' memory and items, which survives a kill at any moment.
//
// Every call is one transaction, run in order; RAM learns of it after the commit. Figures: see bench/frontier.ts.
import { AvocetError } from '@avocet/core'
import { checkOptions, option, type OptionRules } from '@avocet/core/plugin'
import { sleepUntil, systemClock, type StoreChange, type Clock, type CommitResult } from '@avocet/core/store'
import type { ChangeOf, CommitUnit, Frontier } from '@avocet/core/store'
import type { Synchronous } from './file/connect.ts'
import { isBadValue, storeError } from './file/store-error.ts'
import { Leasing } from './leasing.ts'
import { closeStore, openStore } from './open-store.ts'
import { ProcessTable } from './process/process-table.ts'
import { storeReader, type Readable } from './read/store-reader.ts'
import { reschedule } from './reschedule.ts'
import type { Store } from './store.ts'
import { prune, pruneChanges } from './upkeep/prune.ts'
import { CommitTransaction } from './commit/commit-transaction.ts'
import { addRequests } from './commit/new-rows.ts'

/** A store that is open. */
interface Opened {
  readonly store: Store
  readonly leasing: Leasing
  readonly readable: Readable
}

/** Options of `sqlite`. */
export interface SqliteOptions {
  /**
   * `full` (default): commits survive a power cut. `normal`: commits survive the death of the process only, for up to four times as many commits per
   * second; a power cut may undo the last ones, except for items that are in an output file.
   */
  readonly synchronous?: Synchronous
  /** Maximum size of the file; beyond it commits fail with AVO_FRONTIER_FULL. Default: the size of the disk. */
  readonly maxBytes?: number
  /**
   * How long a call waits for the lock of another process before it fails with AVO_FRONTIER_BUSY, having changed nothing. Processes that share a
   * crawl lock the store for a few ms. A crawl keeps waiting by itself (`storePatienceMs`) and says why; outside a crawl you may want more. Default 1,000.
   */
  readonly lockPatienceMs?: number
  /**
   * Clock for waiting for locks; its monotonic time must be the same in all processes on this store. Pass the crawl's clock if it has one of its own.
   * Default: the machine's clock.
   */
  readonly clock?: Clock
}

const RULES: OptionRules<SqliteOptions> = {
  synchronous: option.oneOf('full', 'normal'),
  maxBytes: option.orInfinity(option.positive),
  lockPatienceMs: option.atLeast(0),
  clock: option.anyObject,
}

/**
 * A frontier in the SQLite file at `path`, created with its folders if it is missing. Several processes on one machine may share a file on a local
 * disk; each host is leased to one of them at a time.
 *
 * @throws AVO_CONFIG_INVALID for an option that is unknown or out of range.
 * @example
 * ```ts
 * export default defineCrawl({ spider, frontier: sqlite('.avocet/books.db') })
 * ```
 */
export function sqlite(path: string, options: SqliteOptions = {}): Frontier {
  const how = withDefaults(options)
  let opened: Opened | undefined
  const use = (): Opened => opened ?? notOpen(path)
  return {
    reader: storeReader(() => use().readable, path, how.clock),
    async open(spec, now) {
      if (opened !== undefined)
        throw new AvocetError('AVO_INTERNAL', `${path}: expected open() once, got it twice; close() it first`)
      const { store, info } = await openStore(path, how, { spec, now })
      opened = { store, leasing: new Leasing(store), readable: { db: store.db, processes: new ProcessTable(store.db, path) } }
      return info
    },
    add: async (requests) => addRequests(use().store, requests),
    lease: async (want) => use().leasing.lease(want),
    refill: async (lease, n, now, putBack) => use().leasing.refill(lease, { n, now, putBack }),
    commit: async (units) => commit(use().store, units),
    inProgress: (requestIds) => use().store.inProgress.write(requestIds),
    renew: async (leases, now) => use().leasing.renew(leases, now),
    sharing: sharingOf(path, () => use().store),
    release: async (hosts) => use().leasing.release(hosts),
    retire: async (hostKey, reason, probeAt, by) => use().leasing.retire(hostKey, reason, probeAt, by),
    change: (wanted) => changeIn(use(), wanted),
    note: async (crawlMemory) => use().store.note(crawlMemory),
    order: async (jsons, when) => use().store.order(jsons, when),
    // What is lost with the power is removed again.
    prune: async (wish) => use().store.writer.write('soon', () => prune(use().store.db, wish)),
    pruneChanges: async (wish) => use().store.writer.write('soon', () => pruneChanges(use().store.db, wish)),
    rejects: {
      setAside: async (rejects) => inTransaction(use().store, (store) => store.rejects.setAside(rejects)),
      forget: async (ids) => inTransaction(use().store, (store) => store.rejects.forget(ids)),
    },
    sinks: {
      get: async (name) => use().store.writer.look(() => use().store.sinks.get(name)),
      keep: async (record) => writeSink(use().store, 'surely', (store) => store.sinks.keep(record, store.sinkProcesses)),
      claim: async (name) => writeSink(use().store, 'now', (store) => store.sinks.claim(name, store.sinkProcesses)),
      free: async (name) => writeSink(use().store, 'soon', (store) => store.sinks.free(name, store.sinkProcesses)),
    },
    async close() {
      const closing = opened?.store
      opened = undefined
      if (closing !== undefined) await closeStore(closing)
    },
  }
}

/** Makes a change at once; returns how many requests it reopened or dropped. */
async function changeIn({ store, leasing }: Opened, change: StoreChange): Promise<number> {
  if (change.kind === 'revive') await leasing.retire(change.hostKey, null, Infinity, change.by)
  else if (change.kind === 'probe-retired') await leasing.probeRetired(change)
  else if (change.kind === 'settle-held') return settleHeld(store, change)
  else return store.writer.write('now', () => reschedule(store, change))
  return 0
}

/** Held items in one transaction; a crawl of another process waits for each. */
const HELD_AT_ONCE = 500
/** As long as another process rests at most between two looks at the lock. */
const HELD_PAUSE_MS = 10

/** A few at a time, until none is left. A kill leaves the others held. Returns how many items it is. */
async function settleHeld(store: Store, { hostKey, to }: ChangeOf<'settle-held'>): Promise<number> {
  const machine = systemClock()
  for (let all = 0; ;) {
    const settled = await inTransaction(store, () => store.settleHeldAt(hostKey, to, HELD_AT_ONCE))
    all += settled
    if (settled < HELD_AT_ONCE) return all
    // By the machine's clock: virtual time stands still while a store is called.
    await sleepUntil(machine, machine.now() + HELD_PAUSE_MS)
  }
}

/** What other processes of the same file do. */
function sharingOf(path: string, store: () => Store): NonNullable<Frontier['sharing']> {
  return {
    news: async () => store().writer.look(() => store().newsElsewhere()),
    changedElsewhere: () => readNow(path, () => store().changedElsewhere()),
    share: (now) => readNow(path, () => store().shares.of(now)),
  }
}

function notOpen(path: string): never {
  throw new AvocetError('AVO_FRONTIER_CLOSED', `${path}: expected an open store, got one before open() or after close()`)
}

/** Throws AVO_CONFIG_INVALID. */
function withDefaults(options: SqliteOptions): Required<SqliteOptions> {
  checkOptions('sqlite', options, RULES)
  const { synchronous = 'full', maxBytes = Infinity, lockPatienceMs = 1_000, clock = systemClock() } = options
  return { synchronous, maxBytes, lockPatienceMs, clock }
}

/** Writes at once, with the totals. */
function inTransaction<T>(store: Store, work: (store: Store) => T): Promise<T> {
  return store.writer.write('now', () => {
    const result = work(store)
    store.totals.save()
    return result
  })
}

/** `surely`: what a sink has written is on its disk by then. If the power took the mark, a file would be taken for somebody else's, and written twice. */
function writeSink<T>(store: Store, when: 'now' | 'soon' | 'surely', work: (store: Store) => T): Promise<T> {
  return store.writer.write(when, () => work(store))
}

/** Reads at once, outside the writer. */
function readNow<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (thrown) {
    throw storeError(thrown, path)
  }
}

/** The whole group at once; if SQLite refuses a value that the checks let through, each unit by itself, so that only that one fails. */
async function commit(store: Store, units: readonly CommitUnit[]): Promise<readonly CommitResult[]> {
  const run = (some: readonly CommitUnit[]): Promise<CommitResult[]> =>
    store.writer.write('now', () => new CommitTransaction(store).run(some))
  try {
    return await run(units)
  } catch (error) {
    if (!isBadValue(causeOf(error))) throw error
  }
  const results: CommitResult[] = []
  for (const unit of units) results.push(...(await run([unit]).catch((error: unknown) => rejected(error))))
  return results
}

function rejected(error: unknown): CommitResult[] {
  if (!isBadValue(causeOf(error))) throw error
  return [{ status: 'rejected', error: error instanceof Error ? error.message : String(error), gained: [], added: 0, known: 0 }]
}

function causeOf(error: unknown): unknown {
  return error instanceof AvocetError ? (error.cause ?? error) : error
}
