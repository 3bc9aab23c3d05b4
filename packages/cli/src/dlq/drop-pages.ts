// Drops given-up pages: they are known, and neither listed nor retried any more.
import type { DropQuery, Frontier } from '@avocet/core/store'
import type { DeadLetterClass } from '@avocet/core/tools'
import { OPEN_CLASSES, reasonsOf } from '../store/dead-letters.ts'
import { historyOf } from '../store/known-url.ts'
import { notGivenUp } from './not-given-up.ts'

/** Dropped in one transaction. */
const BATCH = 10_000

/** Which pages. */
export interface DropWish {
  /** Default: every class. */
  readonly classes?: readonly DeadLetterClass[]
  readonly hostKey?: string
}

/** What was dropped. */
export interface DroppedPages {
  readonly pages: number
  /** Of them, those that waited. */
  readonly settled: number
  /** Pages that were left, because a process holds their hosts: it probes them, or finishes what was in flight. */
  readonly inUse: number
}

/** Drops failed pages, and those that wait under hosts that were given up. The hosts stay given up. */
export async function dropPages(frontier: Frontier, { classes = OPEN_CLASSES, hostKey }: DropWish): Promise<DroppedPages> {
  const { reader } = frontier
  const ofHost = hostKey === undefined ? {} : { hostKey }
  const reasons = await reasonsOf(reader, classes)
  const failed = reasons.length === 0 ? 0 : await dropAll(frontier, { ...ofHost, reasons })
  if (!classes.includes('host-dead')) return { pages: failed, settled: 0, inUse: 0 }
  const waiting = await dropAll(frontier, { ...ofHost, underRetired: true })
  const host = hostKey === undefined ? undefined : await reader.host(hostKey)
  const left = hostKey === undefined ? (await reader.counts()).retired : host?.retiredFor === undefined ? 0 : host.waiting
  return { pages: failed + waiting, settled: waiting, inUse: left }
}

type Narrowed = Omit<DropQuery, 'limit' | 'reasons' | 'underRetired'> &
  (
    | { readonly reasons: readonly string[]; readonly underRetired?: undefined }
    | { readonly underRetired: true; readonly reasons?: undefined }
  )

async function dropAll(frontier: Frontier, query: Narrowed): Promise<number> {
  let pages = 0
  for (let count = BATCH; count === BATCH; pages += count) count = await frontier.drop({ ...query, limit: BATCH })
  return pages
}

/** Drops every request of `url` that was given up. Throws AVO_USAGE when there is none, with what there is. */
export async function dropPage(frontier: Frontier, url: string): Promise<DroppedPages> {
  const { url: known, requests } = await historyOf(frontier.reader, url)
  const ids = requests.map(({ id }) => id)
  const limit = Math.max(1, ids.length)
  const pages = await frontier.drop({ ids, limit })
  const waiting = await frontier.drop({ ids, underRetired: true, limit })
  if (pages + waiting > 0) return { pages: pages + waiting, settled: waiting, inUse: 0 }
  throw await notGivenUp(frontier.reader, { action: 'drop', url: known, record: requests[0] })
}
