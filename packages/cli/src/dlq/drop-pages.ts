// Drops given-up pages by class or host: they are known, and neither listed nor retried any more.
import { atRest } from '@avocet/at-rest'
import { formatCountOf } from '@avocet/project/text'
import { failedIds, OPEN_CLASSES } from '../store/dead-letters.ts'
import {
  inBatches,
  inBatchesOf,
  type ChangedPages,
  type GivenUpQuery,
  type GivenUpStore,
  type Listing,
} from './given-up-change.ts'
import { notGivenUp } from './not-given-up.ts'

/** What was dropped; those that waited were not settled before. */
export interface DroppedPages extends ChangedPages {
  /** Pages that were left, because a process holds their hosts: it probes them, or finishes what was in flight. */
  readonly inUse: number
}

/** Drops failed pages, and those that wait under hosts that were given up. The hosts stay given up. Default: every class. */
export async function dropPages(
  frontier: GivenUpStore,
  { classes = OPEN_CLASSES, hostKey }: GivenUpQuery,
  list: Listing,
): Promise<DroppedPages> {
  const { reader } = frontier
  const ofHost = hostKey === undefined ? {} : { hostKey }
  const dropFailed = async (ids: readonly number[]): Promise<number> => {
    const pages = await frontier.change({ kind: 'drop', ids, limit: ids.length })
    await list({ pages, settled: 0 })
    return pages
  }
  const dropWaiting = async (limit: number): Promise<number> => {
    const pages = await frontier.change({ kind: 'drop', ...ofHost, underRetired: true, limit })
    await list({ pages, settled: pages })
    return pages
  }
  const failed = await inBatchesOf(failedIds(reader, { classes, ...ofHost }), dropFailed)
  if (!classes.includes('host-dead')) return { pages: failed, settled: 0, inUse: 0 }
  const waiting = await inBatches(dropWaiting, (await reader.counts()).retired)
  const host = hostKey === undefined ? undefined : await reader.host(hostKey)
  const left = hostKey === undefined ? (await reader.counts()).retired : host?.retiredFor === undefined ? 0 : host.waiting
  return { pages: failed + waiting, settled: waiting, inUse: left }
}

/** `; 3 pages skipped: …`, behind what was dropped; nothing where none was. */
export function skippedInWords(inUse: number): string {
  return inUse === 0 ? '' : `; ${formatCountOf(inUse, 'page')} skipped: a process is using their hosts; try again later`
}

// Drops one page that was given up.

/** Drops every request of `url` that was given up. Throws AVO_USAGE when there is none, with what there is. */
export async function dropPage(frontier: GivenUpStore, url: string, list: Listing): Promise<DroppedPages> {
  const { url: known, requests } = await (await atRest(frontier.reader)).requestsOf(url)
  const ids = requests.map(({ id }) => id)
  const limit = Math.max(1, ids.length)
  const pages = await frontier.change({ kind: 'drop', ids, limit })
  const waiting = await frontier.change({ kind: 'drop', ids, underRetired: true, limit })
  const dropped = { pages: pages + waiting, settled: waiting }
  await list(dropped)
  if (dropped.pages > 0) return { ...dropped, inUse: 0 }
  throw await notGivenUp(frontier.reader, { action: 'drop', url: known, record: requests[0] })
}
