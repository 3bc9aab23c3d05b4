// The page of a crawl that other processes of this command run: what they show, tell and answer as one, and the store, which this process only reads.
import type { RunnableConfig } from '@avocet/core'
import type { Clock, FrontierReader } from '@avocet/core/store'
import type { Place } from '../place.ts'
import { orderIn } from '../control/order-in.ts'
import type { FromWorker, ToWorker } from '../processes/process-messages.ts'
import { storeKind } from '../store-kinds/store-kinds.ts'
import { openCrawlPage, type PageWish } from '../ui/crawl-page.ts'
import { FellowSight } from '../ui/fellow-sight.ts'
import { changerBeside } from '../dlq/given-up-change.ts'
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
  /** To one worker. */
  readonly send: (message: ToWorker, number: number) => void
  /** Undefined: resume. */
  readonly pause: (why: string | undefined) => void
  readonly stop: (now: boolean) => void
  readonly say: (line: string) => void
}

/** The page, which is told what the workers say. */
export interface ProcessesPage extends AsyncDisposable {
  heard(number: number, message: FromWorker): void
  died(number: number): void
}

/** A rate needs several looks, also while no page is open. */
const LOOK_MS = 2_000

/** Begins to serve it, and says where. Throws AVO_USAGE. */
export async function openProcessesPage(processes: Processes): Promise<ProcessesPage> {
  const { wish, config, store, place, isOpen, scene, send, pause, stop, say } = processes
  const { clock, folder } = place
  const sight = new FellowSight({ clock, scene, send })
  let reader: FrontierReader | undefined
  const page = await openCrawlPage({
    ...{ wish, name: config.spider.name, store, config, clock, folder, isOpen, live: sight },
    reader: async () => (reader = await (await storeKind(store)).reader(store)),
    reins: {
      status: () => scene()?.glance.status,
      resume: () => pause(undefined),
      stop,
    },
    order: async (control) => void (await orderIn(store, () => control, place)),
    change: changerBeside(store, place),
  })
  tellLink({ link: page.link, wish, say }, place)
  const looks = again(clock, () => void scene())
  return {
    heard: (number, message) => sight.heard(number, message),
    died: (number) => sight.died(number),
    async [Symbol.asyncDispose]() {
      looks[Symbol.dispose]()
      await page[Symbol.asyncDispose]()
      await reader?.close()
    },
  }
}

/** Until it is disposed. */
function again(clock: Clock, look: () => void): Disposable {
  let timer: Disposable | undefined
  const next = (): void => {
    look()
    timer = clock.at(clock.now() + LOOK_MS, next)
  }
  next()
  return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() }
}
