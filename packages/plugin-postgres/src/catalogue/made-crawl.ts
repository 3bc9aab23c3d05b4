// Whether a schema is that of a crawl, and whether another run would go on with it.
import { AvocetError } from '@avocet/core'
import { CANONICALISATION, type CrawlSpec } from '@avocet/core/store'
import type { Queries } from '../connection/queries.ts'
import type { StoreUrl } from '../connection/store-url.ts'
import { POSTGRES_SCHEMA_VERSION } from '../schema/tables.sql.ts'

/** Which schema of which database. */
interface SchemaPlace {
  readonly url: StoreUrl
  readonly schema: string
  readonly connections: Queries
}

/** What a crawl says of itself. */
interface CrawlRow {
  readonly schema_version: number
  readonly canonicalisation: string
  readonly host_keying: string
}

/** How a run names hosts. */
type Naming = Omit<CrawlSpec, 'name'>

/** Whether the schema is there. Throws AVO_FRONTIER_FOREIGN for one that is no crawl's. */
export async function isMade({ connections, schema, url }: SchemaPlace): Promise<boolean> {
  const [row] = await connections.all<{ readonly is_there: boolean; readonly is_ours: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1) AS is_there, EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid WHERE n.nspname = $1 AND c.relname = 'crawl' AND a.attname = 'host_keying') AS is_ours`,
    [schema],
  )
  if (row?.is_there !== true) return false
  if (row.is_ours) return true
  throw new AvocetError(
    'AVO_FRONTIER_FOREIGN',
    `${url.shown}: expected the schema ${schema} to be a crawl's, got something else; name the crawl otherwise`,
  )
}

/** Undefined where its tables were just made. */
export async function rowOf(connections: Queries): Promise<CrawlRow | undefined> {
  const [row] = await connections.all<CrawlRow>('SELECT schema_version, canonicalisation, host_keying FROM {S}.crawl')
  return row
}

/** Throws AVO_FRONTIER_VERSION for tables of another version. */
export function checkVersion(version: number, shown: string): void {
  if (version === POSTGRES_SCHEMA_VERSION) return
  throw new AvocetError(
    'AVO_FRONTIER_VERSION',
    `${shown}: expected tables of version ${String(POSTGRES_SCHEMA_VERSION)}, got ${String(version)}; use the Avocet that made them, or start over with --fresh`,
  )
}

/** Throws AVO_FRONTIER_VERSION, AVO_FRONTIER_SPEC where a run that names URLs and hosts in this way cannot go on with the crawl. */
export function assertFits({ hostKeying }: Naming, row: CrawlRow, url: StoreUrl): void {
  checkVersion(row.schema_version, url.shown)
  if (row.canonicalisation === CANONICALISATION && row.host_keying === hostKeying) return
  const expected = `URLs by ${row.canonicalisation} and hosts by ${row.host_keying}`
  throw new AvocetError(
    'AVO_FRONTIER_SPEC',
    `${url.shown}: expected ${expected}, got ${CANONICALISATION} and ${hostKeying}; use the old options, or start over with --fresh`,
  )
}

/** Looks whether a run would be refused the schema. Throws as the others do. */
export async function assertOpens(spec: Naming, place: SchemaPlace): Promise<void> {
  if (!(await isMade(place))) return
  const row = await rowOf(place.connections)
  if (row !== undefined) assertFits(spec, row, place.url)
}
