// The page of a crawl that runs in this process: what it looks at, and what it may do.
import type { Crawl, RunnableConfig } from '@avocet/core'
import type { Frontier, Clock } from '@avocet/core/store'
import { IN_MEMORY } from '@avocet/project/store'
import type { Place } from '@avocet/project/place'
import { openCrawlPage, type PageWish } from '../ui/crawl-page.ts'
import { changerBeside, changerWithin } from '../dlq/given-up-change.ts'
import type { Scene } from '../view/scene.ts'
import { tellLink } from './shown-in.ts'

/** The run, beside its supervision. */
interface Run {
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
export async function openRunPage({ ui, config, frontier, place }: Served, { run, look, say }: Run): Promise<AsyncDisposable> {
  const { clock, folder } = place
  const { reader } = frontier
  const { clock: crawlClock = clock } = config
  let isOpen = false
  run.hooks.open.tap('ui', () => {
    isOpen = true
  })
  const page = await openCrawlPage({
    ...{ wish: ui, name: config.spider.name, store: ui.store, config, clock, crawlClock, folder, live: shared(look, clock) },
    isOpen: () => isOpen,
    reader: () => reader,
    reins: {
      status: () => run.status(),
      stop: (now) => (now ? run.abort() : run.stop()),
    },
    order: (control) => run.control(control),
    change:
      ui.store === IN_MEMORY
        ? changerWithin(run, frontier, crawlClock)
        : changerBeside(ui.store, { ...place, clock: crawlClock }),
  })
  tellLink({ link: page.link, wish: ui, say }, place)
  return {
    async [Symbol.asyncDispose]() {
      isOpen = false
      await page[Symbol.asyncDispose]()
    },
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
