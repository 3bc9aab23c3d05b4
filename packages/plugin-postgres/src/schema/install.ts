// The scripts that make the schema of a crawl, tables, then functions, and that bring an older one up to date.
import { COMMIT_FUNCTIONS } from './commit-functions.sql.ts'
import { DROP_FUNCTION, RESCHEDULE_FUNCTIONS } from './reschedule-functions.sql.ts'
import { FAILOVER_FUNCTIONS } from './failover-functions.sql.ts'
import { HOST_FUNCTIONS } from './host-functions.sql.ts'
import { OUTCOME_FUNCTIONS } from './outcome-functions.sql.ts'
import { PROCESS_FUNCTIONS } from './process-functions.sql.ts'
import { READ_FUNCTIONS, REQUEST_FUNCTIONS } from './request-functions.sql.ts'
import { POSTGRES_UPGRADES } from './schema-version.ts'
import { TABLES } from './tables.sql.ts'

/** For a schema of this name, which is there and empty; a transaction of its own is the caller's. */
export function installScript(schema: string): string {
  const functions = [
    HOST_FUNCTIONS,
    REQUEST_FUNCTIONS,
    OUTCOME_FUNCTIONS,
    COMMIT_FUNCTIONS,
    RESCHEDULE_FUNCTIONS,
    DROP_FUNCTION,
    PROCESS_FUNCTIONS,
    FAILOVER_FUNCTIONS,
    READ_FUNCTIONS,
  ]
  return inSchema(`${TABLES}${functions.join('')}`, schema)
}

/** For a schema of this version, to the next; one transaction. Of processes at once all but the first fail, with what two fail with that make one object. */
export function upgradeScript(schema: string, version: number): string {
  const raised = `DO $$ BEGIN
    UPDATE {S}.crawl SET schema_version = ${String(version + 1)} WHERE schema_version = ${String(version)};
    IF NOT FOUND THEN RAISE EXCEPTION 'brought up to date meanwhile' USING ERRCODE = 'duplicate_object'; END IF;
  END $$;`
  return inSchema(`${raised}\n${POSTGRES_UPGRADES.get(version) ?? ''}`, schema)
}

function inSchema(script: string, schema: string): string {
  return script.replaceAll('{S}', `"${schema.replaceAll('"', '""')}"`)
}
