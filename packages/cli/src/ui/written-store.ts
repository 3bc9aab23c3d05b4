// The store of a crawl, opened beside the crawl to be written to: the crawl hears of what is changed as of any other process's change.
import type { Place } from '../place.ts'
import { openedAsItIs } from '../store/open-store.ts'
import type { WithFrontier } from './crawl-steering.ts'

/** Opens the store at `path` for each piece of work. */
export function writtenStore(path: string, { clock, stderr }: Pick<Place, 'clock' | 'stderr'>): WithFrontier {
  return async (work) => {
    const { frontier, info } = await openedAsItIs(path, clock.now(), { stderr })
    try {
      return await work(frontier, clock.now() + (info.aheadMs ?? 0))
    } finally {
      await frontier.close()
    }
  }
}
