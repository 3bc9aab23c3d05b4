// Of which version the tables of a crawl are.
import { AvocetError } from '@avocet/core'
import { POSTGRES_SCHEMA_VERSION } from './tables.sql.ts'

/**
 * SQL that brings tables of each version to the next one: `get(2)` to version 3. Tests add one from 1 to 2. Additive: processes that have the crawl open by
 * older code go on, and a reader reads older tables as they are.
 */
export const POSTGRES_UPGRADES: Map<number, string> = new Map()

/**
 * An older one that can be brought up to date is read as it is.
 *
 * Throws AVO_FRONTIER_VERSION for one of another version.
 */
export function checkVersion(version: number, shown: string): void {
  if (version === POSTGRES_SCHEMA_VERSION || canBeRaised(version)) return
  throw new AvocetError(
    'AVO_FRONTIER_VERSION',
    `${shown}: expected tables of version ${String(POSTGRES_SCHEMA_VERSION)}, got ${String(version)}; use the Avocet that made them, or start over with --fresh`,
  )
}

function canBeRaised(version: number): boolean {
  const steps = Array.from({ length: Math.max(0, POSTGRES_SCHEMA_VERSION - version) }, (_, n) =>
    POSTGRES_UPGRADES.has(version + n),
  )
  return steps.length > 0 && !steps.includes(false)
}
