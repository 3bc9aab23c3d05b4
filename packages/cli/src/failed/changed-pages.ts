// Given-up pages of some classes wait again, and their hosts are revived, or they are dropped: what `avocet failed retry` and `drop` and the page do.
import { atRest } from '@avocet/at-rest'
import { AvocetError } from '@avocet/core'
import { didYouMean } from '@avocet/core/plugin'
import { requestLaws, type FrontierReader, type HostRecord, type RequestRecord } from '@avocet/core/store'
import { commandName } from '@avocet/project/place'
import { formatCountOf } from '@avocet/project/text'
import { CLASSES, failedIds, HEALING, lettersOf, OPEN_CLASSES, retiredHosts } from '../store/dead-letters.ts'
import type { FailedAction } from './failed-words.ts'
import { inBatches, inBatchesOf } from './given-up-change.ts'
import type { ChangedPages, GivenUpQuery, GivenUpStore, Listing } from './given-up-change.ts'

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

// `avocet failed retry URL`: one page that was given up, or taken for gone, waits again; its host is revived.

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
  for (const { hostKey } of records) if ((await reader.hosts({ hostKey }))[0]?.retiredFor !== undefined) retired.add(hostKey)
  // One that is due is about to be visited, or is being visited: another process may have it.
  const isDue = ({ notBefore }: RequestRecord): boolean => notBefore !== undefined && notBefore <= now
  const failed = records.filter((record) => record.state === 'failed' && !isDue(record))
  // Moved for good: a visit finds out whether it is back.
  const moved = records.filter((record) => record.state === 'moved' && record.gone === true && !isDue(record))
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

// Explains why a URL cannot be retried or dropped: what it is, or which one may have been meant.

/** Pages that are compared with a mistyped one, at most. */
const MAX_COMPARED = 10_000

/** What was asked for, of which URL, and what the store has of it. */
interface Asked {
  readonly action: FailedAction
  readonly url: string
  readonly record: RequestRecord | undefined
}

/** The error, AVO_USAGE. */
async function notGivenUp(reader: FrontierReader, { action, url, record }: Asked): Promise<AvocetError> {
  const isProbed = record?.state === 'waiting' && (await reader.hosts({ hostKey: record.hostKey }))[0]?.retiredFor !== undefined
  const state = record && (isProbed ? 'waiting while its host, which was given up, is probed: try again later' : stateOf(record))
  const which = state === undefined ? `the store does not know${await near(reader, url)}` : `is ${state}`
  return new AvocetError(
    'AVO_USAGE',
    `failed ${action}: expected the URL of a page that has failed, got ${url}, which ${which}; ${commandName()} failed list shows them`,
  )
}

function stateOf({ state, notBefore, reason = '' }: RequestRecord): string {
  if ((state === 'failed' || state === 'moved') && notBefore !== undefined) return 'visited again by itself when it is due'
  return reason.startsWith(requestLaws.DROPPED_PREFIX) ? 'dropped already' : state
}

async function near(reader: FrontierReader, url: string): Promise<string> {
  const urls: string[] = []
  for await (const { record } of lettersOf(reader, { classes: CLASSES })) {
    if (urls.push(record.url) === MAX_COMPARED) break
  }
  return didYouMean(url, urls)
}

// Drops given-up pages by class or host: they are known, and neither listed nor retried any more.

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
  const host = hostKey === undefined ? undefined : (await reader.hosts({ hostKey }))[0]
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
