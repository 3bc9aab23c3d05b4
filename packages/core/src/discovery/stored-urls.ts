// Looks through the URLs of a store, in turns of the event loop and within a bound: for what a run is to say about those that earlier runs left.
import type { FrontierReader } from '../frontier-reader.ts'
import { COST, type LoopBudget } from '../process/loop-budget.ts'

const AT_ONCE = 1_000
/** A second or two in all; a step of the loop for each page of them. */
export const MAX_LOOKED_AT = 200_000

/** Where the URLs are. */
export interface StoredUrls {
  readonly reader: Pick<FrontierReader, 'requests'>
  readonly loop: Pick<LoopBudget, 'room'>
}

/** How many of the URLs `isMeant` says yes to; `isAll`: none was left out. */
export async function countUrls(
  { reader, loop }: StoredUrls,
  isMeant: (url: string) => boolean,
): Promise<{ readonly urls: number; readonly isAll: boolean }> {
  let urls = 0
  let lookedAt = 0
  let afterId = 0
  let some = AT_ONCE
  for (; some === AT_ONCE && lookedAt < MAX_LOOKED_AT; lookedAt += some) {
    // A store may answer at once, and then all of it would be one turn of the loop.
    await loop.room(COST.step)
    const requests = await reader.requests({ afterId, limit: AT_ONCE })
    for (const { url } of requests) if (isMeant(url)) urls++
    some = requests.length
    afterId = requests.at(-1)?.id ?? afterId
  }
  return { urls, isAll: some < AT_ONCE }
}
