// What the visits of a page brought, as the page shows it. Texts are what sites chose, in short; moments are epoch ms.

/** A field of an item, before and after; null: it is not there. */
export interface FieldDifference {
  /** `offers[0].price`; empty: the item itself. */
  readonly path: string
  readonly before: string | null
  readonly after: string | null
}

/** An item that a visit brought, and what is another than in the visit before. */
export interface VisitedItem {
  readonly kind: 'new' | 'gone' | 'changed'
  readonly ordinal: number
  /** What tells it from the other items of its visit; null where it is alone. */
  readonly title: string | null
  readonly fields: readonly FieldDifference[]
  /** Fields that are not among `fields`. */
  readonly more: number
}

/** Some items of a visit. */
export interface VisitedItems {
  readonly items: readonly VisitedItem[]
  readonly moreItems: number
}

/** When a visit was: exactly where both are the same, else within them. */
interface VisitedAt {
  readonly from: number
  readonly to: number
}

/** One visit that changed something, several that did not, or the oldest that was read. Numbers of visits begin at 0. */
export type PageVisitLine =
  | ({ readonly kind: 'changed'; readonly visit: number; readonly moment: VisitedAt | null } & VisitedItems)
  /** `same`: of these visits, how many brought the same; `barren`: how many brought nothing. */
  | { readonly kind: 'alike'; readonly first: number; readonly last: number; readonly same: number; readonly barren: number }
  | { readonly kind: 'oldest'; readonly visit: number; readonly moment: VisitedAt | null }

/** What the visits of one request brought. */
export interface PageVisits {
  readonly requestId: number
  /** What tells it from other requests of its URL. */
  readonly name: string
  readonly visits: number
  /** The newest first. */
  readonly lines: readonly PageVisitLine[]
  /** There were older visits than those in `lines`. */
  readonly hasOlder: boolean
  /** Fields that say when a visit was, and are not compared. */
  readonly stamps: readonly string[]
  /** What the newest visit with items brought; null: none did. */
  readonly latest: (VisitedItems & { readonly visit: number }) | null
}
