// Opens the store of a crawl on a server: makes its schema where there is none, checks that it is ours, and signs in.
//
// Two processes that make it at the same moment: the script is one transaction, so the second fails, and finds what the first has made.
import { AvocetError } from '@avocet/core'
import { CANONICALISATION, type CrawlInfo, type CrawlSpec } from '@avocet/core/store'
import { assertFits, isMade, rowOf } from './catalogue/made-crawl.ts'
import { checkedServer } from './catalogue/server-check.ts'
import type { ServerConnections } from './connection/connections.ts'
import { sqlStateOf } from './connection/postgres-fault.ts'
import { quotedName, type StoreUrl } from './connection/store-url.ts'
import type { Membership } from './process/membership.ts'
import { postgresReader } from './read/postgres-reader.ts'
import { POSTGRES_SCHEMA_VERSION, TABLES } from './schema/tables.sql.ts'
import { COMMIT_FUNCTIONS } from './schema/commit-functions.sql.ts'
import { DROP_FUNCTION, RESCHEDULE_FUNCTIONS } from './schema/reschedule-functions.sql.ts'
import { FAILOVER_FUNCTIONS } from './schema/failover-functions.sql.ts'
import { HOST_FUNCTIONS } from './schema/host-functions.sql.ts'
import { OUTCOME_FUNCTIONS } from './schema/outcome-functions.sql.ts'
import { PROCESS_FUNCTIONS } from './schema/process-functions.sql.ts'
import { READ_FUNCTIONS, REQUEST_FUNCTIONS } from './schema/request-functions.sql.ts'
import { WATCH_FUNCTIONS } from './schema/watch-functions.sql.ts'

/** A schema, a table or a function that another process has made meanwhile. */
const MADE_MEANWHILE: ReadonlySet<string | undefined> = new Set(['42P06', '42P07', '42710', '42723', '23505'])
const MOST_TRIES = 5

/** Where it is, and how it is opened. */
export interface SchemaOpening {
  readonly url: StoreUrl
  readonly schema: string
  readonly connections: ServerConnections
  readonly allowUnsafe: boolean
  /** As `OpeningCheck` has it. */
  readonly wasAway: boolean
  /** Epoch ms by the caller's clock: when the crawl was made, for people. */
  readonly now: number
}

/** Makes sure that the schema is there, and this crawl's. Throws AVO_FRONTIER_…. */
export async function madeSchema(spec: CrawlSpec, opening: SchemaOpening): Promise<void> {
  const { url, connections, allowUnsafe, wasAway } = opening
  await checkedServer(connections, url, { allowUnsafe, wasAway })
  for (let tries = 1; ; tries++) {
    if (await isMade(opening)) break
    if (spec.name === '') throw noCrawl(opening)
    try {
      await connections.script(`CREATE SCHEMA ${quotedName(opening.schema)};\n${installScript(opening.schema)}`)
    } catch (thrown) {
      if (tries >= MOST_TRIES || !MADE_MEANWHILE.has(sqlStateOf(thrown))) throw thrown
    }
  }
  await checkSpec(spec, opening)
}

/** From here on `connections` write on this server alone. Throws AVO_FRONTIER_FAILED_OVER where it took the place of that of the crawl. */
export async function stayOnServer({ url, schema, connections }: SchemaOpening): Promise<void> {
  const [row] = await connections.all<{ readonly was: string; readonly timeline: string }>(
    'SELECT c.timeline AS was, {S}.timeline() AS timeline FROM {S}.crawl c',
  )
  if (row === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', `${url.shown}: expected the row of the crawl, got none`)
  const { was, timeline } = row
  if (was === timeline) return connections.stayOn(timeline)
  throw new AvocetError(
    'AVO_FRONTIER_FAILED_OVER',
    `expected the server of the store ${url.shown} to be the one that the crawl was on (timeline ${was}), got one that took its place (${timeline}) and may lack the last commits`,
    { remedy: `stop all processes of this crawl, run SELECT ${quotedName(schema)}.accept_server() in psql, and crawl again` },
  )
}

/** Signs in, and says what the store has. `now`: epoch ms by the caller's clock. */
export async function signedIn(connections: ServerConnections, membership: Membership, now: number): Promise<CrawlInfo> {
  const found = await membership.signIn()
  const counts = await postgresReader(connections).counts()
  const { known, waiting, done, moved, failed, items, again = 0 } = counts
  const aheadMs = Math.round(membership.time.now - now)
  return {
    ...{ resumed: known > 0, known, waiting, settled: known - waiting, done, moved, failed, items },
    ...found,
    ...(again > 0 && { again }),
    ...(Math.abs(aheadMs) > 1 && { aheadMs }),
  }
}

async function checkSpec(spec: CrawlSpec, opening: SchemaOpening): Promise<void> {
  const { connections, url, now } = opening
  const { name, hostKeying } = spec
  let row = await rowOf(connections)
  if (row === undefined && name === '') throw noCrawl(opening)
  // Only where there is none: tables of another version may lack what this statement needs.
  if (row === undefined) {
    await connections.all(
      `INSERT INTO {S}.crawl (created_at, crawl_at, id, schema_version, name, canonicalisation, host_keying, timeline)
       SELECT $1, 0, 1, $2, $3, $4, $5, {S}.timeline() ON CONFLICT DO NOTHING`,
      [Math.round(now), POSTGRES_SCHEMA_VERSION, name, CANONICALISATION, hostKeying],
    )
    row = await rowOf(connections)
  }
  if (row === undefined) throw new AvocetError('AVO_FRONTIER_CORRUPT', `${url.shown}: expected the row of the crawl, got none`)
  assertFits(spec, row, url)
}

/** Who gives no name goes on with a crawl, and makes none: one without a name could not be told from others in a URL. */
function noCrawl({ url, schema }: SchemaOpening): AvocetError {
  return new AvocetError('AVO_FRONTIER_MISSING', `${url.shown}: expected a crawl in the schema ${schema}, got none`, {
    remedy: 'begin one with avocet crawl',
  })
}

/** For a schema of this name, which is there and empty; a transaction of its own is the caller's. */
function installScript(schema: string): string {
  const functions = [
    HOST_FUNCTIONS,
    REQUEST_FUNCTIONS,
    OUTCOME_FUNCTIONS,
    COMMIT_FUNCTIONS,
    WATCH_FUNCTIONS,
    RESCHEDULE_FUNCTIONS,
    DROP_FUNCTION,
    PROCESS_FUNCTIONS,
    FAILOVER_FUNCTIONS,
    READ_FUNCTIONS,
  ]
  return inSchema(`${TABLES}${functions.join('')}`, schema)
}

function inSchema(script: string, schema: string): string {
  return script.replaceAll('{S}', `"${schema.replaceAll('"', '""')}"`)
}
