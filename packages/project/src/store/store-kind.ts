// What the command needs of a kind of store, beside the two ports.
import type { Clock, CrawlSpec, Frontier } from '@avocet/core/store'
import type { CopiedReader, Restoring } from '@avocet/plugin-sqlite'

export type { CopiedReader, CopiedRow, CopiedRows, Restoring } from '@avocet/plugin-sqlite'

/** How a store is opened to be written to. */
interface StoreOpening {
  /** The crawl's. Default: the machine's. */
  readonly clock?: Clock
  /** How long a call waits for another process; a kind may have limits of its own. */
  readonly lockPatienceMs?: number
}

/** How a run names URLs and hosts. */
export type StoreSpec = Omit<CrawlSpec, 'name'>

/** A kind of store. Each address is of this kind. What it throws has a code AVO_FRONTIER_…, and no password. */
export interface StoreKind {
  /** Not opened yet; made by `open` where it is missing. */
  frontier(address: string, opening: StoreOpening): Promise<Frontier & Restoring>
  /** Throws AVO_FRONTIER_MISSING where there is none. */
  reader(address: string): Promise<CopiedReader>
  /** Whether there is a store. */
  exists(address: string): Promise<boolean>
  /** Tries whether a run with this `spec` can go on with the store, or make it, and leaves nothing behind. Throws why not. */
  probe(address: string, spec: StoreSpec, clock: Clock): Promise<void>
  /** Removes the store, which nobody has open; does nothing where there is none. */
  remove(address: string): Promise<void>
}
