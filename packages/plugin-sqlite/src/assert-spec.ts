// Whether a store names URLs and hosts as a crawl does.
import { AvocetError } from '@avocet/core'
import type { CrawlSpec } from '@avocet/core/store'

/** How URLs and hosts are named. */
type Naming = Omit<CrawlSpec, 'name'>

/** Throws AVO_FRONTIER_SPEC where it does not. */
export function assertSpec(path: string, wanted: Naming, stored: Naming): void {
  if (wanted.canonicalisation === stored.canonicalisation && wanted.hostKeying === stored.hostKeying) return
  const expected = `URLs by ${stored.canonicalisation} and hosts by ${stored.hostKeying}`
  const came = `${wanted.canonicalisation} and ${wanted.hostKeying}`
  throw new AvocetError(
    'AVO_FRONTIER_SPEC',
    `${path}: expected ${expected}, got ${came}; use the old options, or start over with --fresh`,
  )
}
