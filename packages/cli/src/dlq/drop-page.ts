// Drops one page that was given up.
import { historyOf } from '../store/known-url.ts'
import type { DroppedPages } from './drop-pages.ts'
import type { GivenUpStore, Listing } from './given-up-change.ts'
import { notGivenUp } from './not-given-up.ts'

/** Drops every request of `url` that was given up. Throws AVO_USAGE when there is none, with what there is. */
export async function dropPage(frontier: GivenUpStore, url: string, list: Listing): Promise<DroppedPages> {
  const { url: known, requests } = await historyOf(frontier.reader, url)
  const ids = requests.map(({ id }) => id)
  const limit = Math.max(1, ids.length)
  const pages = await frontier.drop({ ids, limit })
  const waiting = await frontier.drop({ ids, underRetired: true, limit })
  const dropped = { pages: pages + waiting, settled: waiting }
  await list(dropped)
  if (dropped.pages > 0) return { ...dropped, inUse: 0 }
  throw await notGivenUp(frontier.reader, { action: 'drop', url: known, record: requests[0] })
}
