// The page of a crawl that runs in this process: what it looks at, and what it may do.
import type { Crawl, RunnableConfig } from '@avocet/core'
import type { Frontier } from '@avocet/core/store'
import { IN_MEMORY } from '@avocet/project/store'
import type { Place } from '@avocet/project/place'
import { openCrawlPage, type PageWish } from '../ui/crawl-page.ts'
import { RunSight } from '../ui/run-sight.ts'
import { changerBeside, changerWithin } from '../dlq/given-up-change.ts'
import { tellLink } from './shown-in.ts'

/** The run, beside its supervision. */
interface Run {
  readonly run: Crawl
  readonly sinkName: (name: string) => string
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
export async function openRunPage(
  { ui, config, frontier, place }: Served,
  { run, sinkName, say }: Run,
): Promise<AsyncDisposable> {
  const { clock, folder } = place
  const { reader } = frontier
  const { clock: crawlClock = clock } = config
  const sight = new RunSight({ run, reader, config, clock, sinkName })
  const page = await openCrawlPage({
    ...{ wish: ui, name: config.spider.name, store: ui.store, config, clock, crawlClock, folder, live: sight },
    isOpen: () => sight.isOpen,
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
      sight[Symbol.dispose]()
      await page[Symbol.asyncDispose]()
    },
  }
}
