// Of which version the tables of a crawl are.
import { AvocetError } from '@avocet/core'
import { OLDEST_SCHEMA_VERSION, POSTGRES_SCHEMA_VERSION } from './tables.sql.ts'

/** While a dump is loaded: nobody opens it. */
export const HALF_LOADED_VERSION = -1

/**
 * An older one that can be brought up to date is read as it is.
 *
 * Throws AVO_FRONTIER_CORRUPT for a crawl that was only half loaded, AVO_FRONTIER_VERSION for one of another version.
 */
export function checkVersion(version: number, shown: string): void {
  if (version >= OLDEST_SCHEMA_VERSION && version <= POSTGRES_SCHEMA_VERSION) return
  if (version === HALF_LOADED_VERSION)
    throw new AvocetError(
      'AVO_FRONTIER_CORRUPT',
      `${shown}: expected a whole crawl, got one that another store was only half copied into; start it over, and copy again`,
    )
  throw new AvocetError(
    'AVO_FRONTIER_VERSION',
    `${shown}: expected tables of version ${String(POSTGRES_SCHEMA_VERSION)}, got ${String(version)}; use the Avocet that made them, or start over with --fresh`,
  )
}
