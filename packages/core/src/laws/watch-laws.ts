// What a visit says of watched items: pure, so that every store decides the same.
//
// A page shows an item from a visit that has it until it lacks it in so many visits in a row, or is believed to be gone itself. An item is gone when no page is
// left that shows it. Its value is what the page that gave it shows. Pages may differ for long, so another one gives the value only
// - if it shows another one than when it showed the item last: a price that changes does so on each page;
// - if it is new to the item, the page that gave the value lacks it, and there is no third one: the item has moved. What is visited before that page is
//   new at its next visit, too;
// - if the page that gave the value shows it no longer. To lack it once is not enough: a page may be empty once, and all that differ would change twice.
// What is visited once says what is there, and is not remembered. A page that is as it was lacks what it lacked before, and has the rest.
// Rejected: a page per item, the last that showed it. Two pages take turns, and what one lacks the other has.
import type { CommitUnit } from '../ports/frontier.ts'
import type { ChangeKind, WatchedValue, WatchedPage } from '../ports/watch.ts'

/** What a store knows of a watched item. */
export interface WatchedItem {
  /** Watched fields, in canonical form. */
  readonly value: string
  /** Id of the page that gave the value and shows it, negative while it lacks it; 0: it no longer does. */
  readonly source: number
  /** How many pages show it, of those that are remembered. */
  readonly pages: number
  readonly isGone: boolean
}

/** What a store knows of a page that shows it. */
export interface ShownItem {
  /** Of the value that it showed last. */
  readonly digest: number
  /** Visits in a row in which it lacked the item; -1: it is new to it, and shows another value than the page that gave it. */
  readonly missed: number
}

/** That, with what it shows. */
type KnownShown = ShownItem & { readonly item: WatchedItem }

/** The page of a visit, with what is known of it. */
type SeenOn = Partial<ShownItem> & { readonly id: number }

/** What becomes of one item. */
interface WatchedChange {
  readonly key: string
  /** What it is from now on. Absent: as it was. */
  readonly item?: WatchedItem | undefined
  /** How the page shows it from now on. Absent: as it did; null: no longer. */
  readonly shown?: ShownItem | null | undefined
  /** What is recorded of that. Absent: nothing. */
  readonly change?: { readonly kind: ChangeKind; readonly before?: string; readonly after?: string } | undefined
}

/** A visit, as far as it says something of watched items. */
interface Visit {
  readonly requestId: number
  readonly page: WatchedPage
  readonly sightings: readonly WatchedValue[]
}

/** What a store knows, for one host. */
interface KnownItems {
  /** What the page shows, by key. */
  readonly ofPage: ReadonlyMap<string, KnownShown>
  /** Any of the host. */
  find(key: string): WatchedItem | undefined
}

/** What a visit changes. Items that stay as they were are left out. */
function visited(visit: Visit, known: KnownItems): readonly WatchedChange[] {
  const sightings = new Map(visit.sightings.map((each) => [each.key, each]))
  const lacked = [...known.ofPage].filter(([key]) => !sightings.has(key))
  const there = [...sightings.values()].flatMap((each) => seen(visit, each, known))
  return [...there, ...lacked.flatMap(([key, shown]) => missed(visit, key, shown))]
}

/** The page shows it. */
function seen(visit: Visit, { key, value: after }: WatchedValue, known: KnownItems): readonly WatchedChange[] {
  const shown = known.ofPage.get(key)
  const was = shown?.item ?? known.find(key)
  const isOnce = visit.page.isOnce === true
  const giver = isOnce ? 0 : visit.requestId
  const pages = (was?.pages ?? 0) + (shown === undefined && !isOnce ? 1 : 0)
  const item = { value: after, source: giver, isGone: false, ...was, pages }
  const digest = digestOf(after)
  const change = changeOf(was, after, { ...shown, id: visit.requestId })
  const isWaiting = shown === undefined && change === undefined && item.value !== after
  const isKnown = shown?.missed === 0 && shown.digest === digest
  const next = isOnce || isKnown ? undefined : { digest, missed: isWaiting ? -1 : 0 }
  if (change !== undefined) return [{ key, item: { ...item, value: after, source: giver, isGone: false }, shown: next, change }]
  const source = item.value === after && item.source <= 0 && !isOnce ? giver : item.source
  const isSame = pages === was?.pages && item.source === source
  return isSame && next === undefined ? [] : [{ key, item: isSame ? undefined : { ...item, source }, shown: next }]
}

/** What is recorded where a page shows `after`. */
function changeOf(item: WatchedItem | undefined, after: string, page: SeenOn): WatchedChange['change'] {
  if (item === undefined) return { kind: 'new', after }
  const { value: before, source, isGone } = item
  if (isGone) return { kind: 'back', before, after }
  if (before === after) return undefined
  const isOther = page.digest !== undefined && page.digest !== digestOf(after)
  const hasMoved = source < 0 && (page.missed === undefined ? item.pages === 1 : page.missed < 0 && item.pages === 2)
  return isOther || hasMoved || source === 0 || source === page.id ? { kind: 'changed', before, after } : undefined
}

/** The page showed it before, and does not now. */
function missed({ requestId, page }: Visit, key: string, was: KnownShown): readonly WatchedChange[] {
  if (page.shows === 'some' || (page.shows === 'unchanged' && was.missed <= 0)) return []
  const { item, digest } = was
  const shown = { digest, missed: Math.max(was.missed, 0) + 1 }
  if ('goneAfterVisits' in page && shown.missed < page.goneAfterVisits)
    return [{ key, item: item.source === requestId ? { ...item, source: -requestId } : undefined, shown }]
  const left = { ...item, pages: item.pages - 1, source: Math.abs(item.source) === requestId ? 0 : item.source }
  if (left.pages > 0) return [{ key, item: left, shown: null }]
  return [{ key, item: { ...left, isGone: true }, shown: null, change: { kind: 'gone', before: item.value } }]
}

/** FNV-1a: of what two pages show, only that it differs is asked. */
function digestOf(value: string): number {
  let digest = 0x811c9dc5
  for (let n = 0; n < value.length; n++) digest = Math.imul(digest ^ value.charCodeAt(n), 0x01000193)
  return digest
}

/**
 * Whether a visit takes the place of what is held of its page and of the items that it shows. One that says nothing new does not: a handler may leave out what
 * has not changed, and that is what is held.
 */
function replacesHeld({ outcome, held, items, watch }: Pick<CommitUnit, 'outcome' | 'held' | 'items' | 'watch'>): boolean {
  const isNew = outcome?.kind === 'done' && outcome.reason !== 'unchanged' && held === undefined
  return watch?.shows === 'gone' || (isNew && (items.length > 0 || watch?.shows === 'all'))
}

/** The laws. */
export const watchLaws: { readonly visited: typeof visited; readonly replacesHeld: typeof replacesHeld } = {
  visited,
  replacesHeld,
}
