// What the visits of a request brought, read from its store, the newest first, until there are as many changes as are wanted.
//
// It costs what is read: at most 20,000 items of 4 MB, and those of one more call. Each call of the reader reads so little that a crawl in the same process is
// not held up.
import type { FrontierReader, ItemRecord, RequestRecord } from '@avocet/core/store'
import { ReadItem, type ReadVisit } from './read-item.ts'
import { itemsBrought, type ItemChanges } from './visit-changes.ts'
import { VisitLines, VisitMoments, type LineBounds, type StoredVisit, type VisitLine } from './visit-lines.ts'

const ITEMS_AT_ONCE = 50
const MAX_ITEMS = 20_000
const MAX_BYTES = 4 * 1024 * 1024

/** One request, with what its visits brought. */
export interface RequestVisits {
  readonly requestId: number
  /** Visits that have ended. */
  readonly visits: number
  /** The newest first. */
  readonly lines: readonly VisitLine[]
  /** There are older visits than those in `lines`. */
  readonly hasOlder: boolean
  /** Fields that say when a visit was, and are not compared. */
  readonly stamps: readonly string[]
  /** What the newest visit that brought items brought; null: none did. */
  readonly latest: (ItemChanges & { readonly visit: number }) | null
}

/** What is read, and how much is wanted. */
export interface VisitsWish {
  readonly reader: Pick<FrontierReader, 'itemsOfRequest' | 'counts'>
  readonly bounds: LineBounds
  readonly moments: Pick<VisitMoments, 'of'>
}

/** Of one request. */
export async function requestVisits(request: RequestRecord, { reader, bounds, moments }: VisitsWish): Promise<RequestVisits> {
  const { read, isAll } = await visitsBack(request.id, reader)
  const [newest] = read
  const stamps = stampsOf(read)
  const visits = Math.max(endedVisits(request), (newest?.visit ?? -1) + 1)
  const lines = new VisitLines(visits - 1, stamps, bounds)
  const stored: StoredVisit[] = []
  for (const visit of read) {
    if (lines.isFull) break
    lines.add(visit)
    stored.push(storedVisit(visit, request))
  }
  // Of visits before it nobody can say that they brought nothing.
  const isForgotten = (read.at(-1)?.visit ?? 0) > 0 && (await reader.counts()).itemsGone !== undefined
  const hasOlder = !isAll || stored.length < read.length || isForgotten
  return {
    requestId: request.id,
    visits,
    lines: lines.end(hasOlder, await moments.of(stored)),
    hasOlder,
    stamps: [...stamps],
    latest: newest === undefined ? null : { visit: newest.visit, ...itemsBrought(newest.items, new Set()) },
  }
}

/** Visits that brought items, the newest first; of several only such as were read as a whole. */
async function visitsBack(
  requestId: number,
  reader: VisitsWish['reader'],
): Promise<{ readonly read: readonly ReadVisit[]; readonly isAll: boolean }> {
  const items: ItemRecord[] = []
  let isAll = false
  for (let bytes = 0; !isAll && bytes <= MAX_BYTES && items.length < MAX_ITEMS;) {
    const before = items.at(-1)
    const page = await reader.itemsOfRequest({ requestId, limit: ITEMS_AT_ONCE, ...(before && { before }) })
    items.push(...page)
    bytes += page.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
    isAll = page.length < ITEMS_AT_ONCE
  }
  const visits = [...Map.groupBy(items, ({ visit = 0 }) => visit)]
  if (!isAll && visits.length > 1) visits.pop()
  const read = visits.map(([visit, of]) => ({ visit, items: of.map((item) => new ReadItem(item)).toReversed() }))
  return { read, isAll }
}

function storedVisit({ visit, items }: ReadVisit, { lastPage }: RequestRecord): StoredVisit {
  return { visit, seq: Math.min(...items.map(({ seq }) => seq)), ...(lastPage?.visit === visit && { fetchedAt: lastPage.at }) }
}

/** Of a request that was never to be visited again there are no numbers: it was visited, or not. */
function endedVisits({ visits, state }: RequestRecord): number {
  return visits ?? (state === 'waiting' ? 0 : 1)
}

// Law: fields that say when a visit was. They differ each time, and are no change of the page.
//
// A stamp is a field that every item of the newest visits has, with a moment (ISO 8601 with a time, or seconds or milliseconds since 1970) that grows with
// each visit. From two visits nobody can tell a stamp from a date that has changed, so it takes three.

const LEAST_VISITS = 3
/** More would say nothing else. */
const MOST_VISITS = 10

/** Their names, from visits with the newest first. */
export function stampsOf(visits: readonly ReadVisit[]): ReadonlySet<string> {
  const newest = visits.slice(0, MOST_VISITS)
  const value = newest[0]?.items[0]?.value
  if (newest.length < LEAST_VISITS || typeof value !== 'object' || value === null) return new Set()
  // Two visits that brought the same have no stamp: then nothing else is parsed for it.
  const isSame = newest.slice(1).some(({ items }, index) => items[0]?.json === newest[index]?.items[0]?.json)
  return new Set(isSame ? [] : Object.keys(value).filter((name) => isStamp(name, newest)))
}

function isStamp(name: string, visits: readonly ReadVisit[]): boolean {
  let before = Infinity
  for (const { items } of visits) {
    const moments = items.map((item) => momentOf(item.field(name)))
    if (!moments.every((moment) => moment < before)) return false
    before = Math.min(...moments)
  }
  return true
}

const ISO_MOMENT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/
/** From 2001 to 2100. */
const [FIRST_S, LAST_S] = [1e9, 4.1e9]

/** Epoch ms; NaN of what is no moment. */
function momentOf(value: unknown): number {
  if (typeof value === 'string') return ISO_MOMENT.test(value) ? Date.parse(value) : NaN
  if (typeof value !== 'number') return NaN
  if (value >= FIRST_S && value <= LAST_S) return value * 1_000
  return value >= FIRST_S * 1_000 && value <= LAST_S * 1_000 ? value : NaN
}

// What the visits of a URL brought: of each of its requests, for one a handler, a method, a body and a session may be of the same URL.

/** More requests of one URL are forms, or pages of sessions: those that were fetched last are looked at. */
const MAX_REQUESTS = 8

/** As many changes as somebody looks through. */
export const MANY_CHANGES: LineBounds = { changes: 50, fields: 400 }

/** What is read, and how much is wanted. */
interface UrlVisitsWish {
  readonly reader: FrontierReader
  readonly bounds: LineBounds
  /** Epoch ms. */
  readonly now: number
}

/** Those that were visited, the one that was fetched last first. */
export async function urlVisits(
  requests: readonly RequestRecord[],
  { reader, bounds, now }: UrlVisitsWish,
): Promise<readonly RequestVisits[]> {
  const fetched = requests.filter(({ fetchedAt }) => fetchedAt !== undefined)
  const latest = fetched.toSorted((a, b) => (b.fetchedAt ?? 0) - (a.fetchedAt ?? 0)).slice(0, MAX_REQUESTS)
  const moments = new VisitMoments(reader, now)
  const all: RequestVisits[] = []
  for (const request of latest) all.push(await requestVisits(request, { reader, bounds, moments }))
  return all.filter(({ visits }) => visits > 0)
}
