// Given-up pages of some classes wait again, and their hosts are revived: what `avocet dlq retry` and the page do without a URL.
import { atRest } from '@avocet/at-rest'
import type { HostRecord, RequestRecord } from '@avocet/core/store'
import { failedIds, HEALING, retiredHosts } from '../store/dead-letters.ts'
import { inBatchesOf, type ChangedPages, type GivenUpQuery, type GivenUpStore, type Listing } from './given-up-change.ts'
import { notGivenUp } from './not-given-up.ts'

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
    const pages = await frontier.change({ kind: 'reopen', ids, limit: ids.length })
    await list({ pages, settled: -pages })
    return pages
  })
  for (const host of dead) await frontier.change({ kind: 'revive', hostKey: host.hostKey })
  const waiting = dead.reduce((sum, host) => sum + host.waiting, 0)
  await list({ pages: waiting, settled: 0 })
  const pages = waiting + failed
  return { pages, settled: -failed, revived: dead.length, underDead: pages > 0 && (await reader.counts()).retired > 0 }
}

// `avocet dlq retry URL`: one page that was given up, or taken for gone, waits again; its host is revived.

/** What was opened again. */
interface ReopenedPage extends ChangedPages {
  readonly revived: number
}

interface Reopening {
  readonly list: Listing
  /** Epoch ms of the crawl's time. */
  readonly now: number
}

/** Opens every request of `url` that was given up. Throws AVO_USAGE when there is none, with what there is. */
export async function reopenPage(frontier: GivenUpStore, url: string, { list, now }: Reopening): Promise<ReopenedPage> {
  const { reader } = frontier
  const { url: known, requests: records } = await (await atRest(reader)).requestsOf(url)
  const retired = new Set<string>()
  for (const { hostKey } of records) if ((await reader.host(hostKey))?.retiredFor !== undefined) retired.add(hostKey)
  // One that is due is about to be visited, or is being visited: another process may have it.
  const isDue = ({ notBefore }: RequestRecord): boolean => notBefore !== undefined && notBefore <= now
  const failed = records.filter((record) => record.state === 'failed' && !isDue(record))
  // Moved for good: a visit finds out whether it is back.
  const moved = records.filter(({ state, gone, notBefore }) => state === 'moved' && gone === true && notBefore === undefined)
  // What waits, or is due again at some moment, waits for its host.
  const waiting = records.filter(
    (record) =>
      retired.has(record.hostKey) &&
      !failed.includes(record) &&
      !moved.includes(record) &&
      (record.state === 'waiting' || record.notBefore !== undefined),
  )
  if (failed.length + moved.length + waiting.length === 0)
    throw await notGivenUp(reader, { action: 'retry', url: known, record: records[0] })
  const reopened =
    failed.length === 0 ? 0 : await frontier.change({ kind: 'reopen', ids: failed.map(({ id }) => id), limit: failed.length })
  if (moved.length > 0) await frontier.change({ kind: 'revisit', wanted: moved.map(({ id }) => ({ id, at: now })) })
  for (const hostKey of retired) await frontier.change({ kind: 'revive', hostKey })
  const changed = { pages: reopened + moved.length + waiting.length, settled: -reopened }
  await list(changed)
  return { ...changed, revived: retired.size }
}
