// Law: what changed between two visits of a page, item by item.
import { fieldChanges, isObject, shortened, type FieldChanges } from './field-changes.ts'
import type { ReadItem, ReadVisit } from './read-item.ts'

/** An item that is new, gone, or another. */
export interface ItemDifference extends FieldChanges {
  readonly kind: 'new' | 'gone' | 'changed'
  /** Its place among all items of its visit. */
  readonly ordinal: number
  /** What tells it from the other items of its visit; null where it is alone. */
  readonly title: string | null
}

/** Those that fit, and how many more items there are. */
export interface ItemChanges {
  readonly items: readonly ItemDifference[]
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
  const all: readonly ItemDifference[] = [
    ...changed,
    ...added.map((item) => ({ kind: 'new', title: titleOf(item), ...fieldsOf(item) }) as const),
    ...gone.map((item) => ({ kind: 'gone', title: titleOf(item), ...fieldsOf(item, true) }) as const),
  ]
  return bounded(all)
}

/** All items of a visit, as if they were new. */
export function itemsBrought(items: Items, stamps: ReadonlySet<string>): ItemChanges {
  const names = items.length > 1 ? titlesOf(items, stamps) : () => null
  return bounded(items.map((item) => ({ kind: 'new', title: names(item), ...fieldsOf(item) })))
}

function titlesOf(items: Items, stamps: ReadonlySet<string>): (item: ReadItem) => string {
  const key = tellingField(items, items, stamps)
  return (item) => titled(item, key)
}

function titled(item: ReadItem, key: string | undefined): string {
  const value = key === undefined ? undefined : item.field(key)
  const named = typeof value === 'string' || typeof value === 'number'
  return named ? shortened(`${value}`, MAX_TITLE) : `item ${item.ordinal + 1}`
}

/** Each field by itself; what is no object has none. */
function fieldsOf(item: ReadItem, isGone = false): Pick<ItemDifference, 'ordinal' | 'fields' | 'more'> {
  const { ordinal, value } = item
  const nothing = isObject(value) ? {} : undefined
  return { ordinal, ...plain(isGone ? fieldChanges(value, nothing, MAX_FIELDS) : fieldChanges(nothing, value, MAX_FIELDS)) }
}

function plain({ fields, more }: FieldChanges): FieldChanges {
  return { fields, more }
}

function bounded(all: readonly ItemDifference[]): ItemChanges {
  return { items: all.slice(0, MAX_ITEMS), moreItems: Math.max(0, all.length - MAX_ITEMS) }
}

// Law: which item of a visit is which of the visit before.
//
// A place says little: where a list has a new entry at its top, every entry has another place. So what is the same stays paired wherever it is. For the rest,
// the field that tells items apart is looked for: most items have it, no two of a visit have the same value, and it pairs more items than any other field.
// That is what a person would go by (a sku, a URL, a name), and it needs no list of names. A field that counts the places of a list says no more than they
// do. Without such a field the place decides, also of single items that lack it, and always where a visit brought one item alone: the page of one thing stays
// the page of that thing.

/** Items of two visits. */
interface PairedItems {
  /** Of those that differ: the older one, and the newer one. */
  readonly pairs: readonly (readonly [before: ReadItem, after: ReadItem])[]
  readonly added: readonly ReadItem[]
  readonly gone: readonly ReadItem[]
  /** The field that tells items apart; undefined where none does. */
  readonly key: string | undefined
}

type Items = readonly ReadItem[]

/** Pairs them; items that are the same text are left out. Fields in `stamps` are no keys. */
function pairedItems(older: ReadVisit, newer: ReadVisit, stamps: ReadonlySet<string>): PairedItems {
  const { before, after } = withoutSame(older.items, newer.items)
  // Where all are the same there is nothing to tell apart, in long lists of visits most of all.
  const key = before.length + after.length === 0 ? undefined : tellingField(older.items, newer.items, stamps)
  const placeOf = (item: ReadItem): string => {
    const value = key === undefined ? undefined : keyValueOf(item, key)
    return value === undefined ? `place ${item.ordinal}` : `${typeof value} ${value}`
  }
  const byPlace = new Map(before.map((item) => [placeOf(item), item]))
  const isOne = older.items.length === 1 && newer.items.length === 1
  const pairs: (readonly [ReadItem, ReadItem])[] = []
  const added: ReadItem[] = []
  for (const item of after) {
    const was = isOne ? before[0] : byPlace.get(placeOf(item))
    if (was === undefined) added.push(item)
    else pairs.push([was, item])
  }
  const taken = new Set(pairs.map(([was]) => was))
  return { pairs, added, gone: before.filter((item) => !taken.has(item)), key }
}

/** Those that the other visit does not have. The same text twice is two items. */
function withoutSame(before: Items, after: Items): { readonly before: Items; readonly after: Items } {
  const left = new Map<string, ReadItem[]>()
  for (const item of before) left.set(item.json, [...(left.get(item.json) ?? []), item])
  const fresh = after.filter(({ json }) => left.get(json)?.shift() === undefined)
  return { before: [...left.values()].flat().sort((a, b) => a.ordinal - b.ordinal), after: fresh }
}

/** The field that tells items apart: the one that pairs most items; of several a text, for a number may be a measure, such as a price or a rank. */
function tellingField(before: Items, after: Items, stamps: ReadonlySet<string>): string | undefined {
  const candidates = [...fieldNames(after)]
    .filter((name) => !stamps.has(name) && !(countsPlaces(before, name) && countsPlaces(after, name)))
    .map((name) => ({ name, values: valuesPaired(before, after, name) }))
    .filter(({ values }) => values.length > 0)
    .map(({ name, values }) => ({ name, paired: values.length, isText: values.every((value) => typeof value === 'string') }))
  return candidates.toSorted((a, b) => b.paired - a.paired || Number(b.isText) - Number(a.isText))[0]?.name
}

/** Values of a field that tells the items of both visits apart, and that both have; none of another one. */
function valuesPaired(before: Items, after: Items, name: string): readonly (string | number)[] {
  const [was, is] = [byValue(before, name), byValue(after, name)]
  return was === undefined || is === undefined ? [] : [...is.keys()].filter((value) => was.has(value))
}

/** Items of a list are alike: one of another kind may be among the first, not many. */
const LOOKED_AT = 20

function fieldNames(items: Items): ReadonlySet<string> {
  return new Set(items.slice(0, LOOKED_AT).flatMap(({ value }) => (isObject(value) ? Object.keys(value) : [])))
}

/** Items by the value of a field; undefined where not most items have it, or two have the same. */
function byValue(items: Items, name: string): ReadonlyMap<string | number, ReadItem> | undefined {
  const found = new Map<string | number, ReadItem>()
  for (const item of items) {
    const value = keyValueOf(item, name)
    if (value === undefined) continue
    if (found.has(value)) return undefined
    found.set(value, item)
  }
  return found.size * 2 > items.length ? found : undefined
}

function keyValueOf(item: ReadItem, name: string): string | number | undefined {
  const value = item.field(name)
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

/** Whether it is the place of each item, counted from whatever number. */
function countsPlaces(items: Items, name: string): boolean {
  const [first] = items
  const from = Number(first?.field(name)) - (first?.ordinal ?? 0)
  return items.every((item) => Number(item.field(name)) === from + item.ordinal)
}
