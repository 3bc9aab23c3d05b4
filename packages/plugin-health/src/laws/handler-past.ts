// What the pages of one handler at a host were like: the last items of each page, how often each field changes, which values it has, what pages show.
//
// A page that is as it was writes nothing. A page is remembered by id, with a hash of its items as they came: one that is equal is not parsed.
import { crc32 } from 'node:zlib'
import { FieldWords } from './field-words.ts'
import { MAX_FIELDS, type ItemFields, type ItemValues, type Value } from './item-fields.ts'
import type { PageSigns } from './page-text.ts'

/** A hash of the items of a page as they came, then each of them. */
export type PageRecord = readonly [hash: number, ...items: ItemValues[]]

/** A field, by its place, its value now, and the one before. */
export type FieldValue = readonly [field: number, value: Value | null, was: Value | null]

/** What is kept of it. */
export interface KeptPast {
  readonly fields: string[]
  /** Items that were compared with those before, and by field how many had changed. */
  compared: number
  readonly changed: number[]
  /** What the first pages showed. */
  signs: PageSigns[]
  /** Amounts and texts that all of the first pages had, and no item ever. */
  constants: readonly (number | string)[]
  /** How often the amounts of a page are on it, at least; 0: they are not always found. */
  found: number
  readonly seen: Record<string, PageRecord>
  /** Those of pages that are held. */
  held: Record<string, PageRecord>
  /** What is odd about pages that were not well since. */
  readonly odd: Record<string, string>
  /** Pages that were not seen again yet. */
  readonly once: Record<string, 1>
  /** Languages of pages, where they are not those of the first ones. */
  readonly languages: Record<string, string>
}

/** Characters of all pages of a handler: a host has 512 KiB for all of them. */
const MAX_KEPT = 150_000
const MAX_HELD = 200
const MAX_ODD = 1_000
/** Characters of the id and hash of a page, and of most values that are no texts. */
const MAX_HEAD = 24
const MAX_DIGITS = 7
/** Items that are compared before a field is known to be one that seldom changes. */
const LEARNED = 8
/** A field that is no amount and changes so often says nothing by changing. */
const VOLATILE = 0.4
const VOLATILE_FROM = 40
/** Written when so many times more items were compared, or few. */
const GROWN = 1.5
/** Pages that were well so long ago are those right before: a break seldom begins in between. */
const RECENT_MS = 60_000
/** One page in so many is looked at closely, and the first since the host was leased. */
const CLOSE_EACH = 20
const MAX_PENDING = 24
/** A handler with fewer pages has fewer witnesses. */
const FEW_PAGES = 6
/** Fewer say little about what pages are like. */
const MANY_PAGES = 10
/** Nearly all pages have items. */
const FRUITFUL = 0.97

/** The past of a handler that was never used. */
export function freshPast(): KeptPast {
  return {
    fields: [],
    compared: 0,
    changed: [],
    signs: [],
    constants: [],
    found: 0,
    seen: {},
    held: {},
    odd: {},
    once: {},
    languages: {},
  }
}

/** With what is counted over it. */
export class HandlerPast {
  readonly kept: KeptPast
  /** Changes that are not written yet. */
  unsaved = 0
  /** What has changed on the pages before, since nothing was held. */
  pending: readonly FieldValue[] = []
  #turns = 0
  /** Pages in a row that were well, and when the last of them was. */
  #well = 0
  #wellAt = -Infinity
  pages = 0
  #savedCompared: number
  #bare = 0
  #size = 0
  #once: number
  readonly words: FieldWords = new FieldWords(() => Object.values(this.kept.seen).flatMap(([, ...items]) => items))

  constructor(kept: KeptPast) {
    this.kept = kept
    this.#savedCompared = kept.compared
    this.#once = Object.keys(kept.once).length
    for (const page of Object.values(kept.seen)) this.#count(page, 1)
  }

  get isLearned(): boolean {
    return this.kept.compared >= LEARNED
  }

  isTurn(): boolean {
    return this.#turns++ % CLOSE_EACH === 0
  }

  /** So many pages right before were well. */
  wellBefore(now: number): number {
    return now - this.#wellAt <= RECENT_MS ? this.#well : 0
  }

  /** A page was looked at; `isWell`: it was as it was. */
  noteLately(at: number, isWell: boolean, pending: readonly FieldValue[]): void {
    this.#well = isWell ? this.wellBefore(at) + 1 : 0
    this.#wellAt = at
    this.pending = pending.length > MAX_PENDING ? pending.slice(-MAX_PENDING) : pending
  }

  /** Items of the page that has most. */
  get mostItems(): number {
    return Math.max(...Object.values(this.kept.seen).map((page) => page.length - 1))
  }

  /** Most pages were seen again, and there is room for new ones. */
  get isSteady(): boolean {
    return this.isLearned && 2 * this.#once < this.pages && this.#size <= MAX_KEPT
  }

  get isFew(): boolean {
    return this.pages < FEW_PAGES
  }

  get oddPages(): number {
    return Object.keys(this.kept.odd).length
  }

