// Tells the service manager, where there is one, of a crawl in this process.
import type { Crawl } from '@avocet/core'
import type { CrawlStatus } from '@avocet/core/tools'
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

// Whether a crawl stands still although it could go on: what a watchdog is for, beside an event loop that hangs.
//
// Many crawls that do nothing are healthy: one that is paused, by its user, its store or its network; one whose hosts all wait for their next round, a delay
// or a Retry-After; one that waits for an answer, which has its own time limits. What is left is a host with something to do that nothing holds, while
// nothing is in flight and nothing is counted any more. That must not last, so ten minutes of it are a defect of ours, and a restart resumes.

/** How long it may last. */
const STALL_MS = 600_000

/** Looked at from time to time. */
export class StallWatch {
  #counts = ''
  #sinceMs = 0

  /** `monotonicMs`: of the machine. */
  isStalled(status: CrawlStatus, monotonicMs: number): boolean {
    const counts = JSON.stringify(status.run)
    if (counts === this.#counts && couldGoOn(status)) return monotonicMs - this.#sinceMs >= STALL_MS
    this.#counts = counts
    this.#sinceMs = monotonicMs
    return false
  }
}

function couldGoOn({ phase, inFlight, handlersRunning, hosts, now }: CrawlStatus): boolean {
  if (phase !== 'running' || inFlight > 0 || handlersRunning > 0) return false
  return hosts.some(({ waiting, hold }) => waiting > 0 && (hold === undefined || hold.until <= now))
}
