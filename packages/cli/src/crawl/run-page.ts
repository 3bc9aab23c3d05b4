// The page of a crawl that runs in this process: that of its store, with the crawl as it is; served from before the store opens until the crawl has ended.
import type { Crawl, RunnableConfig } from '@avocet/core'
import type { Frontier, Clock } from '@avocet/core/store'
import type { CrawlLine, CrawlShelf, ShownCrawl } from '@avocet/dashboard'
import { IN_MEMORY, shownName } from '@avocet/project/store'
import type { Place } from '@avocet/project/place'
import { changerBeside, changerWithin } from '../failed/given-up-change.ts'
import { linkTo, openPage, type PageWish } from '../ui/crawl-page.ts'
import { CrawlSteering } from '../ui/crawl-steering.ts'
import { WatchedCrawl } from '../ui/watched-crawl.ts'
import type { Scene } from '../view/scene.ts'
import { tellLink, UI_PASSWORD } from './shown-in.ts'

/** What a page is made from, beside the supervision. */
export interface PageOfRun {
  readonly run: Crawl
  /** Looks at it. */
  readonly look: () => Scene
  readonly say: (line: string) => void
}

/** What is served. */
interface Served {
  readonly ui: PageWish & { readonly store: string }
  readonly config: RunnableConfig
  readonly frontier: Frontier
  readonly place: Place
}

/** Begins to serve it, and says where. Throws AVO_USAGE. */
export async function openRunPage(served: Served, { say, ...run }: PageOfRun): Promise<AsyncDisposable> {
  const { ui, config, place } = served
  const page = await openPage(new RunningCrawl(served, run), ui, { option: UI_PASSWORD, ...place })
  tellLink({ link: linkTo(page, config.spider.name), wish: ui, say }, place)
  return { [Symbol.asyncDispose]: () => page.close() }
}

/** The shelf with this crawl alone. */
class RunningCrawl implements CrawlShelf {
  readonly #served: Served
  readonly #run: Crawl
  readonly #look: () => Scene
  #shown: ShownCrawl | undefined

  constructor(served: Served, { run, look }: Omit<PageOfRun, 'say'>) {
    this.#served = served
    this.#run = run
    this.#look = shared(look, served.place.clock)
    run.hooks.open.tap('ui', () => {
      this.#shown = this.#show()
    })
  }

  /** While the store is not open there is nothing to count. */
  async crawls(): Promise<readonly CrawlLine[]> {
    const { name: id } = this.#served.config.spider
    const { known, waiting, done, failed, items, phase } = this.#run.status()
    const { hosts = 0 } = (await this.#shown?.source.now()) ?? {}
    const store = shownName(this.#served.ui.store)
    return [{ id, name: id, store, phase, known, waiting, done, failed, items, hosts, error: null }]
  }

  async crawl(id: string): Promise<ShownCrawl | undefined> {
    return id === this.#served.config.spider.name ? this.#shown : undefined
  }

  #show(): ShownCrawl {
    const { ui, config, frontier, place } = this.#served
    const { clock: machine, folder } = place
    const { clock = machine } = config
    const run = this.#run
    const { name } = config.spider
    const source = new WatchedCrawl({ name, store: ui.store, reader: frontier.reader, config, clock, folder, live: this.#look })
    const steering = new CrawlSteering({
      reins: {
        status: () => run.status(),
        stop: (now) => (now ? run.abort() : run.stop()),
      },
      order: (control) => run.control(control),
      change: ui.store === IN_MEMORY ? changerWithin(run, frontier, clock) : changerBeside(ui.store, { ...place, clock }),
      isOrderedToPause: () => source.isOrderedToPause,
      isCrawled: () => true,
      now: () => run.status().now,
      changed: () => source.renew(),
    })
    return { source, steering }
  }
}

/** A scene is of now for so long. */
const SCENE_MS = 200

/** All open pages have one scene. */
function shared(look: () => Scene, clock: Clock): () => Scene {
  let last: { readonly scene: Scene; readonly at: number } | undefined
  return () => {
    const at = clock.monotonic()
    if (last === undefined || at - last.at >= SCENE_MS) last = { scene: look(), at }
    return last.scene
  }
}
