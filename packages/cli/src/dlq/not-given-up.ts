// Explains why a URL cannot be retried or dropped: what it is, or which one may have been meant.
import { didYouMean } from '@avocet/core/plugin'
import { AvocetError } from '@avocet/core'
import { DROPPED_PREFIX, type FrontierReader, type RequestRecord } from '@avocet/core/store'
import { commandName } from '@avocet/project/place'
import { CLASSES, lettersOf } from '../store/dead-letters.ts'
import type { DlqAction } from './dlq-words.ts'

/** Pages that are compared with a mistyped one, at most. */
const MAX_COMPARED = 10_000

/** What was asked for, of which URL, and what the store has of it. */
interface Asked {
  readonly action: DlqAction
  readonly url: string
  readonly record: RequestRecord | undefined
}

/** The error, AVO_USAGE. */
export async function notGivenUp(reader: FrontierReader, { action, url, record }: Asked): Promise<AvocetError> {
  const isProbed = record?.state === 'waiting' && (await reader.host(record.hostKey))?.retiredFor !== undefined
  const state = record && (isProbed ? 'waiting while its host, which was given up, is probed: try again later' : stateOf(record))
  const which = state === undefined ? `the store does not know${await near(reader, url)}` : `is ${state}`
  return new AvocetError(
    'AVO_USAGE',
    `dlq ${action}: expected the URL of a page that has failed, got ${url}, which ${which}; ${commandName()} dlq list shows them`,
  )
}

function stateOf({ state, notBefore, reason = '' }: RequestRecord): string {
  if (state === 'failed' && notBefore !== undefined) return 'failed, and due again'
  return reason.startsWith(DROPPED_PREFIX) ? 'dropped already' : state
}

async function near(reader: FrontierReader, url: string): Promise<string> {
  const urls: string[] = []
  for await (const { record } of lettersOf(reader, { classes: CLASSES })) {
    if (urls.push(record.url) === MAX_COMPARED) break
  }
  return didYouMean(url, urls)
}
