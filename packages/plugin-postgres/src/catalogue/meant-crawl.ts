// Which crawl of a database a URL means.
//
// One that is named is looked up by its schema: a database may have more crawls than are listed, and some that this user may not read. Only where none is named
// are all looked at, those that may be read.
import { AvocetError } from '@avocet/core'
import type { Queries } from '../connection/queries.ts'
import { quotedName, schemaOf, SCHEMA_PREFIX, type StoreUrl } from '../connection/store-url.ts'
import { isMade } from './made-crawl.ts'
import { ServerConnections } from '../connection/connections.ts'

/** Of several that may be meant, so many are named. */
const MOST_NAMED = 20
/** Crawls of one database that are listed, at most. */
const MOST_CRAWLS = 1_000

/** A crawl of a database. */
export interface ListedCrawl {
  /** As a URL calls it. */
  readonly name: string
  /** Epoch ms. */
  readonly createdAt: number
  /** The schema that it is in. */
  readonly schema: string
}

/** A crawl, and the version of its tables. */
export interface FoundCrawl extends ListedCrawl {
  readonly version: number
}

/** Words to add to the message on a name that is none of `names`, such as ` (did you mean 'quotes'?)`; nothing where none is near. */
export type MisspeltHint = (name: string, names: readonly string[]) => string

/** Our schemas are those with our prefix and a table of our shape. */
const SCHEMAS = `SELECT n.nspname AS schema FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'crawl'
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'host_keying'`
const LISTED = `${SCHEMAS} WHERE starts_with(n.nspname, $1) AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')
  ORDER BY n.nspname LIMIT ${String(MOST_CRAWLS)}`
const NAMED = `${SCHEMAS} WHERE n.nspname = $1`

/** The crawls of a database that this user may read, by name. */
export async function crawlsOf(queries: Queries): Promise<readonly FoundCrawl[]> {
  const schemas = await queries.all<{ readonly schema: string }>(LISTED, [SCHEMA_PREFIX])
  const found = await crawlsIn(
    queries,
    schemas.map(({ schema }) => schema),
  )
  return found.toSorted((a, b) => a.name.localeCompare(b.name))
}

/** The crawl that has this name in a URL. Throws AVO_FRONTIER_UNUSABLE where it may not be read. */
export async function crawlCalled(queries: Queries, name: string): Promise<FoundCrawl | undefined> {
  const schemas = await queries.all<{ readonly schema: string }>(NAMED, [schemaOf(name)])
  const [crawl] = await crawlsIn(
    queries,
    schemas.map(({ schema }) => schema),
  )
  return crawl
}

/**
 * The one that is meant. Throws AVO_FRONTIER_MISSING where there is none, AVO_FRONTIER_FOREIGN where its schema is no crawl's, AVO_USAGE where there are
 * several and none is named.
 */
export async function meantCrawl(queries: Queries, url: StoreUrl, hint: MisspeltHint = () => ''): Promise<FoundCrawl> {
  const called = url.crawl === undefined ? undefined : await crawlCalled(queries, url.crawl)
  if (called !== undefined) return called
  const crawls = await crawlsOf(queries)
  const [only, ...others] = crawls
  if (url.crawl !== undefined) {
    await isMade({ connections: queries, schema: schemaOf(url.crawl), url })
    throw missing(url, crawls, hint)
  }
  if (only === undefined)
    throw new AvocetError('AVO_FRONTIER_MISSING', `expected a crawl in the database of ${url.shown}, got none`, {
      remedy: 'begin one with avocet crawl',
    })
  if (others.length === 0) return only
  throw new AvocetError(
    'AVO_USAGE',
    `expected one crawl in the database of ${url.shown}, got ${namesOf(crawls)}; name the one you mean, as in ${withCrawl(url, only.name)}`,
  )
}

function missing({ shown, crawl: called = '' }: StoreUrl, crawls: readonly FoundCrawl[], hint: MisspeltHint): AvocetError {
  const near = hint(
    called,
    crawls.map(({ name }) => name),
  )
  const got = crawls.length === 0 ? 'none' : `none of that name among ${namesOf(crawls)}`
  return new AvocetError(
    'AVO_FRONTIER_MISSING',
    `expected a crawl called ${called} in the database of ${shown}, got ${got}${near}`,
    { remedy: 'begin one with avocet crawl' },
  )
}

async function crawlsIn(queries: Queries, schemas: readonly string[]): Promise<readonly FoundCrawl[]> {
  if (schemas.length === 0) return []
  const rows = schemas.map(
    (schema, n) => `SELECT ${String(n)} AS n, name, created_at, schema_version AS version FROM ${quotedName(schema)}.crawl`,
  )
  const found = await queries.all<Omit<FoundCrawl, 'createdAt'> & { readonly n: number; readonly created_at: number }>(
    rows.join(' UNION ALL '),
  )
  return found.map(({ n, created_at: createdAt, name, version }) => {
    const schema = schemas[n] ?? ''
    return { name: calledIn(schema, name), createdAt, version, schema }
  })
}

/** What a URL calls the crawl in this schema: its own name, unless a URL gave it another. */
function calledIn(schema: string, name: string): string {
  return schemaOf(name) === schema ? name : schema.slice(SCHEMA_PREFIX.length)
}

/** `none`, or `3 (books, quotes, teas)`. */
function namesOf(crawls: readonly FoundCrawl[]): string {
  if (crawls.length === 0) return 'none'
  const names = crawls.slice(0, MOST_NAMED).map(({ name }) => name)
  const count = `${String(crawls.length)}${crawls.length < MOST_CRAWLS ? '' : ' or more'}`
  const rest = crawls.length > names.length ? ', …' : ''
  return `${count} (${names.join(', ')}${rest})`
}

function withCrawl({ shown }: StoreUrl, name: string): string {
  const url = new URL(shown)
  url.searchParams.set('crawl', name)
  return url.href
}

// The schema of a crawl that is to be opened: by the name in its URL, else by that of the crawl. Who has neither changes what is there, and means the only one.

/** `name`: of the crawl; empty: whichever is there. Throws AVO_FRONTIER_MISSING where none is, AVO_USAGE where several are, AVO_FRONTIER_…. */
export async function schemaFor(url: StoreUrl, name: string, timeoutMs: number): Promise<string> {
  if (url.crawl !== undefined || name !== '') return schemaOf(url.crawl ?? name)
  const connections = new ServerConnections({ url, schema: schemaOf(''), connections: 1, timeoutMs })
  try {
    return (await meantCrawl(connections, url)).schema
  } finally {
    await connections.close()
  }
}
