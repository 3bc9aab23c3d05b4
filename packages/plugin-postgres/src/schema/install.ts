// The script that makes the schema of a crawl: tables, then functions.
import { COMMIT_FUNCTIONS } from './commit-functions.sql.ts'
import { FAILOVER_FUNCTIONS } from './failover-functions.sql.ts'
import { HOST_FUNCTIONS } from './host-functions.sql.ts'
import { OUTCOME_FUNCTIONS } from './outcome-functions.sql.ts'
import { PROCESS_FUNCTIONS } from './process-functions.sql.ts'
import { READ_FUNCTIONS } from './read-functions.sql.ts'
import { REQUEST_FUNCTIONS } from './request-functions.sql.ts'
import { RESCHEDULE_FUNCTIONS } from './reschedule-functions.sql.ts'
import { TABLES } from './tables.sql.ts'

/** For a schema of this name, which is there and empty; a transaction of its own is the caller's. */
export function installScript(schema: string): string {
  const functions = [
    HOST_FUNCTIONS,
    REQUEST_FUNCTIONS,
    OUTCOME_FUNCTIONS,
    COMMIT_FUNCTIONS,
    RESCHEDULE_FUNCTIONS,
    PROCESS_FUNCTIONS,
    FAILOVER_FUNCTIONS,
    READ_FUNCTIONS,
  ]
  return `${TABLES}${functions.join('')}`.replaceAll('{S}', `"${schema.replaceAll('"', '""')}"`)
}
