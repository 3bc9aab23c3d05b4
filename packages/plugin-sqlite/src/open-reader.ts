// Opens a store for reading, also while another process crawls.
import { systemClock, type FrontierReader } from '@avocet/core/store'
import { connectReader } from './file/connect-reader.ts'
import type { Database } from './file/driver.ts'
import { storeError } from './file/store-error.ts'
import { StoreReader } from './read/store-reader.ts'
import { undisturbed } from './read/undisturbed.ts'

/**
 * Opens the store at `path` for reading. It writes only to upgrade a store of an earlier version, and to roll back what a killed process left half
 * written.
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
  const db = await connectReader(path)
  const reader = readerOf(db, path)
  return {
    ...StoreReader.of(() => reader),
    dump: () => undisturbed(path, () => reader.dump()),
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
