// Opens a store to be read. Two things can keep a reader out that somebody who may write puts right: an earlier version, and a journal that is to be rolled
// back first, which a process leaves that was killed before the file was switched to WAL, or another program.
import { AvocetError } from '@avocet/core'
import { BLOCKING_MS, connect } from './connect.ts'
import type { Database } from './driver.ts'
import { isHalfWritten } from './store-error.ts'
import { upgrade } from './upgrade.ts'

const OPTIONS = { synchronous: 'full', maxBytes: Infinity, openingMs: BLOCKING_MS } as const

/** A connection that only reads. Throws as `connect` does. */
export async function connectReader(path: string): Promise<Database> {
  try {
    return await connect(path, { ...OPTIONS, readonly: true })
  } catch (error) {
    if (!(error instanceof AvocetError)) throw error
    if (error.code !== 'AVO_FRONTIER_VERSION' && !isHalfWritten(error.cause)) throw error
  }
  // Rolls back by itself. Of an earlier version it is raised; of a later one this throws the same again.
  const writable = await connect(path, { ...OPTIONS, readonly: false })
  try {
    writable.transaction(() => upgrade(writable)).immediate()
  } finally {
    writable.close()
  }
  return connect(path, { ...OPTIONS, readonly: true })
}
