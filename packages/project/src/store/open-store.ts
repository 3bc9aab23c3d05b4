// Opens the store of a crawl for a command: to read it, or to change what waits in it.
import { AvocetError } from '@avocet/core'
import type { CrawlInfo, Frontier, FrontierReader } from '@avocet/core/store'
import type { ConfigPlace } from '../config/config-file.ts'
import type { Place } from '../place/place.ts'
import { storeExists, storeKind } from './store-kinds.ts'
import { existingStore, noStore, shownName } from './store-path.ts'

/** What was typed of a store. */
export interface NamedStore {
  readonly store?: string | undefined
  readonly configPath?: string | undefined
}

/** Hands the reader of the store (see `existingStore`) and its path to `work`. Throws AVO_FRONTIER_…, AVO_USAGE, AVO_CONFIG_…. */
export async function withReader<Answer>(
  place: ConfigPlace,
  { store, configPath }: NamedStore,
  work: (reader: FrontierReader, store: string) => Promise<Answer>,
): Promise<Answer> {
  const path = await existingStore(place, store, configPath)
  return readStore(path, (reader) => work(reader, path))
}

/** Hands the reader of the store at `path` to `work`, also while another process crawls it. Its kind is loaded here. Throws AVO_FRONTIER_…. */
export async function readStore<Answer>(path: string, work: (reader: FrontierReader) => Promise<Answer>): Promise<Answer> {
  const reader = await storeKind(path).reader(path)
  try {
    return await work(reader)
  } finally {
    await reader.close()
  }
}

/** How the store names hosts. */
export type HostKeying = 'host' | 'domain'

/** No crawl goes on waiting here for another program's lock. */
const LOCK_PATIENCE_MS = 30_000

/** A store that is open, to be closed by its holder. */
interface OpenedStore {
  readonly frontier: Frontier
  readonly info: CrawlInfo
  readonly hostKeying: HostKeying
}

/** The store as it is: how it names hosts is its own affair. Throws AVO_FRONTIER_…; none is made. */
export async function openedAsItIs(path: string, now: number): Promise<OpenedStore> {
  if (!(await storeExists(path))) throw noStore(`at ${shownName(path)}`)
  const kind = storeKind(path)
  for (const hostKeying of ['host', 'domain'] as const) {
    const frontier = await kind.frontier(path, { lockPatienceMs: LOCK_PATIENCE_MS })
    try {
      return { frontier, hostKeying, info: await frontier.open({ name: '', hostKeying }, now) }
    } catch (error) {
      if (!(error instanceof AvocetError && error.code === 'AVO_FRONTIER_SPEC' && hostKeying === 'host')) throw error
    }
  }
  throw new AvocetError(
    'AVO_INTERNAL',
    `expected a store whose hosts are kept by name or by domain, got another kind in ${shownName(path)}; give another store`,
  )
}

/** A store that is open beside its crawl, and the moment: epoch ms of the crawl's time. */
export interface StoreBeside extends OpenedStore {
  readonly now: number
  /** How far the crawl's time is ahead of the clock of this process. */
  readonly aheadMs: number
}

/** Hands the store at `path`, open to be written to, to `work`, and closes it. Throws AVO_FRONTIER_…; none is made. */
export async function besideCrawl<Answer>(
  path: string,
  { clock }: Pick<Place, 'clock'>,
  work: (store: StoreBeside) => Promise<Answer>,
): Promise<Answer> {
  const opened = await openedAsItIs(path, clock.now())
  try {
    const { aheadMs = 0 } = opened.info
    return await work({ ...opened, aheadMs, now: clock.now() + aheadMs })
  } finally {
    await opened.frontier.close()
  }
}
