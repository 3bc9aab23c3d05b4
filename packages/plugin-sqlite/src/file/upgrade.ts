// Raises a store of an earlier version to this one, in one transaction: its contents stay, and the crawl goes on.
import type { Database } from './driver.ts'
import { SCHEMA_VERSION } from './schema.ts'

/** SQL that brings a store of each version to the next one: `UPGRADES.get(1)` to version 2. Tests add one from 0 to 1. */
export const UPGRADES: Map<number, string> = new Map()

/** Whether a store of this version can be raised. */
export function canBeRaised(version: number): boolean {
  return version < SCHEMA_VERSION && stepsFrom(version).every((step) => step !== undefined)
}

/** Within a transaction. Does nothing to a store of this version. */
export function upgrade(db: Database): void {
  for (const step of stepsFrom(Number(db.pragma('user_version', { simple: true })))) if (step !== undefined) db.exec(step)
  db.pragma(`user_version = ${SCHEMA_VERSION}`)
}

function stepsFrom(version: number): readonly (string | undefined)[] {
  return Array.from({ length: Math.max(0, SCHEMA_VERSION - version) }, (_, n) => UPGRADES.get(version + n))
}
