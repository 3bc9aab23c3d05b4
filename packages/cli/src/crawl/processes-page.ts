// The page of a crawl that other processes of this command run: their scenes as one, and the store, which this process only reads.
import type { RunnableConfig } from '@avocet/core'
import type { Clock, FrontierReader } from '@avocet/core/store'
import type { Place } from '../place.ts'
import { orderIn } from '../control/order-in.ts'
import { storeKind } from '../store-kinds/store-kinds.ts'
import { openCrawlPage, type PageWish } from '../ui/crawl-page.ts'
import { SceneTape } from '../ui/scene-tape.ts'
import { writtenStore } from '../ui/written-store.ts'
import type { Scene } from '../view/scene.ts'
import { tellLink } from './tell-link.ts'

/** What is shown, and who does what is asked for. */
interface Processes {
  readonly wish: PageWish
  readonly config: RunnableConfig
  /** Address of the store. */
  readonly store: string
  readonly place: Place
  readonly isOpen: () => boolean
  readonly scene: () => Scene | undefined
  /** Undefined: resume. */
  readonly pause: (why: string | undefined) => void
  readonly stop: (now: boolean) => void
  readonly say: (line: string) => void
}

const SAMPLE_MS = 1_000

/** Begins to serve it, and says where. Throws AVO_USAGE. */
export async function openProcessesPage(processes: Processes): Promise<AsyncDisposable> {
  const { wish, config, store, place, isOpen, scene, pause, stop, say } = processes
  const { clock, folder } = place
  const tape = new SceneTape()
  let reader: FrontierReader | undefined
  const page = await openCrawlPage({
    ...{ wish, name: config.spider.name, store, config, clock, folder, isOpen, live: { scene, tape } },
    reader: async () => (reader = await (await storeKind(store)).reader(store)),
    reins: {
      status: () => scene()?.glance.status,
      resume: () => pause(undefined),
      stop,
    },
    order: async (control) => void (await orderIn(store, () => control, place)),
    withFrontier: writtenStore(store, place),
  })
  tellLink({ link: page.link, wish, say }, place)
  const samples = everySecond(clock, () => {
    const { status } = scene()?.glance ?? {}
    if (status) tape.take(status.now, status.run)
  })
  return {
    async [Symbol.asyncDispose]() {
      samples[Symbol.dispose]()
      await page[Symbol.asyncDispose]()
      await reader?.close()
    },
  }
}

/** Until it is disposed. */
function everySecond(clock: Clock, sample: () => void): Disposable {
  let timer: Disposable | undefined
  const next = (): void => {
    sample()
    timer = clock.at(clock.now() + SAMPLE_MS, next)
  }
  next()
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() }
}