  /** Notes what is odd about a page; undefined: it is well. Says whether the same was odd when it was visited last. */
  noteOdd(id: number, what: string | undefined): boolean {
    const { odd } = this.kept
    if (odd[id] === what) return what !== undefined
    this.unsaved++
    if (what === undefined) delete odd[id]
    else if (this.oddPages < MAX_ODD) odd[id] = what
    return false
  }

  /** Items that a page had when it was published last. */
  of(id: number): PageRecord | undefined {
    return this.kept.seen[id]
  }

  /** A page of which something is known is visited. */
  seenAgain(id: number): void {
    if (this.kept.once[id] === undefined) return
    delete this.kept.once[id]
    this.#once--
    this.unsaved++
  }

  /** An item that another page was the only one to have: it has moved. */
  elsewhere(key: string): ItemValues | undefined {
    if (!this.isLearned) return undefined
    for (const page of Object.values(this.kept.seen)) if (page.length === 2 && page[1]?.[0] === key) return page[1]
    return undefined
  }

  /** What is to be kept of a page. */
  recordOf(texts: readonly string[], items: readonly (readonly [key: string, fields: ItemFields])[]): PageRecord {
    const { fields } = this.kept
    const records = items.map(([key, values]): ItemValues => {
      for (const name of Object.keys(values)) if (!fields.includes(name) && fields.length < MAX_FIELDS) fields.push(name)
      return [key, ...fields.map((name) => values[name] ?? null)]
    })
    return [itemsHash(texts), ...records]
  }

  /** A page is published as this. */
  publish(id: number, page: PageRecord): void {
    const before = this.kept.seen[id]
    delete this.kept.odd[id]
    if (before === undefined) {
      if (this.#size > MAX_KEPT) return
      this.kept.once[id] = 1
      this.#once++
    }
    if (before !== undefined) {
      this.#count(before, -1)
      this.#learnChange(before, page)
    }
    this.kept.seen[id] = page
    this.#count(page, 1)
    const [, ...items] = page
    if (this.kept.constants.length > 0)
      this.kept.constants = this.kept.constants.filter((each) => !items.some((item) => item.includes(each)))
    this.unsaved++
  }

  saved(): void {
    this.unsaved = 0
    this.#savedCompared = this.kept.compared
  }

  /** Items were as before. */
  compared(items: number): void {
    this.kept.compared += items
    if (this.#savedCompared < VOLATILE_FROM || this.kept.compared > GROWN * this.#savedCompared) this.unsaved++
  }

  /** A visit took the place of what is held of a page. */
  replaceHeld(id: number): void {
    if (this.kept.held[id] === undefined) return
    delete this.kept.held[id]
    this.unsaved++
  }

  hold(id: number, page: PageRecord): void {
    if (Object.keys(this.kept.held).length < MAX_HELD) this.kept.held[id] = page
    this.unsaved++
  }

  settle(to: 'publish' | 'drop'): void {
    const held = Object.entries(this.kept.held)
    this.kept.held = {}
    this.unsaved += held.length
    if (to === 'publish') for (const [id, page] of held) this.publish(Number(id), page)
  }

  isVolatile(field: number): boolean {
    const { changed, compared } = this.kept
    return compared >= VOLATILE_FROM && (changed[field] ?? 0) / compared > VOLATILE
  }

  /** Whether all of the first pages had it, and no item. */
  isConstant(value: Value): boolean {
    return this.kept.constants.includes(value as number)
  }

  /** Whether some item has this value: pages may show what other products cost. */
  hasValue(value: Value): boolean {
    return Object.values(this.kept.seen).some(([, ...items]) => items.some((item) => item.includes(value)))
  }

  /** Whether items that have one of these words, such as `sold out`, lack a field. */
  lacks(field: number, values: readonly (Value | null)[]): boolean {
    const words = [...values.entries()].filter(([each, value]) => value !== null && this.words.isWord(each, value))
    const others = Object.values(this.kept.seen).flatMap(([, ...items]) => items)
    return words.some(([each, value]) => {
      const alike = others.filter((item) => item[each + 1] === value)
      return alike.length > 0 && alike.length < others.length / 2 && alike.every((item) => (item[field + 1] ?? null) === null)
    })
  }

  /** Whether all pages have items. */
  get isFruitful(): boolean {
    return this.pages >= MANY_PAGES && this.#bare / this.pages <= 1 - FRUITFUL
  }

  #count([, ...items]: PageRecord, times: 1 | -1): void {
    this.pages += times
    if (items.length === 0) this.#bare += times
    this.#size += times * MAX_HEAD
    for (const item of items) {
      for (const value of item) this.#size += times * (typeof value === 'string' ? value.length + 3 : MAX_DIGITS)
      this.words.count(item, times)
    }
  }

  #learnChange([, ...before]: PageRecord, [, ...after]: PageRecord): void {
    this.kept.compared += after.length
    for (const [key, ...values] of after) {
      const [, ...earlier] = before.find(([name]) => name === key) ?? ['']
      if (earlier.length === 0) continue
      values.forEach((value, field) => {
        const was = earlier[field] ?? null
        if (value !== was) this.kept.changed[field] = (this.kept.changed[field] ?? 0) + 1
      })
    }
  }
}

/** Of the items of a page as they came. */
export function itemsHash(texts: readonly string[]): number {
  return texts.reduce((hash, text) => crc32(text, hash), texts.length)
}
