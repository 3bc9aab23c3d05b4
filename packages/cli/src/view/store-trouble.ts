// Says in one line that a crawl waits for its store, and in another that it goes on: also before there is a view, and where none is drawn.
import type { Clock, Crawl } from '@avocet/core'
import { printable } from '../text/printable.ts'
import { formatDuration } from '../text/quantity.ts'

/** How often to look. */
const LOOK_MS = 250

/** Watches `crawl` until disposed. */
export function tellStoreTrouble(crawl: Pick<Crawl, 'status'>, clock: Clock, say: (line: string) => void): Disposable {
  let since: number | undefined
  const look = (): void => {
    const { pausedBy, pausedFor = '' } = crawl.status()
    const now = clock.now()
    if (pausedBy === 'store' && since === undefined) {
      since = now
      say(`paused: ${printable(pausedFor)}`)
    } else if (pausedBy !== 'store' && since !== undefined) {
      say(`the store can be used again after ${formatDuration(now - since)}: going on`)
      since = undefined
    }
    timer = clock.at(now + LOOK_MS, look)
  }
  let timer = clock.at(clock.now() + LOOK_MS, look)
  return { [Symbol.dispose]: () => timer[Symbol.dispose]() }
}
