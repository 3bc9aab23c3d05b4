// Loads better-sqlite3, only when a store is opened, and only where its binary can run.
//
// Its SQLite is built with STAT4, and then a statement is compiled again whenever a value is bound to a parameter that is compared with an
// indexed column or is a LIMIT, for the value might change the plan (sqlite.org/c3ref/prepare.html). That costs ten times what the
// statement does: 26 µs against 2.1 for handing out a request. So such parameters are written `+?` and `LIMIT ? + 0`, which hides them. Equality
// on a whole unique key of a single table is safe as it is.
//
// Its prebuilt binary needs Node-API 10. On an older Node it would not throw but crash the process, so the version is asked first.
import { AvocetError } from '@avocet/core'
import type BetterSqlite3 from 'better-sqlite3'

/** An open SQLite database. */
export type Database = BetterSqlite3.Database

/** A prepared statement with its row. */
export type Statement<Row = unknown> = BetterSqlite3.Statement<unknown[], Row>

const NODE_API = 10

/** The driver. Throws AVO_NODE_TOO_OLD, AVO_FRONTIER_UNUSABLE. */
export async function loadDriver(nodeApi: string | undefined = process.versions['napi']): Promise<typeof BetterSqlite3> {
  if (Number(nodeApi ?? 0) < NODE_API) {
    const came = `Node.js ${process.versions.node} (Node-API ${nodeApi ?? 'none'})`
    throw new AvocetError(
      'AVO_NODE_TOO_OLD',
      `expected Node.js 22.19 or later for the SQLite store, got ${came}; install a newer Node.js`,
    )
  }
  try {
    const { default: driver } = await import('better-sqlite3')
    return driver
  } catch (cause) {
    const message = 'expected better-sqlite3 to load, got an error; install @avocet/plugin-sqlite again for this platform'
    throw new AvocetError('AVO_FRONTIER_UNUSABLE', message, { cause })
  }
}
