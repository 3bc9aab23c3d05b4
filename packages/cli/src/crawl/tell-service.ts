// Tells the service manager, where there is one, of a crawl in this process.
import type { Crawl } from '@avocet/core'
import { StallWatch } from '../notify/stall-watch.ts'
import type { Place } from '../place.ts'
import type { CrawlWatcher } from '../view/crawl-watcher.ts'
import { progressLine } from '../view/frame.ts'

/** From its opening on: that it is ready, and how it is. Until disposed. */
export function tellService(
  crawl: Crawl,
  watcher: Pick<CrawlWatcher, 'look'>,
  { service, clock }: Pick<Place, 'service' | 'clock'>,
): Disposable | undefined {
  if (service === undefined) return undefined
  const stalls = new StallWatch()
  // After the plugins: one of them may keep it from beginning.
  crawl.hooks.open.tap({ name: 'service', stage: Infinity }, () => service.ready())
  return service.watch({
    status: () => progressLine(watcher.look(0)),
    isWell: () => !stalls.isStalled(crawl.status(), clock.monotonic()),
  })
}
