// What a visit says of watched items: pure, so that every store decides the same.
//
// A page shows an item from a visit that has it until it lacks it in so many visits in a row, or is believed to be gone itself. An item is gone when no page is
// left that shows it. Its value is what the page that gave it shows. Pages may differ for long: one that shows what it showed before gives no other value,
// except in place of a page that shows the item no longer. What is visited once says what is there, and is not remembered. A page that is as it was lacks
// what it lacked before, and has the rest. Rejected: a page per item, the last that showed it. Two pages take turns, and what one lacks the other has.
import type { CommitUnit } from '../ports/frontier.ts'
import type { ChangeKind, WatchedValue, WatchedPage } from '../ports/watch.ts'

/** What a store knows of a watched item. */
export interface WatchedItem {
  /** Watched fields, in canonical form. */
  readonly value: string
  /** Id of the page that gave the value and shows it; 0: it no longer does. */
  readonly source: number
  /** How many pages show it, of those that are remembered. */
  readonly pages: number
  readonly isGone: boolean
}

/** What a store knows of a page that shows it. */
export interface ShownItem {
  /** Of the value that it showed last. */
  readonly digest: number
  /** Visits in a row in which it lacked the item. */
  readonly missed: number
}

/** That, with what it shows. */
type KnownShown = ShownItem & { readonly item: WatchedItem }

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
  /** It is the first one, and as far as is known the last. */
  readonly isOnce: boolean
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
function seen({ requestId, isOnce }: Visit, { key, value: after }: WatchedValue, known: KnownItems): readonly WatchedChange[] {
  const shown = known.ofPage.get(key)
  const item = shown?.item ?? known.find(key)
  const digest = digestOf(after)
  // What it lacked in between is no repetition: the price may have come back with it.
  const isOther = shown?.missed !== 0 || shown.digest !== digest
  const giver = isOnce ? 0 : requestId
  const pages = (item?.pages ?? 0) + (shown === undefined && !isOnce ? 1 : 0)
  const given = { value: after, source: giver, pages, isGone: false }
  const next = !isOnce && isOther ? { digest, missed: 0 } : undefined
  const { value: before, source, isGone } = item ?? given
  if (item === undefined) return [{ key, item: given, shown: next, change: { kind: 'new', after } }]
  if (isGone) return [{ key, item: given, shown: next, change: { kind: 'back', before, after } }]
  if (before !== after && (isOther || source === 0 || source === requestId))
    return [{ key, item: given, shown: next, change: { kind: 'changed', before, after } }]
  const stays = { ...item, pages, source: source === 0 ? giver : source }
  const isSame = stays.pages === item.pages && stays.source === source
  return isSame && next === undefined ? [] : [{ key, item: isSame ? undefined : stays, shown: next }]
}

/** The page showed it before, and does not now. */
function missed({ requestId, page }: Visit, key: string, was: KnownShown): readonly WatchedChange[] {
  if (page.shows === 'some' || (page.shows === 'unchanged' && was.missed === 0)) return []
  const { item, digest } = was
  const shown = { digest, missed: was.missed + 1 }
  if ('goneAfterVisits' in page && shown.missed < page.goneAfterVisits) return [{ key, shown }]
  const left = { ...item, pages: item.pages - 1, source: item.source === requestId ? 0 : item.source }
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
