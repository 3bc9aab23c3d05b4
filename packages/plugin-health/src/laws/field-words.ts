// How often each value of a field is there, over all items of a handler: a field of a few words, such as a currency, changes from one of them to another.
import type { ItemValues, Value } from './item-fields.ts'

/** Values of one field that are counted; a field with more is not one of a few words. */
const MAX_WORDS = 64

/** Counted once somebody asks. */
export class FieldWords {
  readonly #all: () => Iterable<ItemValues>
  items = 0
  /** Null: it has too many. */
  #words: (Map<Value, number> | null)[] | undefined

  constructor(all: () => Iterable<ItemValues>) {
    this.#all = all
  }

  /** A field of a few values. */
  isWordy(field: number): boolean {
    const words = this.#of(field)
    return words !== undefined && words.size <= Math.max(2, this.items / 3)
  }

  /** One of these, which several items have: a single one may be the first page of a break. */
  isWord(field: number, value: Value): boolean {
    return this.isWordy(field) && (this.#of(field)?.get(value) ?? 0) > 1
  }

  /** Whether some item has this value in a field of few enough to tell. */
  isValue(field: number, value: Value): boolean {
    return this.#of(field)?.has(value) ?? false
  }

  /** An item is added, or taken away. */
  count(item: ItemValues, times: 1 | -1): void {
    this.items += times
    this.#count(item, times)
  }

  #of(field: number): ReadonlyMap<Value, number> | undefined {
    if (this.#words === undefined) {
      this.#words = []
      for (const item of this.#all()) this.#count(item, 1)
    }
    return this.#words[field] ?? undefined
  }

  #count([, ...values]: ItemValues, times: 1 | -1): void {
    const all = this.#words
    if (all === undefined) return
    for (const [field, value] of values.entries()) {
      const words = all[field] === undefined ? new Map<Value, number>() : all[field]
      if (value === null || words === null) continue
      const count = (words.get(value) ?? 0) + times
      if (count > 0) words.set(value, count)
      else words.delete(value)
      all[field] = words.size > MAX_WORDS ? null : words
    }
  }
}
