// Opens a store for reading, also while another process crawls.
import { CANONICALISATION, systemClock, type CrawlSpec, type FrontierReader } from '@avocet/core/store'
import { connectReader } from './file/connect.ts'
import type { Database } from './file/driver.ts'
import { storeError } from './file/store-error.ts'
import { ProcessTable } from './process/process-table.ts'
import { storeReader } from './read/store-reader.ts'
import type { CrawlRow } from './outcome/crawl-totals.ts'
import { AvocetError } from '@avocet/core'

/**
 * Opens the store at `path` for reading. It writes only to roll back what a killed process left half written.
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
    ...reader,
    async close() {
      db.close()
    },
  }
}

function readerOf(db: Database, path: string): FrontierReader {
  try {
    const readable = { db, processes: new ProcessTable(db, path) }
    return storeReader(() => readable, path, systemClock())
  } catch (thrown) {
    db.close()
    throw storeError(thrown, path)
  }
}

// Whether a crawl would go on with a store of a file: reads only, also beside a crawl.

/**
 * Looks whether a crawl that names URLs and hosts as `spec` says would go on with the store at `path`.
 *
 * Throws AVO_FRONTIER_SPEC where it would be refused, and as `openReader` does.
 *
 * @example
 * ```ts
 * await probeStore('.avocet/books.db', { hostKeying: 'host' })
 * ```
 */
export async function probeStore(path: string, spec: Omit<CrawlSpec, 'name'>): Promise<void> {
  const db = await connectReader(path)
  try {
    assertSpec(path, spec, db.prepare('SELECT canonicalisation, host_keying FROM crawl').get() as NamingAtRest)
  } catch (thrown) {
    throw storeError(thrown, path)
  } finally {
    db.close()
  }
}

// Whether a store names URLs and hosts as a crawl does.

/** How a store names URLs and hosts. */
type NamingAtRest = Pick<CrawlRow, 'canonicalisation' | 'host_keying'>

/** Throws AVO_FRONTIER_SPEC where it does not. */
export function assertSpec(path: string, { hostKeying }: Omit<CrawlSpec, 'name'>, stored: NamingAtRest): void {
  if (stored.canonicalisation === CANONICALISATION && stored.host_keying === hostKeying) return
  const expected = `URLs by ${stored.canonicalisation} and hosts by ${stored.host_keying}, got ${CANONICALISATION} and ${hostKeying}`
  throw new AvocetError('AVO_FRONTIER_SPEC', `${path}: expected ${expected}; use the old options, or start over with --fresh`)
}
