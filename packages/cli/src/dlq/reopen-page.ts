// `avocet dlq retry URL`: one page that was given up, or taken for gone, waits again; its host is revived.
import { AvocetError } from '@avocet/core'
import type { Frontier, FrontierReader, RequestRecord } from '@avocet/core/store'
import { closest, wasGone } from '@avocet/core/tools'
import { CLASSES, lettersOf } from '../store/dead-letters.ts'
import { historyOf } from '../store/known-url.ts'
import { commandName } from '../text/command-line.ts'

/** Pages that are compared with a mistyped one, at most. */
const MAX_COMPARED = 10_000

/** What was opened again. */
export interface ReopenedPage {
  readonly reopened: number
  readonly revived: number
}

/** Opens every request of `url` that was given up. Throws AVO_USAGE when there is none, with what there is. */
export async function reopenPage(frontier: Frontier, url: string, now: number): Promise<ReopenedPage> {
  const { reader } = frontier
  const { url: known, requests: records } = await historyOf(reader, url)
  const retired = new Set<string>()
  for (const { hostKey } of records) if ((await reader.host(hostKey))?.retiredFor !== undefined) retired.add(hostKey)
  const failed = records.filter(({ state }) => state === 'failed')
  // Moved for good: a visit finds out whether it is back.
  const moved = records.filter((record) => record.state === 'moved' && wasGone(record))
  // What waits, or is due again at some moment, waits for its host.
  const waiting = records.filter(
    (record) =>
      retired.has(record.hostKey) &&
      record.state !== 'failed' &&
      !moved.includes(record) &&
      (record.state === 'waiting' || record.notBefore !== undefined),
  )
  if (failed.length + moved.length + waiting.length === 0) throw await nothing(reader, known, records)
  const reopened = failed.length === 0 ? 0 : await frontier.reopen({ ids: failed.map(({ id }) => id), limit: failed.length })
  if (moved.length > 0) await frontier.revisit(moved.map(({ id }) => ({ id, at: now })))
  for (const hostKey of retired) await frontier.revive(hostKey)
  return { reopened: reopened + moved.length + waiting.length, revived: retired.size }
}

async function nothing(reader: FrontierReader, url: string, [record]: readonly RequestRecord[]): Promise<AvocetError> {
  const which = record === undefined ? `, which the store does not know${await near(reader, url)}` : `, which is ${record.state}`
  return new AvocetError(
    'AVO_USAGE',
    `dlq retry: expected the URL of a page that was given up, got ${url}${which}; ${commandName()} dlq list shows them`,
  )
}

async function near(reader: FrontierReader, url: string): Promise<string> {
  const urls: string[] = []
  for await (const { record } of lettersOf(reader, { classes: CLASSES })) {
    if (urls.push(record.url) === MAX_COMPARED) break
  }
  const meant = closest(url, urls)
  return meant === undefined ? '' : ` (did you mean '${meant}'?)`
}
