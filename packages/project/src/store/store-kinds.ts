// The kinds of stores: in a file of this machine (SQLite), and on a PostgreSQL server, which processes of several machines share.
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { didYouMean } from '@avocet/core/plugin'
import type { Clock, CrawlSpec, Frontier, FrontierReader } from '@avocet/core/store'
import type * as Sqlite from '@avocet/plugin-sqlite'
import type { KeptResponses } from '@avocet/plugin-sqlite'
import { crawlIn, isFar, shownStore, withoutCrawl } from '../text/store-address.ts'

export type { KeptResponse, KeptResponses, StoreFault } from '@avocet/plugin-sqlite'

/** How a store is opened to be written to. */
interface StoreOpening {
  /** The crawl's. Default: the machine's. */
  readonly clock?: Clock
  /** How long a call waits for another process; a kind may have limits of its own. */
  readonly lockPatienceMs?: number
}

/** How a run names URLs and hosts. */
export type StoreSpec = Omit<CrawlSpec, 'name'>

/** A kind of store: what the command needs of it beside the two ports. Errors have a code AVO_FRONTIER_…, and no password. */
export interface StoreKind {
  /** Not opened yet; made by `open` where it is missing. */
  frontier(address: string, opening: StoreOpening): Promise<Frontier>
  /** Throws AVO_FRONTIER_MISSING where there is none. */
  reader(address: string): Promise<FrontierReader>
  /** Whether there is a store. */
  exists(address: string): Promise<boolean>
  /** Tries whether a run with this `spec` can go on with the store, or make it, and leaves nothing behind. Throws why not. */
  probe(address: string, spec: StoreSpec, clock: Clock): Promise<void>
  /** Removes the store, which nobody has open; does nothing where there is none. */
  remove(address: string): Promise<void>
}

/** The kind of the store at `address`: a URL, or an absolute path. It loads its library when it is used. */
export function storeKind(address: string): StoreKind {
  return isFar(address) ? POSTGRES_KIND : SQLITE_KIND
}

/** Whether there is a store at `address`. Throws AVO_FRONTIER_… where its server does not say. */
export async function storeExists(address: string): Promise<boolean> {
  return storeKind(address).exists(address)
}
/** Endings of files that SQLite has beside one of its own. */
export const COMPANIONS: readonly string[] = ['-wal', '-shm', '-journal']

/** By absolute path. */
const SQLITE_KIND: StoreKind = {
  async frontier(path, { clock, lockPatienceMs }) {
    const { sqlite } = await storeFiles()
    // It knows no other options.
    return sqlite(path, { ...(clock && { clock }), ...(lockPatienceMs !== undefined && { lockPatienceMs }) })
  },
  reader: async (path) => (await storeFiles()).openReader(path),
  exists: async (path) => existsSync(path),
  async probe(path, spec, clock) {
    if (existsSync(path)) await (await storeFiles()).probeStore(path, spec)
    await writeProbe(dirname(path), spec, clock)
  },
  async remove(path) {
    for (const companion of ['', ...COMPANIONS]) await rm(`${path}${companion}`, { force: true })
  },
}

/** A store beside it, made and removed: says whether the folder can be written, and whether SQLite's WAL works on its file system. */
async function writeProbe(folder: string, spec: StoreSpec, clock: Clock): Promise<void> {
  const path = join(folder, `.check-${process.pid}.db`)
  const frontier = await SQLITE_KIND.frontier(path, {})
  try {
    await frontier.open({ name: 'check', ...spec }, clock.now())
    await frontier.close()
  } finally {
    await SQLITE_KIND.remove(path)
  }
}

// The door to what the command does with files of SQLite: kept responses, and work on stores that are files, which has no counterpart on a server.

/** The kept responses of those of these files that are there. Throws AVO_FRONTIER_… for one that cannot be read. */
export async function keptIn(paths: readonly string[]): Promise<readonly KeptResponses[]> {
  const there = paths.filter((path) => existsSync(path))
  if (there.length === 0) return []
  const { openResponses } = await storeFiles()
  return Promise.all(there.map(openResponses))
}

/** Loaded when it is used: SQLite is a native library. */
export function storeFiles(): Promise<typeof Sqlite> {
  return import('@avocet/plugin-sqlite')
}

// Stores on a PostgreSQL server, which processes of several machines share.

/** By URL. */
const POSTGRES_KIND: StoreKind = {
  async frontier(url, { clock }) {
    const { postgresFrontier } = await import('@avocet/plugin-postgres')
    return postgresFrontier(url, clock && { clock })
  },
  async reader(url) {
    const { openPostgresReader } = await import('@avocet/plugin-postgres')
    return openPostgresReader(url, didYouMean)
  },
  async exists(url) {
    const { hasCrawl } = await import('@avocet/plugin-postgres')
    return hasCrawl(url)
  },
  async probe(url, spec) {
    const { probePostgres } = await import('@avocet/plugin-postgres')
    await probePostgres(url, { spec })
  },
  async remove(url) {
    const { removeCrawl } = await import('@avocet/plugin-postgres')
    await removeCrawl(url)
  },
}

/** `pg_dump` and its words, without a password. `file`: what it writes. */
export async function serverDumpWords(address: string, file: string): Promise<readonly string[]> {
  const crawl = crawlIn(address)
  const { schemaOf } = await import('@avocet/plugin-postgres')
  // A pattern: in double quotes it is a name, as it is written.
  const schema = crawl === undefined ? [] : [`--schema="${schemaOf(crawl)}"`]
  return ['pg_dump', '--format=custom', ...schema, `--file=${file}`, shownStore(withoutCrawl(address))]
}
