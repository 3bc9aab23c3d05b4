// The read side on its own, also while another process crawls.
import { systemClock, type FrontierReader } from '@avocet/core'
import { connect } from './file/connect.ts'
import { StoreReader } from './read/store-reader.ts'

/**
 * Reads the store at `path` without writing to it.
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
  const db = await connect(path, { readonly: true, synchronous: 'full', maxBytes: Infinity })
  const clock = systemClock()
  const reader = new StoreReader(db, path, () => clock.now())
  return {
    ...StoreReader.of(() => reader),
    async close() {
      db.close()
    },
  }
}
