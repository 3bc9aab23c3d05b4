// `avocet dlq retry URL`: one page that was given up, or taken for gone, waits again; its host is revived.
import type { RequestRecord } from '@avocet/core/store'
import { wasGone } from '@avocet/core/tools'
import { historyOf } from '../store/known-url.ts'
import type { ChangedPages, GivenUpStore, Listing } from './given-up-change.ts'
import { notGivenUp } from './not-given-up.ts'

/** What was opened again. */
export interface ReopenedPage extends ChangedPages {
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
  const { url: known, requests: records } = await historyOf(reader, url)
  const retired = new Set<string>()
  for (const { hostKey } of records) if ((await reader.host(hostKey))?.retiredFor !== undefined) retired.add(hostKey)
  // One that is due is about to be visited, or is being visited: another process may have it.
  const isDue = ({ notBefore }: RequestRecord): boolean => notBefore !== undefined && notBefore <= now
  const failed = records.filter((record) => record.state === 'failed' && !isDue(record))
  // Moved for good: a visit finds out whether it is back.
  const moved = records.filter((record) => record.state === 'moved' && wasGone(record))
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
  const reopened = failed.length === 0 ? 0 : await frontier.reopen({ ids: failed.map(({ id }) => id), limit: failed.length })
  if (moved.length > 0) await frontier.revisit(moved.map(({ id }) => ({ id, at: now })))
  for (const hostKey of retired) await frontier.revive(hostKey)
  const changed = { pages: reopened + moved.length + waiting.length, settled: -reopened }
  await list(changed)
  return { ...changed, revived: retired.size }
}
