// The page of a crawl that other processes of this command run: what their store says, which this process only reads.
import type { RunnableConfig } from '@avocet/core'
import type { FrontierReader } from '@avocet/core/store'
import type { Place } from '@avocet/project/place'
import { storeKind } from '@avocet/project/store'
import { orderIn } from '../control/order-in.ts'
import { changerBeside } from '../dlq/given-up-change.ts'
import { openCrawlPage, type PageWish } from '../ui/crawl-page.ts'
import { tellLink } from './shown-in.ts'

/** What is shown, and who does what is asked for. */
interface Processes {
  readonly wish: PageWish
  readonly config: RunnableConfig
  /** Address of the store. */
  readonly store: string
  readonly place: Place
  readonly isOpen: () => boolean
  readonly say: (line: string) => void
}

/** Begins to serve it, and says where. Throws AVO_USAGE. */
export async function openProcessesPage({ config, place, say, ...processes }: Processes): Promise<AsyncDisposable> {
  const { wish, store } = processes
  const { clock, folder } = place
  let reader: FrontierReader | undefined
  const page = await openCrawlPage({
    ...{ ...processes, name: config.spider.name, config, clock, folder },
    reader: async () => (reader = await (await storeKind(store)).reader(store)),
    order: async (control) => void (await orderIn(store, () => control, place)),
    change: changerBeside(store, place),
  })
  tellLink({ link: page.link, wish, say }, place)
  return {
    async [Symbol.asyncDispose]() {
      await page[Symbol.asyncDispose]()
      await reader?.close()
    },
  }
}
