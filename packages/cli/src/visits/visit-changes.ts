// Law: what changed between two visits of a page, item by item.
import { fieldChanges, isObject, shortened, type FieldChanges } from './field-changes.ts'
import { pairedItems, tellingField } from './paired-items.ts'
import type { ReadItem, ReadVisit } from './read-item.ts'

/** An item that is new, gone, or another. */
export interface ItemChange extends FieldChanges {
  readonly kind: 'new' | 'gone' | 'changed'
  /** Its place among all items of its visit. */
  readonly ordinal: number
  /** What tells it from the other items of its visit; null where it is alone. */
  readonly title: string | null
}

/** Those that fit, and how many more items there are. */
export interface ItemChanges {
  readonly items: readonly ItemChange[]
  readonly moreItems: number
}

/** More of a visit is in the outputs. */
const MAX_ITEMS = 5
const MAX_FIELDS = 8
const MAX_TITLE = 80

/** From the older to the newer visit; fields in `stamps` are not compared. */
export function changesBetween(older: ReadVisit, newer: ReadVisit, stamps: ReadonlySet<string>): ItemChanges {
  const isSame =
    older.items.length === newer.items.length && older.items.every(({ json }, index) => json === newer.items[index]?.json)
  if (isSame) return { items: [], moreItems: 0 }
  const { pairs, added, gone, key } = pairedItems(older, newer, stamps)
  const titleOf = (item: ReadItem): string | null => (older.items.length + newer.items.length > 2 ? titled(item, key) : null)
  const changed = pairs.flatMap(([was, is]) => {
    const fields = fieldChanges(was.without(stamps), is.without(stamps), MAX_FIELDS)
    return fields.fields.length === 0
      ? []
      : [{ kind: 'changed', ordinal: is.ordinal, title: titleOf(is), ...plain(fields) } as const]
  })
  // What is not in the part that was read may be in the other one.
  const all: readonly ItemChange[] = [
    ...changed,
    ...(older.truncated ? [] : added.map((item) => ({ kind: 'new', title: titleOf(item), ...fieldsOf(item) }) as const)),
    ...(newer.truncated ? [] : gone.map((item) => ({ kind: 'gone', title: titleOf(item), ...fieldsOf(item, true) }) as const)),
  ]
  return bounded(all)
}

/** All items of a visit, as if they were new. */
export function itemsBrought(
  { items, truncated }: ReadVisit,
  stamps: ReadonlySet<string>,
): ItemChanges & { readonly truncated: boolean } {
  const names = items.length > 1 ? titlesOf(items, stamps) : () => null
  return { ...bounded(items.map((item) => ({ kind: 'new', title: names(item), ...fieldsOf(item) }))), truncated }
}

function titlesOf(items: readonly ReadItem[], stamps: ReadonlySet<string>): (item: ReadItem) => string {
  const visit = { visit: 0, items, truncated: false }
  const key = tellingField(visit.items, visit.items, stamps)
  return (item) => titled(item, key)
}

function titled(item: ReadItem, key: string | undefined): string {
  const value = key === undefined ? undefined : item.field(key)
  const named = typeof value === 'string' || typeof value === 'number'
  return named ? shortened(`${value}`, MAX_TITLE) : `item ${item.ordinal + 1}`
}

/** Each field by itself; what is no object has none. */
function fieldsOf(item: ReadItem, isGone = false): Pick<ItemChange, 'ordinal' | 'fields' | 'more'> {
  const { ordinal, value } = item
  const nothing = isObject(value) ? {} : undefined
  return { ordinal, ...plain(isGone ? fieldChanges(value, nothing, MAX_FIELDS) : fieldChanges(nothing, value, MAX_FIELDS)) }
}

function plain({ fields, more }: FieldChanges): FieldChanges {
  return { fields, more }
}

function bounded(all: readonly ItemChange[]): ItemChanges {
  return { items: all.slice(0, MAX_ITEMS), moreItems: Math.max(0, all.length - MAX_ITEMS) }
}
