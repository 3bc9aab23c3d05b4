// The door to what the command does with files of SQLite: kept responses, and work on stores that are files, which has no counterpart on a server.
import type * as Sqlite from '@avocet/plugin-sqlite'

export type { KeptResponse, KeptResponses, StoreFault } from '@avocet/plugin-sqlite'

/** Loaded when it is used: SQLite is a native library. */
export function storeFiles(): Promise<typeof Sqlite> {
  return import('@avocet/plugin-sqlite')
}
