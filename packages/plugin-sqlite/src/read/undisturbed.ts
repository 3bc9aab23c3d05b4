// Reads a whole store while nobody writes to it: the write lock is held meanwhile, by a connection that writes nothing.
//
// A crawl that begins in the store waits for the lock, and goes on once the read is over. The file stays as it is, byte for byte.
import { AvocetError } from '@avocet/core'
import { BLOCKING_MS, connect } from '../file/connect.ts'
import type { Database } from '../file/driver.ts'
import { storeError } from '../file/store-error.ts'

/** What `read` gives. Throws AVO_FRONTIER_BUSY where somebody writes. */
export async function* undisturbed<Record>(path: string, read: () => AsyncIterable<Record>): AsyncGenerator<Record> {
  const lock = await lockOf(path)
  try {
    yield* read()
  } finally {
    // Ends its transaction as well.
    lock?.close()
  }
}

/** Undefined for a store that this user may only read: whoever may write is somebody else's affair. */
async function lockOf(path: string): Promise<Database | undefined> {
  let db: Database | undefined
  try {
    db = await connect(path, { synchronous: 'full', maxBytes: Infinity, openingMs: BLOCKING_MS, readonly: false })
    db.exec('BEGIN IMMEDIATE')
    return db
  } catch (thrown) {
    db?.close()
    const error = storeError(thrown, path)
    if (error instanceof AvocetError && error.code === 'AVO_FRONTIER_UNUSABLE') return undefined
    throw error
  }
}
