// The crawls of a database, each in a schema of its own: which there are, which one is meant, and how one is removed.
import { AvocetError } from '@avocet/core'
import type { FrontierReader } from '@avocet/core/store'
import { ServerConnections } from '../connection/connections.ts'
import type { Queries } from '../connection/queries.ts'
import { quotedName, schemaOf, SCHEMA_PREFIX, storeUrl, type StoreUrl } from '../connection/store-url.ts'
import { postgresReader } from '../read/postgres-reader.ts'
import { checkVersion } from '../schema/schema-version.ts'
import { checkedServer, type CheckOptions, type ServerFacts } from './server-check.ts'

/** Of several that may be meant, so many are named. */
const MOST_NAMED = 20
/** Crawls of one database that are listed, at most. */
const MOST_CRAWLS = 1_000
const LIMITS = { connections: 2, timeoutMs: 60_000 }

/** A crawl of a database. */
export interface ListedCrawl {
  /** As a URL calls it. */
  readonly name: string
  /** Epoch ms. */
  readonly createdAt: number
  /** The schema that it is in. */
  readonly schema: string
}

/** Our schemas are those with our prefix and a table of our shape. */
const SCHEMAS = `SELECT n.nspname AS schema FROM pg_namespace n WHERE starts_with(n.nspname, $1) AND has_schema_privilege(n.oid, 'USAGE')
  AND EXISTS (SELECT 1 FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = n.oid AND c.relname = 'crawl'
  AND a.attname = 'host_keying') ORDER BY n.nspname LIMIT ${MOST_CRAWLS}`

/**
 * The crawls that a database has.
 *
 * Throws AVO_FRONTIER_… where the server cannot be asked.
 *
 * @example
 * ```ts
 * for (const { name } of await listCrawls('postgres://db.example/crawls')) console.log(name)
 * ```
 */
export async function listCrawls(url: string): Promise<readonly ListedCrawl[]> {
  const crawls = await asking(storeUrl(url), (queries) => crawlsOf(queries))
  return crawls.map(({ name, createdAt, schema }) => ({ name, createdAt, schema }))
}

/**
 * Opens the crawl that a URL names by `?crawl=NAME`, or the only one of its database, for reading.
 *
 * Throws AVO_FRONTIER_MISSING where there is none, AVO_USAGE where there are several and none is named, AVO_FRONTIER_….
 *
 * @example
 * ```ts
 * const reader = await openPostgresReader('postgres://db.example/crawls?crawl=books')
 * console.log(await reader.counts())
 * await reader.close()
 * ```
 */
export async function openPostgresReader(text: string): Promise<FrontierReader> {
  const url = storeUrl(text)
  const named = schemaOf(url.crawl ?? '')
  const connections = new ServerConnections({ url, schema: named, ...LIMITS })
  try {
    const { schema, version } = await meant(url, await crawlsOf(connections))
    checkVersion(version, url.shown)
    // To connect anew takes longer than most reads.
    if (schema === named) return readerOn(connections)
    await connections.close()
    return readerOn(new ServerConnections({ url, schema, ...LIMITS }))
  } catch (error) {
    await connections.close()
    throw error
  }
}

function readerOn(connections: ServerConnections): FrontierReader {
  return { ...postgresReader(connections), close: () => connections.close() }
}

/**
 * Looks whether a server can keep a crawl. Writes nothing.
 *
 * Throws AVO_FRONTIER_UNUSABLE and says what is wrong with it, AVO_FRONTIER_AWAY where it does not answer.
 */
export async function probePostgres(text: string, options: CheckOptions = {}): Promise<ServerFacts> {
  const url = storeUrl(text)
  return asking(url, async (queries) => {
    const facts = await checkedServer(queries, url, options)
    if (facts.mayCreate || (await crawlsOf(queries)).some(({ name }) => name === url.crawl)) return facts
    throw new AvocetError(
      'AVO_FRONTIER_UNUSABLE',
      `expected the right to create a schema in the database of ${url.shown}, got none; have its owner say GRANT CREATE ON DATABASE`,
    )
  })
}

