// Given-up pages of some classes wait again, and their hosts are revived: what `avocet dlq retry` and the page do without a URL.
import type { HostRecord } from '@avocet/core/store'
import { failedIds, HEALING, retiredHosts } from '../store/dead-letters.ts'
import { inBatchesOf, type ChangedPages, type GivenUpQuery, type GivenUpStore, type Listing } from './given-up-change.ts'

/** What was opened again; of the pages, those that were settled are no longer. */
export interface ReopenedPages extends ChangedPages {
  readonly revived: number
  /** Whether there are still pages under hosts that were given up. */
  readonly underDead: boolean
}

/** Opens failed requests again, and revives hosts. What waited under those counts, too. Default: the classes of temporary failures. */
export async function reopenPages(
  frontier: GivenUpStore,
  { classes = HEALING, hostKey }: GivenUpQuery,
  list: Listing,
): Promise<ReopenedPages> {
  const { reader } = frontier
  const dead: HostRecord[] = []
  if (classes.includes('host-dead')) for await (const host of retiredHosts(reader, hostKey)) dead.push(host)
  const failed = await inBatchesOf(failedIds(reader, { classes, ...(hostKey !== undefined && { hostKey }) }), async (ids) => {
    const pages = await frontier.reopen({ ids, limit: ids.length })
    await list({ pages, settled: -pages })
    return pages
  })
  for (const host of dead) await frontier.revive(host.hostKey)
  const waiting = dead.reduce((sum, host) => sum + host.waiting, 0)
  await list({ pages: waiting, settled: 0 })
  const pages = waiting + failed
  return { pages, settled: -failed, revived: dead.length, underDead: pages > 0 && (await reader.counts()).retired > 0 }
}
