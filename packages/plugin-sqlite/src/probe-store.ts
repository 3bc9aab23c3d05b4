// Whether a crawl would go on with a store of a file: reads only, also beside a crawl.
import type { CrawlSpec } from '@avocet/core/store'
import { connectReader } from './file/connect-reader.ts'
import { storeError } from './file/store-error.ts'
import { assertSpec } from './assert-spec.ts'

/**
 * Looks whether a crawl that names URLs and hosts as `spec` says would go on with the store at `path`.
 *
 * Throws AVO_FRONTIER_SPEC where it would be refused, and as `openReader` does.
 *
 * @example
 * ```ts
 * await probeStore('.avocet/books.db', { canonicalisation: CANONICALISATION, hostKeying: 'host' })
 * ```
 */
export async function probeStore(path: string, spec: Omit<CrawlSpec, 'name'>): Promise<void> {
  const db = await connectReader(path)
  try {
    assertSpec(path, spec, db.prepare('SELECT canonicalisation, host_keying AS hostKeying FROM crawl').get() as typeof spec)
  } catch (thrown) {
    throw storeError(thrown, path)
  } finally {
    db.close()
  }
}
