// Law: which item of a visit is which of the visit before.
//
// A place says little: where a list has a new entry at its top, every entry has another place. So what is the same stays paired wherever it is. For the rest,
// the field that tells items apart is looked for: most items have it, no two of a visit have the same value, and it pairs more items than any other field.
// That is what a person would go by (a sku, a URL, a name), and it needs no list of names. A field that counts the places of a list says no more than they
// do. Without such a field the place decides, also of single items that lack it, and always where a visit brought one item alone: the page of one thing stays
// the page of that thing.
import { isObject } from './field-changes.ts'
import type { ReadItem, ReadVisit } from './read-item.ts'

/** Items of two visits. */
export interface PairedItems {
  /** Of those that differ: the older one, and the newer one. */
  readonly pairs: readonly (readonly [before: ReadItem, after: ReadItem])[]
  readonly added: readonly ReadItem[]
  readonly gone: readonly ReadItem[]
  /** The field that tells items apart; undefined where none does. */
  readonly key: string | undefined
}

type Items = readonly ReadItem[]

/** Pairs them; items that are the same text are left out. Fields in `stamps` are no keys. */
export function pairedItems(older: ReadVisit, newer: ReadVisit, stamps: ReadonlySet<string>): PairedItems {
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
export function tellingField(before: Items, after: Items, stamps: ReadonlySet<string>): string | undefined {
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
