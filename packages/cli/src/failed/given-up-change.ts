// Changes given-up pages in a store, and lists that among the orders of operators: of many pages, each batch before the next one begins, so that an
// interruption loses no finished batch.
import { Orders } from '@avocet/at-rest'
import type { Crawl } from '@avocet/core'
import type { Clock, Frontier } from '@avocet/core/store'
import type { Place } from '@avocet/project/place'
import { besideCrawl, type StoreBeside, type DeadLetterClass } from '@avocet/project/store'

/** Which given-up pages. */
export interface GivenUpQuery {
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
}

type GivenUpChange = Extract<Parameters<Crawl['control']>[0], { kind: 'given-up' }>

/** What was changed. */
export type ChangedPages = Pick<GivenUpChange, 'pages' | 'settled'>

/** Lists what was changed just now; nothing where that is nothing. */
export type Listing = (changed: ChangedPages) => Promise<void>

/** The part of a store that they are changed in. */
export type GivenUpStore = Pick<Frontier, 'reader' | 'change'>

/** What is done to given-up pages. `now`: epoch ms of the crawl's time. */
interface Change<Answer> {
  readonly done: GivenUpChange['done']
  work(frontier: GivenUpStore, list: Listing, now: number): Promise<Answer>
}

/** The same, and what is read once that is listed: a run that opens in between would count it twice. */
interface ToldChange<Answer, Told> extends Change<Answer> {
  tell(frontier: Frontier): Promise<Told>
}

/** Does it, and lists what was done. Throws AVO_FRONTIER_…. */
export type Changer = <Answer>(change: Change<Answer>) => Promise<Answer>

/** Changed in one transaction. */
const BATCH = 10_000

/** In the store at `path`, opened beside its crawl for each change: the crawl hears of it as of any other process's change. */
export function changerBeside(path: string, place: Pick<Place, 'clock' | 'stderr'>): Changer {
  return (change) => besideCrawl(path, place, (store) => changedIn(store, change, place))
}

/** A change of a command, which says what is left. */
export function changedBeside<Answer extends object, Told extends object>(
  path: string,
  change: ToldChange<Answer, Told>,
  place: Pick<Place, 'clock' | 'stderr'>,
): Promise<Answer & Told> {
  return besideCrawl(path, place, async (store) => ({
    ...(await changedIn(store, change, place)),
    ...(await change.tell(store.frontier)),
  }))
}

function changedIn<Answer>(
  { frontier, aheadMs, now }: StoreBeside,
  { done, work }: Change<Answer>,
  { clock }: Pick<Place, 'clock'>,
): Promise<Answer> {
  return listed(
    (list) => work(frontier, list, now),
    async (changed) => void (await Orders.give(frontier, { kind: 'given-up', done, ...changed }, clock.now() + aheadMs)),
  )
}

/** In the store of a run that only this process can reach. */
export function changerWithin(run: Pick<Crawl, 'control'>, frontier: Frontier, clock: Pick<Clock, 'now'>): Changer {
  return ({ done, work }) =>
    listed(
      (list) => work(frontier, list, clock.now()),
      (changed) => run.control({ kind: 'given-up', done, ...changed }),
    )
}

/** Has `note` called with what `work` lists: as one change, unless it is a large one. */
async function listed<Answer>(work: (list: Listing) => Promise<Answer>, note: Listing): Promise<Answer> {
  let unlisted: ChangedPages = { pages: 0, settled: 0 }
  const noteAll = async (): Promise<void> => {
    const changed = unlisted
    if (changed.pages === 0) return
    await note(changed)
    // Listed now; what cannot be listed is tried once more at the end.
    unlisted = { pages: unlisted.pages - changed.pages, settled: unlisted.settled - changed.settled }
  }
  try {
    return await work(async ({ pages, settled }) => {
      unlisted = { pages: unlisted.pages + pages, settled: unlisted.settled + settled }
      if (unlisted.pages >= BATCH) await noteAll()
    })
  } finally {
    await noteAll()
  }
}

/** Makes a call that changes `limit` pages at most until it finds none, or has changed `most`: a crawl may find more meanwhile. Returns how many it changed. */
export async function inBatches(change: (limit: number) => Promise<number>, most: number): Promise<number> {
  let pages = 0
  // One that is not full is not the last: a store leaves out what another process has changed meanwhile.
  for (let count = -1; count !== 0 && pages < most; pages += count) count = await change(Math.min(BATCH, most - pages))
  return pages
}

/** Makes a call for these pages, so many at once; returns how many it changed in all. */
export async function inBatchesOf(
  ids: AsyncIterable<number>,
  change: (some: readonly number[]) => Promise<number>,
): Promise<number> {
  let pages = 0
  let some: number[] = []
  for await (const id of ids) {
    if (some.push(id) < BATCH) continue
    pages += await change(some)
    some = []
  }
  return some.length === 0 ? pages : pages + (await change(some))
}
