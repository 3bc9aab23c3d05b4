// What a visit says of a watched item: pure, so that every store decides the same.
//
// An item has a home: the page that showed it last. It is gone when its home lacks it in so many visits in a row, or is believed to be gone itself. A visit
// that shows it anywhere ends the row. A page that is as it was lacks what it lacked before, and has the rest.
import type { CommitUnit } from '../ports/frontier.ts'
import type { ChangeKind, WatchedValue, WatchedPage } from '../ports/watch.ts'

/** What a store knows of a watched item. */
export interface WatchedItem {
  /** Watched fields when it was last seen, in canonical form. */
  readonly value: string
  /** Id of its home. */
  readonly requestId: number
  /** Visits in a row in which its home lacked it. */
  readonly missed: number
  readonly isGone: boolean
}

/** What becomes of one of them. */
export interface WatchedChange {
  readonly key: string
  /** What it is from now on. */
  readonly item: WatchedItem
  /** What is recorded of that. Absent: nothing. */
  readonly change?: { readonly kind: ChangeKind; readonly before?: string; readonly after?: string }
}

/** A visit, as far as it says something of watched items. */
interface WatchedVisit {
  readonly requestId: number
  readonly page: WatchedPage
  readonly sightings: readonly WatchedValue[]
}

/** What a store knows, for one host. */
interface KnownItems {
  /** Those whose home is the page, by key. */
  readonly home: ReadonlyMap<string, WatchedItem>
  /** Any of the host. */
  find(key: string): WatchedItem | undefined
}

/** What a visit changes. Items that stay as they were are left out. */
function visited({ requestId, page, sightings }: WatchedVisit, { home, find }: KnownItems): readonly WatchedChange[] {
  const shown = new Map(sightings.map(({ key, value }) => [key, value]))
  const there = [...shown].flatMap(([key, value]) => seen(key, home.get(key) ?? find(key), { value, home: requestId }))
  const lacked = [...home].filter(([key, { isGone }]) => !isGone && !shown.has(key))
  return [...there, ...lacked.flatMap(([key, was]) => missed(key, was, page))]
}

/** A page shows it. */
function seen(key: string, was: WatchedItem | undefined, now: { value: string; home: number }): readonly WatchedChange[] {
  const { value: after, home } = now
  const item = { value: after, requestId: home, missed: 0, isGone: false }
  if (was === undefined) return [{ key, item, change: { kind: 'new', after } }]
  if (was.isGone) return [{ key, item, change: { kind: 'back', before: was.value, after } }]
  if (was.value !== after) return [{ key, item, change: { kind: 'changed', before: was.value, after } }]
  return was.missed === 0 && was.requestId === home ? [] : [{ key, item }]
}

/** Its home does not show it. */
function missed(key: string, was: WatchedItem, page: WatchedPage): readonly WatchedChange[] {
  if (page.shows === 'some' || (page.shows === 'unchanged' && was.missed === 0)) return []
  const item = { ...was, missed: was.missed + 1 }
  if ('goneAfterVisits' in page && item.missed < page.goneAfterVisits) return [{ key, item }]
  return [{ key, item: { ...item, isGone: true }, change: { kind: 'gone', before: was.value } }]
}

/**
 * Whether a visit takes the place of what is held of its page and of the items that it shows. One that says nothing new does not: a handler may leave out what
 * has not changed, and that is what is held.
 */
function replacesHeld({ outcome, held, items, watch }: Pick<CommitUnit, 'outcome' | 'held' | 'items' | 'watch'>): boolean {
  const isNew = outcome?.kind === 'done' && outcome.reason !== 'unchanged' && held === undefined
  return isNew && (items.length > 0 || watch?.shows === 'all')
}

/** The laws. */
export const watchLaws: { readonly visited: typeof visited; readonly replacesHeld: typeof replacesHeld } = {
  visited,
  replacesHeld,
}
