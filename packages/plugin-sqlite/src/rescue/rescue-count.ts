// What the damaged store said that it had, what the new one has, and the difference by kind.
import { CANONICALISATION } from '@avocet/core/store'
import type { Database } from '../file/driver.ts'
import type { FoundSpec } from './sound-requests.ts'
import type { Staged } from './staging.ts'

/** Counts of the new store. */
export interface RescuedCount {
  readonly requests: number
  readonly settled: number
  readonly waiting: number
  readonly items: number
  readonly hosts: number
}

/** Counts of what is lost. */
export interface LostCount {
  /** URLs; they come back when the pages that link to them are requested again. */
  readonly requests: number
  /** Outcomes of requests that are still there: these are requested again. */
  readonly outcomes: number
  /** They come back with their pages, unless the pages have changed. */
  readonly items: number
  readonly hosts: number
  /** Hosts whose memory is lost: rate, circuit, timeouts. */
  readonly memories: number
}

/** What reading found. */
export interface Found {
  /** Undefined when the row of the crawl is lost. */
  readonly crawl: (FoundSpec & { readonly known: number; readonly settled: number; readonly items: number }) | undefined
  readonly requests: number
  readonly highestId: number
  readonly name: string
  readonly createdAt: number
  readonly lastAt: number
}

interface CrawlRow {
  readonly name: string
  readonly canonicalisation: string
  readonly host_keying: string
  readonly created_at: number
  readonly last_at: number
  readonly known: number
  readonly settled: number
  readonly items: number
}

/** Looks at what was read. */
export function foundIn(db: Database): Found {
  const row = db.prepare<unknown[], CrawlRow>('SELECT *, done + moved + failed AS settled FROM staged.crawl WHERE id = 1').get()
  const rows = db
    .prepare<unknown[], { requests: number; highest: number }>(
      'SELECT count(*) AS requests, coalesce(max(id), 0) AS highest FROM staged.request',
    )
    .get()
  const times = db
    .prepare<unknown[], { first: number; last: number }>(
      'SELECT coalesce(min(fetched_at), 0) AS first, coalesce(max(fetched_at), 0) AS last FROM staged.attempt',
    )
    .get()
  return {
    crawl: row && {
      canonicalisation: row.canonicalisation,
      hostKeying: row.host_keying,
      known: row.known,
      settled: row.settled,
      items: row.items,
    },
    requests: rows?.requests ?? 0,
    highestId: rows?.highest ?? 0,
    name: row?.name ?? 'rescued',
    createdAt: row?.created_at ?? times?.first ?? 0,
    lastAt: row?.last_at ?? times?.last ?? 0,
  }
}

/** The highest id that there was. No request takes less than a byte: what is beyond is damage. */
export function lastIdOf({ crawl, highestId }: Found, bytes: number): number {
  return Math.max(...[crawl?.known ?? 0, highestId].filter((id) => id <= bytes), 0)
}

/** Compares, once the new store is made. */
export function lossesOf(
  db: Database,
  about: { readonly found: Found; readonly lastId: number; readonly spec: FoundSpec; readonly staged: Staged },
): { kept: RescuedCount; lost: LostCount; askedAgain: number; notes: string[] } {
  const count = (query: string): number => db.prepare<unknown[], number>(query).pluck().get() ?? 0
  const { found, lastId } = about
  const kept = {
    requests: count('SELECT known FROM crawl'),
    settled: count('SELECT done + moved + failed FROM crawl'),
    waiting: count('SELECT known - done - moved - failed FROM crawl'),
    items: count('SELECT items FROM crawl'),
    hosts: count('SELECT count(*) FROM host'),
  }
  const askedAgain = count('SELECT count(*) FROM staged.reopened')
  const outcomes = count('SELECT count(*) FROM staged.attempt WHERE state <> 0')
  const items = Math.max(
    count('SELECT count(*) FROM staged.item_once'),
    found.crawl?.items ?? 0,
    count('SELECT count(*) FROM staged.item'),
  )
  const hosts = Math.max(
    count('SELECT coalesce(max(host), 0) FROM staged.request'),
    count('SELECT coalesce(max(id), 0) FROM staged.host'),
  )
  const lost = {
    requests: Math.max(0, lastId - kept.requests),
    outcomes: Math.max(0, (found.crawl?.settled ?? 0) - outcomes),
    items: Math.max(0, items - kept.items),
    hosts: Math.max(0, Math.min(hosts, lastId) - kept.hosts),
    memories: forgotten(about.staged.damagedTables, count),
  }
  return { kept, lost, askedAgain, notes: [...notesOf(about), ...notesOfCounts(lost, askedAgain)] }
}

/** What is counted as pages are committed is part of what is remembered of hosts, and no row says it again. */
function notesOfCounts({ outcomes, items, memories }: LostCount, askedAgain: number): string[] {
  if (outcomes + items + memories + askedAgain === 0) return []
  return [
    'counts of pages and items by handler, and of links that were not followed, are as they were read: they lack what is lost, and count pages that are requested again twice',
  ]
}

/** Only where memory is damaged: a host need not have any. */
function forgotten(damagedTables: readonly string[], count: (query: string) => number): number {
  if (!damagedTables.includes('host_memory') && !damagedTables.includes('')) return 0
  return count('SELECT count(*) FROM host WHERE done + moved + failed + retried > 0 AND id NOT IN (SELECT host FROM host_memory)')
}

function notesOf({
  found,
  spec,
  staged: { damagedTables, damagedInLog },
}: {
  readonly found: Found
  readonly spec: FoundSpec
  readonly staged: Staged
}): string[] {
  const notes: string[] = []
  if (damagedInLog > 0)
    notes.push(
      `the log beside the store is damaged: ${damagedInLog} ${damagedInLog === 1 ? 'page' : 'pages'} in it cannot be read, and the last writes are lost`,
    )
  if (found.crawl === undefined) {
    const rules = spec.canonicalisation === CANONICALISATION ? 'as this Avocet does' : 'by other rules than this Avocet'
    notes.push(
      `the settings of the crawl are lost; judging by its requests, it identifies URLs ${rules}, and hosts by ${spec.hostKeying}`,
    )
  }
  if (damagedTables.includes('extra'))
    notes.push('headers, data and names of secrets that some requests had beside their URL are lost')
  if (damagedTables.includes('crawl_memory'))
    notes.push(
      'the memory of the crawl is lost: patterns that were opened (`scope accept` opens them again), names that may resolve to private addresses, and the memory of plugins',
    )
  if (damagedTables.includes('sink') || damagedTables.includes('export'))
    notes.push(
      'how far sinks and output files were may be lost: they get all items again; write files anew with -O, for -o would write all items behind what they hold',
    )
  return notes
}
