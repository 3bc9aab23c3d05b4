// Whether a server can keep a crawl: its version, whether it may be written to, and whether it keeps what it says that it keeps.
import { AvocetError } from '@avocet/core'
import type { Queries } from '../connection/queries.ts'
import type { StoreUrl } from '../connection/store-url.ts'

/** PostgreSQL 15, as `server_version_num` has it. */
const OLDEST = 150_000

/** What a server says of itself. */
export interface ServerFacts {
  /** Such as `18.4`. */
  readonly version: string
  /** Whether this user may create a schema in this database. */
  readonly mayCreate: boolean
}

interface FactRow {
  readonly version: string
  readonly number: number
  readonly is_replica: boolean
  readonly reads_only: boolean
  readonly fsync: string
  readonly may_create: boolean
}

const FACTS = `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
  pg_is_in_recovery() AS is_replica, current_setting('default_transaction_read_only')::boolean AS reads_only,
  current_setting('fsync') AS fsync, has_database_privilege(current_database(), 'CREATE') AS may_create`

/** How to look at a server. */
export interface CheckOptions {
  /** Accept a server that does not force what it writes to its disk: for tests, whose data nobody keeps. */
  readonly allowUnsafe?: boolean
}

/** How to look at one that a crawl opens. */
export interface OpeningCheck extends CheckOptions {
  /** The server was away just now: a replica may be taking its place, and is read-only until it has. */
  readonly wasAway?: boolean
}

/** Throws AVO_FRONTIER_UNUSABLE for a server that cannot keep a crawl, AVO_FRONTIER_AWAY for one that probably will. */
export async function checkedServer(
  queries: Queries,
  url: StoreUrl,
  { allowUnsafe = false, wasAway = false }: OpeningCheck,
): Promise<ServerFacts> {
  const [row] = await queries.all<FactRow>(FACTS)
  const at = `for the store ${url.shown}`
  if (row === undefined) throw unusable(`expected a server of PostgreSQL ${at}, got one that says nothing of itself`)
  if (row.number < OLDEST) throw unusable(`expected PostgreSQL 15 or newer ${at}, got ${row.version}; upgrade the server`)
  if (row.is_replica) {
    const message = `expected a server that can be written to ${at}, got a read-only replica; give the URL of the primary`
    throw wasAway ? new AvocetError('AVO_FRONTIER_AWAY', message) : unusable(message)
  }
  if (row.reads_only)
    throw unusable(
      `expected a server that can be written to ${at}, got default_transaction_read_only=on for this user or database; log in as another user, or take the setting back (ALTER ROLE or ALTER DATABASE … RESET default_transaction_read_only)`,
    )
  if (row.fsync !== 'on' && !allowUnsafe)
    throw unusable(
      `expected a server with fsync=on ${at}, got fsync=${row.fsync}: a power cut would lose what it said it had kept; set fsync=on`,
    )
  return { version: row.version, mayCreate: row.may_create }
}

function unusable(message: string): AvocetError {
  return new AvocetError('AVO_FRONTIER_UNUSABLE', message)
}
