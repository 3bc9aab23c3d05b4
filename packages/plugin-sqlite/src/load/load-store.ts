// Fills an empty store from the records of a dump: a transaction for some thousands, queues and counts worked out on the way.
//
// Until the last record is there the file is of no version that opens (`LOADING_VERSION`): whoever opens a store that was half loaded is told so, and may
// start over. The index of known URLs is made at the end, in one go.
import { DumpWatch, type DumpCounts, type DumpedStore, type DumpRecord } from '@avocet/core/store'
import { AvocetError } from '@avocet/core'
import { LOADING_VERSION, SCHEMA_VERSION } from '../file/schema.ts'
import { indexKnown } from '../identity/known-index.ts'
import type { Store } from '../store.ts'
import { LoadedRows } from './loaded-rows.ts'

/** Records of one transaction: some 200 ms. */
const AT_ONCE = 10_000

/** Returns how many there were. Throws AVO_FRONTIER_UNUSABLE for a store that has something, AVO_FRONTIER_CORRUPT for a dump that is not whole. */
export async function loadStore(store: Store, records: AsyncIterable<DumpRecord>): Promise<DumpCounts> {
  assertEmpty(store)
  const { db, writer } = store
  const watch = new DumpWatch()
  const rows = new LoadedRows(store)
  let header: DumpedStore | undefined
  let batch: DumpRecord[] = []
  const write = async (): Promise<void> => {
    const some = batch
    batch = []
    await writer.write('now', () => {
      db.pragma(`user_version = ${LOADING_VERSION}`)
      rows.write(some)
      store.hosts.save()
    })
  }
  for await (const record of records) {
    watch.see(record)
    if (record.type === 'store') header = record
    // With the first record the store is one that is being loaded.
    if (batch.push(record) === AT_ONCE || record.type === 'store') await write()
  }
  watch.assertEnded()
  await write()
  await writer.write('surely', () => {
    if (header !== undefined) keepCrawl(store, header)
    indexKnown(db)
    db.pragma(`user_version = ${SCHEMA_VERSION}`)
  })
  return watch.counts
}

function assertEmpty({ totals, hosts, db }: Store): void {
  const { known, items } = totals.load()
  const memories = db.prepare<unknown[], number>('SELECT count(*) FROM crawl_memory').pluck().get() ?? 0
  if (known === 0 && items === 0 && memories === 0 && hosts.peek(1) === undefined) return
  throw new AvocetError(
    'AVO_FRONTIER_UNUSABLE',
    'expected an empty store to load a dump into, got one that holds a crawl; name another',
  )
}

function keepCrawl({ db }: Store, { name, createdAt, lastAt, run }: DumpedStore): void {
  db.prepare(
    `UPDATE crawl SET name = @name, created_at = @createdAt, last_at = @lastAt, run = @run, known = (SELECT count(*) FROM request),
     done = (SELECT coalesce(sum(done), 0) FROM host), moved = (SELECT coalesce(sum(moved), 0) FROM host),
     failed = (SELECT coalesce(sum(failed), 0) FROM host), again = (SELECT coalesce(sum(again), 0) FROM host),
     items = (SELECT count(*) FROM item), rejects = (SELECT count(*) FROM reject)`,
  ).run({ name, createdAt, lastAt, run })
}
