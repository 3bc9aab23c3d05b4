// Law: which item of a visit is which of the visit before.
//
// A place says little: where a list has a new entry at its top, every entry has another place. So what is the same stays paired wherever it is. For the rest,
// the field that tells items apart is looked for: most items have it, no two of a visit have the same value, and it pairs more items than any other field
// that are alike in at least half of what differs between items. That is what a person would go by (a sku, a URL, a name), and it needs no list of names; a
// rank or a price pairs items that have little else in common. A field that counts the places of a list says no more than they do. Without such a field the
// place decides, also of single items that lack it, and always where a visit brought one item alone: the page of one thing stays the page of that thing.
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

/** A field that may tell items apart, and how much speaks for it. */
interface Candidate {
  readonly name: string
  /** Items that it pairs, and that are alike, by a sample of them. */
  readonly alike: number
  /** A number may be a measure, such as a price or a rank; a text is more of a name. */
  readonly isText: boolean
  /** Items that it pairs. */
  readonly common: number
}

/** The field that tells items apart. */
export function tellingField(before: Items, after: Items, stamps: ReadonlySet<string>): string | undefined {
  const texts = new FieldTexts()
  const names = [...fieldNames(after)].filter((name) => !stamps.has(name) && texts.differ([...before, ...after], name))
  const candidates = names
    .filter((name) => !(countsPlaces(before, name) && countsPlaces(after, name)))
    .flatMap((name) =>
      candidateOf({ before, after, texts }, { name, others: names.filter((other) => other !== name).slice(0, COMPARED_FIELDS) }),
    )
  return candidates.toSorted((a, b) => b.alike - a.alike || Number(b.isText) - Number(a.isText) || b.common - a.common)[0]?.name
}

function candidateOf(
  { before, after, texts }: { readonly before: Items; readonly after: Items; readonly texts: FieldTexts },
  { name, others }: { readonly name: string; readonly others: readonly string[] },
): readonly Candidate[] {
  const [was, is] = [byValue(before, name), byValue(after, name)]
  if (was === undefined || is === undefined) return []
  const pairs = [...is].flatMap(([value, item]) => {
    const older = was.get(value)
    return older === undefined ? [] : [[older, item] as const]
  })
  if (pairs.length === 0) return []
  const isAlike = ([a, b]: readonly [ReadItem, ReadItem]): boolean =>
    2 * others.filter((other) => texts.of(a, other) === texts.of(b, other)).length >= Math.max(1, others.length)
  const step = Math.ceil(pairs.length / COMPARED_PAIRS)
  const compared = pairs.filter((_, n) => n % step === 0)
  const alike = (compared.filter(isAlike).length / compared.length) * pairs.length
  const isText = pairs.every(([item]) => typeof item.field(name) === 'string')
  return [{ name, alike, isText, common: pairs.length }]
}

/** A page of visits is compared in one turn of the event loop, with items of any number of fields. */
const COMPARED_PAIRS = 20
const COMPARED_FIELDS = 12

/** Fields as text, each written once: they are compared with many. */
class FieldTexts {
  readonly #texts = new Map<ReadItem, Map<string, string | undefined>>()

  of(item: ReadItem, name: string): string | undefined {
    const known = this.#texts.get(item) ?? new Map<string, string | undefined>()
    this.#texts.set(item, known)
    if (!known.has(name)) known.set(name, JSON.stringify(item.field(name)))
    return known.get(name)
  }

  /** Whether not all items have the same. */
  differ([first, ...others]: Items, name: string): boolean {
    return first !== undefined && others.some((item) => this.of(item, name) !== this.of(first, name))
  }
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
