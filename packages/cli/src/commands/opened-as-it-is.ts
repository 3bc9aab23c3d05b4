// Opens a store to change what waits in it, by the host keying that it was made with.
import { existsSync } from 'node:fs'
import { AvocetError, CANONICALISATION, type CrawlInfo, type Frontier } from '@avocet/core'
import { sqlite } from '@avocet/plugin-sqlite'
import type { HostKeying } from './acceptable-patterns.ts'

/** No crawl goes on waiting here for another program's lock. */
const LOCK_PATIENCE_MS = 30_000

/** A store that is open, to be closed by whoever has it. */
export interface OpenedStore {
  readonly frontier: Frontier
  readonly info: CrawlInfo
  readonly hostKeying: HostKeying
}

/** The store as it is: how it names hosts is its own affair. Throws AVO_FRONTIER_…; none is made. */
export async function openedAsItIs(path: string, now: number): Promise<OpenedStore> {
  if (!existsSync(path))
    throw new AvocetError('AVO_FRONTIER_MISSING', `expected a store at ${path}, found none; name one, or begin with avocet crawl`)
  for (const hostKeying of ['host', 'domain'] as const) {
    const frontier = sqlite(path, { lockPatienceMs: LOCK_PATIENCE_MS })
    try {
      return {
        frontier,
        hostKeying,
        info: await frontier.open({ name: '', canonicalisation: CANONICALISATION, hostKeying }, now),
      }
    } catch (error) {
      if (!(error instanceof AvocetError && error.code === 'AVO_FRONTIER_SPEC' && hostKeying === 'host')) throw error
    }
  }
  throw new AvocetError(
    'AVO_INTERNAL',
    `expected a store whose hosts are kept by name or by domain, got another kind in ${path}; give another store`,
  )
}
