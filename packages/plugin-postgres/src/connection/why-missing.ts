// Why tables are missing while a process works on them: either they were removed, or another server took the place of the crawl's and lacks them. Where they
// exist, they refuse calls of such a process themselves (failover-functions.sql.ts).
import { sqlStateOf } from './postgres-fault.ts'
import { TIMELINES } from '../schema/failover-functions.sql.ts'

/** A schema, a table, or a function of it. */
const MISSING: ReadonlySet<string | undefined> = new Set(['3F000', '42P01', '42883'])

/** Runs a statement that needs no table. */
type Ask = <Row>(statement: string) => Promise<readonly Row[]>

/** The error to throw: `thrown` itself if the server still has this timeline, otherwise one that says that another server took its place. */
export async function whyMissing(thrown: unknown, timeline: string, ask: Ask): Promise<unknown> {
  if (!MISSING.has(sqlStateOf(thrown))) return thrown
  try {
    return (await timelineOf(ask)) === timeline ? thrown : fault('AV002', 'another server took the place of that of the crawl')
  } catch (another) {
    return another
  }
}

/** Throws for a replica that nobody has promoted yet. */
async function timelineOf(ask: Ask): Promise<string | undefined> {
  const [row] = await ask<{ readonly is_replica: boolean }>('SELECT pg_is_in_recovery() AS is_replica')
  if (row?.is_replica !== false) throw fault('25006', 'the server is a read-only replica')
  const found = await ask<{ readonly timeline: string }>(`SELECT ${TIMELINES.usual} AS timeline`).catch((thrown: unknown) => {
    if (sqlStateOf(thrown) === undefined) throw thrown
    return ask<{ readonly timeline: string }>(`SELECT ${TIMELINES.without} AS timeline`)
  })
  return found[0]?.timeline
}

function fault(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
