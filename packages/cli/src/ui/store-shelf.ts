// Crawls that are read from their stores: opened when somebody looks, and closed when nobody has looked for a while.
import type { CrawlLine, CrawlShelf, ShownCrawl } from '@avocet/dashboard'
import type { CrawlConfig } from '@avocet/core'
import { messageOf, type Clock, type FrontierReader } from '@avocet/core/store'
import type { Place } from '@avocet/project/place'
import { crawlNameOf, shownName, readStore, storeKind } from '@avocet/project/store'
import { orderIn } from '../control/control.ts'
import { changerBeside } from '../failed/given-up-change.ts'
import { CrawlSteering } from './crawl-steering.ts'
import { KeptFor } from './kept-for.ts'
import { phaseOf } from '../store/status.ts'
import { WatchedCrawl } from './watched-crawl.ts'

/** Where the crawls are. */
export interface ShelfParts {
  /** Addresses of the stores, looked for anew each time: a crawl may begin while the page is open. */
  stores(): Promise<readonly string[]>
  readonly config: Partial<CrawlConfig>
  readonly clock: Clock
  readonly folder: string
  readonly stderr: Place['stderr']
}

/** Stores that are open at once. */
const MAX_OPEN = 16
const LINES_MS = 2_000

interface OpenCrawl extends ShownCrawl {
  readonly reader: FrontierReader
}

/** All of them. */
export class StoreShelf implements CrawlShelf {
  readonly #parts: ShelfParts
  readonly #open = new Map<string, Promise<OpenCrawl>>()
  readonly #lines: KeptFor<readonly CrawlLine[]>

  constructor(parts: ShelfParts) {
    this.#parts = parts
    const find = async (): Promise<readonly CrawlLine[]> => {
      const lines: CrawlLine[] = []
      for (const [id, store] of await this.#named()) lines.push(await lineOf(id, store))
      return lines
    }
    this.#lines = new KeptFor({ clock: parts.clock, keepMs: LINES_MS, find })
  }

  crawls(): Promise<readonly CrawlLine[]> {
    return this.#lines.ask()
  }

  async crawl(id: string): Promise<ShownCrawl | undefined> {
    const known = this.#open.get(id)
    if (known !== undefined) return known
    const store = (await this.#named()).get(id)
    if (store === undefined) return undefined
    const [oldest] = this.#open.size < MAX_OPEN ? [] : this.#open
    if (oldest !== undefined) await this.#close(...oldest)
    const opened = this.#openCrawl(store)
    this.#open.set(id, opened)
    // One that cannot be opened is tried again by who looks next.
    opened.catch(() => this.#open.delete(id))
    return opened
  }

  /** Closes all stores. */
  async close(): Promise<void> {
    for (const [id, opened] of this.#open) await this.#close(id, opened)
  }

  async #close(id: string, opened: Promise<OpenCrawl>): Promise<void> {
    this.#open.delete(id)
    await opened.then(({ reader }) => reader.close()).catch(() => undefined)
  }

  /** By the name of the crawl; of two alike the second has a number. */
  async #named(): Promise<ReadonlyMap<string, string>> {
    const named = new Map<string, string>()
    for (const store of await this.#parts.stores()) {
      const name = crawlNameOf(store)
      let id = name
      for (let n = 2; named.has(id); n++) id = `${name}-${n}`
      named.set(id, store)
    }
    return named
  }

  async #openCrawl(store: string): Promise<OpenCrawl> {
    const { config, clock, folder, stderr } = this.#parts
    const reader = await storeKind(store).reader(store)
    const { name } = await reader.info()
    const source = new WatchedCrawl({ name, store, reader, config, clock, folder })
    const steering = new CrawlSteering({
      order: async (control) => void (await orderIn(store, () => control, { clock, stderr })),
      isOrderedToPause: () => source.isOrderedToPause,
      isCrawled: () => source.liveProcesses > 0,
      now: () => clock.now(),
      change: changerBeside(store, { clock, stderr }),
      changed: () => source.renew(),
    })
    return { reader, source, steering }
  }
}

async function lineOf(id: string, store: string): Promise<CrawlLine> {
  const nothing = { known: 0, waiting: 0, done: 0, failed: 0, items: 0, hosts: 0 }
  try {
    return await readStore(store, async (reader) => {
      const info = await reader.info()
      const { known, waiting, done, failed, items, hosts } = await reader.counts()
      const phase = phaseOf(info)
      return { id, name: info.name, store: shownName(store), phase, known, waiting, done, failed, items, hosts, error: null }
    })
  } catch (error) {
    return { id, name: id, store: shownName(store), phase: 'at-rest', ...nothing, error: messageOf(error) }
  }
}
