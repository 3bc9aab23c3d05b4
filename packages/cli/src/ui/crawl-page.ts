// The page of a crawl that this command runs: served from before its store opens until the crawl has ended.
import type { CrawlLine, CrawlShelf, Dashboard, ShownCrawl } from '@avocet/dashboard'
import type { CrawlConfig } from '@avocet/core'
import type { Control } from '@avocet/core/tools'
import type { Clock, FrontierReader } from '@avocet/core/store'
import { shownName } from '@avocet/project/store'
import type { PageAddress } from '@avocet/project/options'
import type { Changer } from '../dlq/given-up-change.ts'
import { CrawlSteering, type CrawlReins } from './crawl-steering.ts'
import { readPassword } from './page-password.ts'
import { WatchedCrawl } from './watched-crawl.ts'
import type { Scene } from '../view/scene.ts'

/** How the page was asked for. */
export interface PageWish {
  readonly address: PageAddress
  readonly passwordPath?: string
}

/** The crawl. */
export interface CrawlPageParts {
  readonly wish: PageWish
  readonly name: string
  /** Address of the store. */
  readonly store: string
  readonly config: Partial<CrawlConfig>
  /** The machine's: a page is looked at in its time. */
  readonly clock: Clock
  /** The crawl's, where it is another one: moments of the crawl are of it. */
  readonly crawlClock?: Clock
  readonly folder: string
  /** The crawl as it is, where this process runs it. */
  readonly live?: () => Scene
  readonly isOpen: () => boolean
  /** Called once, when somebody looks and the store is open. */
  readonly reader: () => FrontierReader | Promise<FrontierReader>
  /** Where this process runs it. */
  readonly reins?: CrawlReins
  readonly change: Changer
  /** Writes an order into the store. */
  readonly order: (control: Control) => Promise<void>
}

/** A page that is served. `link` leads to the crawl. */
export interface CrawlPage extends AsyncDisposable {
  readonly link: string
}

/** Begins to serve. Throws AVO_USAGE. */
export async function openCrawlPage(parts: CrawlPageParts): Promise<CrawlPage> {
  const { wish, name, clock, folder } = parts
  const { passwordPath, address } = wish
  const password =
    passwordPath === undefined ? undefined : await readPassword(passwordPath, { name: '--ui-password-file', folder })
  const shelf = new OneCrawl(parts)
  const { startDashboard } = await import('@avocet/dashboard')
  const dashboard = await startDashboard({ shelf, clock, ...address, ...(password !== undefined && { password }) })
  return { link: linkTo(dashboard, name), [Symbol.asyncDispose]: () => dashboard.close() }
}

/** The link with the view of a crawl: what follows # is kept when the token is taken. */
export function linkTo({ link }: Dashboard, name: string): string {
  return `${link}#/${encodeURIComponent(name)}/now`
}

/** The shelf with this crawl alone. */
class OneCrawl implements CrawlShelf {
  readonly #parts: CrawlPageParts
  #shown: Promise<ShownCrawl> | undefined

  constructor(parts: CrawlPageParts) {
    this.#parts = parts
  }

  /** As the view of the crawl has it: while the store is not open there is the scene alone. */
  async crawls(): Promise<readonly CrawlLine[]> {
    const { name: id, store, live } = this.#parts
    const line = { id, name: id, store: shownName(store), error: null }
    const shown = await this.crawl(id)
    if (shown !== undefined) {
      const [{ phase }, now] = [await shown.source.head(), await shown.source.now()]
      const { known, waiting, done, failed, items, hosts } = now
      return [{ ...line, phase, known, waiting, done, failed, items, hosts }]
    }
    const status = live?.().glance.status
    const { known = 0, waiting = 0, done = 0, failed = 0, items = 0, phase = 'opening', liveHosts: hosts = 0 } = status ?? {}
    return [{ ...line, phase, known, waiting, done, failed, items, hosts }]
  }

  async crawl(id: string): Promise<ShownCrawl | undefined> {
    if (id !== this.#parts.name || !this.#parts.isOpen()) return undefined
    return (this.#shown ??= this.#show())
  }

  async #show(): Promise<ShownCrawl> {
    const {
      name,
      store,
      config,
      clock: machine,
      crawlClock: clock = machine,
      folder,
      live,
      isOpen,
      reins,
      change,
      order,
    } = this.#parts
    const reader = await this.#parts.reader()
    const source = new WatchedCrawl({ name, store, reader, config, clock, folder, isOpen, ...(live && { live }) })
    const steering = new CrawlSteering({
      ...{ change, order, ...(reins && { reins }) },
      isOrderedToPause: () => source.isOrderedToPause,
      isCrawled: () => true,
      now: () => live?.().glance.status.now ?? clock.now(),
      changed: () => source.renew(),
    })
    return { source, steering }
  }
}
