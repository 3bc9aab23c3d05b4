// The read side on its own, also while another process crawls.
import { AvocetError, systemClock, type FrontierReader } from '@avocet/core'
import { BLOCKING_MS, connect } from './file/connect.ts'
import type { Database } from './file/driver.ts'
import { storeError } from './file/store-error.ts'
import { upgrade } from './file/upgrade.ts'
import { StoreReader } from './read/store-reader.ts'

/**
 * Reads the store at `path` without writing to it, but for raising one of an earlier version to this.
 *
 * Throws AVO_FRONTIER_MISSING, AVO_FRONTIER_FOREIGN, AVO_FRONTIER_VERSION, AVO_FRONTIER_CORRUPT, AVO_FRONTIER_UNUSABLE, AVO_NODE_TOO_OLD.
 *
 * @example
 * ```ts
 * const reader = await openReader('.avocet/books.db')
 * console.log(await reader.counts())
 * await reader.close()
 * ```
 */
export async function openReader(path: string): Promise<FrontierReader> {
  const options = { synchronous: 'full', maxBytes: Infinity, openingMs: BLOCKING_MS } as const
  const db = await connect(path, { ...options, readonly: true }).catch(async (error: unknown) => {
    if (!(error instanceof AvocetError) || error.code !== 'AVO_FRONTIER_VERSION') throw error
    // Of an earlier version it is raised first; of a later one this throws the same again.
    const writable = await connect(path, { ...options, readonly: false })
    writable.transaction(() => upgrade(writable)).immediate()
    writable.close()
    return connect(path, { ...options, readonly: true })
  })
  const reader = readerOf(db, path)
  return {
    ...StoreReader.of(() => reader),
    async close() {
      db.close()
    },
  }
}

function readerOf(db: Database, path: string): StoreReader {
  const clock = systemClock()
  try {
    return new StoreReader(db, path, () => clock.monotonic())
  } catch (thrown) {
    db.close()
    throw storeError(thrown, path)
  }
}
