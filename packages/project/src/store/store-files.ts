// The door to what the command does with files of SQLite: kept responses, and work on stores that are files, which has no counterpart on a server.
import { existsSync } from 'node:fs'
import type * as Sqlite from '@avocet/plugin-sqlite'
import type { KeptResponses } from '@avocet/plugin-sqlite'

export type { KeptResponse, KeptResponses, StoreFault } from '@avocet/plugin-sqlite'

/** The kept responses of those of these files that are there. Throws AVO_FRONTIER_… for one that cannot be read. */
export async function keptIn(paths: readonly string[]): Promise<readonly KeptResponses[]> {
  const there = paths.filter((path) => existsSync(path))
  if (there.length === 0) return []
  const { openResponses } = await storeFiles()
  return Promise.all(there.map(openResponses))
}

/** Loaded when it is used: SQLite is a native library. */
export function storeFiles(): Promise<typeof Sqlite> {
  return import('@avocet/plugin-sqlite')
}
