// The crawls of a database, each in a schema of its own: which there are, which one is meant, and how one is removed.
import { AvocetError } from '@avocet/core'
import type { CrawlSpec } from '@avocet/core/store'
import type { FrontierReader } from '@avocet/core/store'
import { ServerConnections } from '../connection/connections.ts'
import type { Queries } from '../connection/queries.ts'
import { quotedName, schemaOf, storeUrl, type StoreUrl } from '../connection/store-url.ts'
import { postgresReader } from '../read/postgres-reader.ts'
import { assertOpens, checkVersion } from './made-crawl.ts'
import { crawlCalled, crawlsOf, meantCrawl, type ListedCrawl, type MisspeltHint } from './meant-crawl.ts'
import { checkedServer, type CheckOptions, type ServerFacts } from './server-check.ts'

const LIMITS = { connections: 2, timeoutMs: 60_000 }

/**
 * The crawls that a database has, as far as this user may read them: 1,000 at most.
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
 * Whether the crawl that a URL names is there; where it names none, whether there is any.
 *
 * Throws AVO_FRONTIER_… where the server cannot be asked.
 *
 * @example
 * ```ts
 * if (await hasCrawl('postgres://db.example/crawls?crawl=books')) console.log('it goes on')
 * ```
 */
export async function hasCrawl(text: string): Promise<boolean> {
  const url = storeUrl(text)
  const { crawl } = url
  return asking(url, async (queries) =>
    crawl === undefined ? (await crawlsOf(queries)).length > 0 : (await crawlCalled(queries, crawl)) !== undefined,
  )
}

/**
 * Opens the crawl that a URL names by `?crawl=NAME`, or the only one of its database, for reading.
 *
 * `hint`: of a name that is misspelt.
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
export async function openPostgresReader(text: string, hint?: MisspeltHint): Promise<FrontierReader> {
  const url = storeUrl(text)
  const named = schemaOf(url.crawl ?? '')
  const connections = new ServerConnections({ url, schema: named, ...LIMITS })
  try {
    const { schema, version } = await meantCrawl(connections, url, hint)
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

/** What to look at. */
export interface ProbeOptions extends CheckOptions {
  /** How the run names URLs and hosts. Absent: only the server is looked at. */
  readonly spec?: Omit<CrawlSpec, 'name'>
}

/**
 * Looks whether a server can keep a crawl, and whether a run would go on with the one that the URL names. Writes nothing.
 *
 * Throws AVO_FRONTIER_UNUSABLE and says what is wrong with it, AVO_FRONTIER_AWAY where it does not answer; with `spec`, AVO_FRONTIER_FOREIGN,
 * AVO_FRONTIER_VERSION and AVO_FRONTIER_SPEC for a schema that the run would be refused.
 */
export async function probePostgres(text: string, options: ProbeOptions = {}): Promise<ServerFacts> {
  const url = storeUrl(text)
  return asking(url, async (connections) => {
    const facts = await checkedServer(connections, url, options)
    const { spec } = options
    if (spec !== undefined && url.crawl !== undefined) await assertOpens(spec, { url, schema: schemaOf(url.crawl), connections })
    if (facts.mayCreate || (url.crawl !== undefined && (await crawlCalled(connections, url.crawl)) !== undefined)) return facts
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
    const { schema } = await meantCrawl(queries, url)
    const { liveProcesses } = await postgresReader(queries).info()
    if (liveProcesses > 0)
      throw new AvocetError(
        'AVO_FRONTIER_BUSY',
        `expected nobody to work on ${url.shown}, got ${String(liveProcesses)} ${liveProcesses === 1 ? 'process' : 'processes'}; stop them first`,
      )
    await queries.all(`DROP SCHEMA ${quotedName(schema)} CASCADE`)
  })
}

async function asking<Answer>(url: StoreUrl, work: (queries: Queries) => Promise<Answer>): Promise<Answer> {
  const connections = new ServerConnections({ url, schema: schemaOf(url.crawl ?? ''), ...LIMITS })
  try {
    return await work(connections)
  } finally {
    await connections.close()
  }
}