/**
 * Removes the crawl that a URL names, with its schema.
 *
 * Throws AVO_FRONTIER_BUSY while a process works on it, AVO_FRONTIER_MISSING where there is none, AVO_USAGE where none is named, AVO_FRONTIER_….
 */
export async function removeCrawl(text: string): Promise<void> {
  const url = storeUrl(text)
  if (url.crawl === undefined)
    throw new AvocetError('AVO_USAGE', `expected the name of the crawl to remove, got ${url.shown}; add ?crawl=NAME`)
  return asking(url, async (queries) => {
    const { schema } = await meant(url, await crawlsOf(queries))
    const { liveProcesses } = await postgresReader(queries).info()
    if (liveProcesses > 0)
      throw new AvocetError(
        'AVO_FRONTIER_BUSY',
        `expected nobody to work on ${url.shown}, got ${String(liveProcesses)} ${liveProcesses === 1 ? 'process' : 'processes'}; stop them first`,
      )
    await queries.all(`DROP SCHEMA ${quotedName(schema)} CASCADE`)
  })
}

/** A crawl, and the version of its tables. */
interface FoundCrawl extends ListedCrawl {
  readonly version: number
}

async function crawlsOf(queries: Queries): Promise<readonly FoundCrawl[]> {
  const schemas = await queries.all<{ readonly schema: string }>(SCHEMAS, [SCHEMA_PREFIX])
  if (schemas.length === 0) return []
  const rows = schemas.map(
    ({ schema }, n) => `SELECT ${String(n)} AS n, name, created_at, schema_version AS version FROM ${quotedName(schema)}.crawl`,
  )
  const found = await queries.all<Omit<FoundCrawl, 'createdAt'> & { readonly n: number; readonly created_at: number }>(
    rows.join(' UNION ALL '),
  )
  return found
    .map(({ n, created_at: createdAt, name, version }) => {
      const schema = schemas[n]?.schema ?? ''
      return { name: calledIn(schema, name), createdAt, version, schema }
    })
    .toSorted((a, b) => a.name.localeCompare(b.name))
}

/** What a URL calls the crawl in this schema: its own name, unless a URL gave it another. */
function calledIn(schema: string, name: string): string {
  return schemaOf(name) === schema ? name : schema.slice(SCHEMA_PREFIX.length)
}

/** The one that is meant. */
function meant(url: StoreUrl, crawls: readonly FoundCrawl[]): Promise<FoundCrawl> {
  const [only, ...others] = url.crawl === undefined ? crawls : crawls.filter(({ schema }) => schema === schemaOf(url.crawl ?? ''))
  if (only !== undefined && others.length === 0) return Promise.resolve(only)
  if (only === undefined) {
    const there = crawls.length === 0 ? 'there is none' : `there are ${crawls.map(({ name }) => name).join(', ')}`
    return Promise.reject(
      new AvocetError(
        'AVO_FRONTIER_MISSING',
        `expected a crawl in the database of ${url.shown}, ${there}; begin one with avocet crawl`,
      ),
    )
  }
  const names = crawls.slice(0, MOST_NAMED).map(({ name }) => name)
  const more = crawls.length > names.length ? `, and ${String(crawls.length - names.length)} more` : ''
  return Promise.reject(
    new AvocetError(
      'AVO_USAGE',
      `expected one crawl, found ${String(crawls.length)} in the database (${names.join(', ')}${more}); name the one you mean, as in ${withCrawl(url, only?.name ?? '')}`,
    ),
  )
}

function withCrawl({ shown }: StoreUrl, name: string): string {
  const url = new URL(shown)
  url.searchParams.set('crawl', name)
  return url.href
}

async function asking<Answer>(url: StoreUrl, work: (queries: Queries) => Promise<Answer>): Promise<Answer> {
  const connections = new ServerConnections({ url, schema: schemaOf(url.crawl ?? ''), ...LIMITS })
  try {
    return await work(connections)
  } finally {
    await connections.close()
  }
}
