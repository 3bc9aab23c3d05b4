// The store of a crawl: which one it is, what it is called in a message, and whether it can be started over.
import { AvocetError, memoryFrontier, type Clock, type Frontier } from '@avocet/core'
import { IN_MEMORY, nameFrom } from '../load/store-path.ts'

/** Where a crawl lives. */
export interface CrawlStore {
  readonly frontier: Frontier
  /** How a message calls it; absent when it ends with the process. */
  readonly title?: string
  /** Of its file; absent when only the configuration knows. */
  readonly path?: string
}

/** What was typed about the store. */
export interface StoreWish {
  /** Absolute, or `:memory:`. */
  readonly path: string
  /** Whether the path was typed, and not only derived from the spider's name. */
  readonly typed: boolean
  readonly fresh: boolean
  /** Where the command runs, absolute. */
  readonly folder: string
  /** The crawl's. */
  readonly clock: Clock
}

/**
 * A store that was typed wins over the configuration's own, which wins over the default place. SQLite is loaded when it is used.
 *
 * @throws AVO_USAGE when the configuration's own store is to be started over: only who made it knows what it consists of.
 */
export async function crawlStore(configured: Frontier | undefined, wish: StoreWish): Promise<CrawlStore> {
  const { path, typed, fresh, folder, clock } = wish
  if (configured && !typed) {
    if (fresh) {
      throw new AvocetError(
        'AVO_USAGE',
        "--fresh: expected a store that avocet made, got the configuration's own (frontier); remove that yourself, or name another: --store PATH",
      )
    }
    // What several processes can share outlives each of them.
    return { frontier: configured, ...(configured.changedElsewhere && { title: "the configuration's own" }) }
  }
  if (path === IN_MEMORY) return { frontier: memoryFrontier() }
  const { sqlite } = await import('@avocet/plugin-sqlite')
  return { frontier: sqlite(path, { clock }), title: nameFrom(folder, path), path }
}
