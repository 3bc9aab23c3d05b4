// Has the supervisor of a crawl hear of an order to stop, as its processes do: one that dies meanwhile is then not started again, and one that was just started
// is told.
import { controlsIn } from '@avocet/core/tools'
import type { Clock, FrontierReader } from '@avocet/core/store'
import type { Crew } from '../processes/crew.ts'
import { storeKind } from '../store-kinds/store-kinds.ts'

const LOOK_MS = 500

/** When the run began, epoch ms: an older order was for a run before it. The crew ends. */
interface Watched {
  readonly path: string
  readonly startedAt: number
  readonly crew: Pick<Crew, 'hasOpened' | 'stop'>
}

/** Looks twice a second, until it is disposed. What cannot be read is looked at again: the processes say what is wrong with their store. */
export function whenStopOrdered({ path, startedAt, crew }: Watched, clock: Clock): AsyncDisposable {
  let reader: FrontierReader | undefined
  let heard = startedAt
  let timer: Disposable | undefined
  let looking: Promise<void> = Promise.resolve()
  let isOver = false
  const look = async (): Promise<void> => {
    if (!crew.hasOpened) return
    reader ??= await (await storeKind(path)).reader(path)
    const { stop: ordered } = controlsIn(await reader.crawlMemories())
    if (isOver || ordered === undefined || ordered.at <= heard) return
    heard = ordered.at
    crew.stop({ kind: ordered.value === 'now' ? 'abort' : 'stop' })
  }
  const next = (): void => {
    timer = clock.at(clock.now() + LOOK_MS, () => {
      looking = look()
        .catch(() => undefined)
        .finally(() => isOver || next())
    })
  }
  next()
  return {
    async [Symbol.asyncDispose]() {
      isOver = true
      timer?.[Symbol.dispose]()
      await looking
      await reader?.close().catch(() => undefined)
    },
  }
}
