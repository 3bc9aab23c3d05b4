// Changes given-up pages in a store, and lists that among the orders of operators.
import type { Crawl } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'
import { listGivenUpChange, type DeadLetterClass, type GivenUpChange } from '@avocet/core/tools'
import type { Place } from '../place.ts'
import { besideCrawl } from '../store/open-store.ts'

/** Which given-up pages. */
export interface GivenUpQuery {
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
}

/** What was changed. */
export type ChangedPages = Pick<GivenUpChange, 'pages' | 'settled'>

/** What is done to given-up pages. `now`: epoch ms of the crawl's time. */
interface Change<Answer extends ChangedPages> {
  readonly done: GivenUpChange['done']
  work(frontier: Frontier, now: number): Promise<Answer>
}

/** Does it, and lists what was done. Throws AVO_FRONTIER_…. */
export type Changer = <Answer extends ChangedPages>(change: Change<Answer>) => Promise<Answer>

/** Changed in one transaction. */
const BATCH = 10_000

/** In the store at `path`, opened beside its crawl for each change: the crawl hears of it as of any other process's change. */
export function changerBeside(path: string, place: Pick<Place, 'clock' | 'stderr'>): Changer {
  return ({ done, work }) =>
    besideCrawl(path, place, async ({ frontier, info: { crawlMemories }, now }) => {
      const answer = await work(frontier, now)
      const { pages, settled } = answer
      if (pages > 0) await listGivenUpChange(frontier, { crawlMemories, now }, { kind: 'given-up', done, pages, settled })
      return answer
    })
}

/** In the store of a run that only this process can reach. */
export function changerWithin(
  run: Pick<Crawl, 'withStore' | 'listGivenUpChange'>,
  frontier: Frontier,
  clock: Pick<Clock, 'now'>,
): Changer {
  return async ({ done, work }) => {
    const answer = await run.withStore('given-up pages', () => work(frontier, clock.now()))
    const { pages, settled } = answer
    if (pages > 0) await run.listGivenUpChange({ kind: 'given-up', done, pages, settled })
    return answer
  }
}

/** Makes a call that changes `limit` pages at most until there is nothing left to change; returns how many it changed in all. */
export async function inBatches(change: (limit: number) => Promise<number>): Promise<number> {
  let pages = 0
  for (let count = BATCH; count === BATCH; pages += count) count = await change(BATCH)
  return pages
}
