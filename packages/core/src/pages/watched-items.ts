// Watched items of a page: the key of each, and its watched fields in canonical form, so that only what somebody would call a change differs.
//
// Canonical: fields in the order of `watch`, keys of objects in theirs, white space joined, a number that is a text as that number, and an amount with a
// currency as `12.5 EUR` if it can be read in one way only: to take two prices for one would hide a change. An item without a key is not watched; then, and
// where the schema refused some, the page does not count as lacking any.
import type { Holding } from '../hooks/holding.ts'
import type { NewItem } from '../ports/frontier.ts'
import type { Spider, WatchedItems } from '../ports/spider.ts'
import type { WatchedPage } from '../ports/watch.ts'
import { didYouMean } from '../values/closest.ts'
import type { Json } from '../values/json.ts'
import { shown } from '../values/shown.ts'

type Fields = Readonly<Record<string, Json>>

const GONE_AFTER_VISITS = 3
/** Of a key: it is part of an index. */
const MOST_OF_KEY = 500
/** Three decimals may be thousands. */
const NUMBER = /^-?(?:0|[1-9]\d{0,11})(?:\.\d{1,2})?$/
/** A list, so that `USB 3.10` is a text. */
const CURRENCY = String.raw`\p{Sc}|AED|AUD|BGN|BRL|CAD|CHF|CLP|CNY|CZK|DKK|EUR|GBP|HKD|HUF|ILS|INR|JPY|KRW|MXN|NOK|NZD|PLN|RON|RUB|SEK|SGD|TRY|UAH|USD|ZAR`
/** Thousands are separated by one sign, decimals by another one. `1.299` is no match: of thousands, or of decimals. */
const WHOLE = String.raw`0|[1-9]\d{0,11}|[1-9]\d{0,2}(?<separator>[.,'’ ])\d{3}(?:\k<separator>\d{3}){0,2}(?!\k<separator>\d)`
const AMOUNT = new RegExp(
  String.raw`^(?!\D*\d+[.,]\d{3}\D*$)(?:(?<before>${CURRENCY}) ?)?(?<whole>${WHOLE})(?:[.,](?<decimals>\d{1,2}))?(?: ?(?<behind>${CURRENCY}))?$`,
  'u',
)

/** What a spider watches; undefined: nothing. */
export function watchedBy({ items }: Pick<Spider, 'items'>): WatchedItems | undefined {
  return items !== undefined && 'watch' in items ? items : undefined
}

/** What its items are held against; undefined: nothing. */
export function itemSchemaOf({ items }: Pick<Spider, 'items'>): WatchedItems['schema'] {
  return items !== undefined && 'watch' in items ? items.schema : items
}

/** Items of a page, those with a key as watched ones. */
interface WatchedLeft {
  readonly items: readonly NewItem[]
  /** Each has a key. */
  readonly isWhole: boolean
}

/** Finds the watched items of pages. */
export class Watch {
  readonly #of: WatchedItems
  readonly #problem: (message: string, kind?: string) => void
  /** No item of this run was watched yet. */
  #isFirst = true

  constructor(of: WatchedItems, problem: (message: string, kind?: string) => void) {
    this.#of = of
    this.#problem = problem
  }

  /** `items`, each with its key and its watched fields. */
  watchedOf(items: readonly NewItem[], url: string): WatchedLeft {
    const keys = new Set<string>()
    let isWhole = true
    const watched = items.map((item): NewItem => {
      const fields = JSON.parse(item.json) as Fields
      const key = keyOf(fields[this.#of.key])
      if (key !== undefined && !keys.has(key)) {
        keys.add(key)
        return { ...item, watched: { key, value: this.#valueOf(fields, url) } }
      }
      isWhole &&= key !== undefined
      this.#problem(key === undefined ? this.#keyless(fields, url) : twice(key, url), key === undefined ? 'no key' : 'key twice')
      return item
    })
    return { items: watched, isWhole }
  }

  /** What the page says of those that it does not show. */
  pageOf(
    { isWhole }: WatchedLeft,
    page: { rejects: readonly unknown[]; holding: Holding | undefined; isUnchanged: boolean },
  ): WatchedPage {
    const { goneAfterVisits = GONE_AFTER_VISITS } = this.#of
    if (!isWhole || page.rejects.length > 0 || page.holding?.reason !== undefined) return { shows: 'some' }
    return { shows: page.isUnchanged ? 'unchanged' : 'all', goneAfterVisits }
  }

  #valueOf(fields: Fields, url: string): string {
    const lacking = this.#isFirst ? this.#of.watch.find((name) => fields[name] === undefined) : undefined
    this.#isFirst = false
    if (lacking !== undefined)
      this.#problem(
        `expected items to have the field '${lacking}', which items.watch names, got none on ${url}${didYouMean(lacking, Object.keys(fields))}`,
      )
    const values = this.#of.watch.flatMap((name) => (fields[name] === undefined ? [] : [[name, canonical(fields[name])]]))
    return JSON.stringify(Object.fromEntries(values))
  }

  #keyless(fields: Fields, url: string): string {
    const { key } = this.#of
    const got = fields[key] === undefined ? `none${didYouMean(key, Object.keys(fields))}` : shown(fields[key])
    return `expected the field '${key}', which items.key names, to be a number or a text of at most ${MOST_OF_KEY} characters, got ${got} on ${url}: the item is kept, its changes are not recorded`
  }
}

function twice(key: string, url: string): string {
  return `${url} yields the key ${shown(key)} twice: both items are kept, changes are recorded of the first; let items.key identify an item at its host`
}

function keyOf(value: Json | undefined): string | undefined {
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.length > MOST_OF_KEY ? undefined : text
}

/** The same for what nobody would call a change. */
function canonical(value: Json): Json {
  if (typeof value === 'string') return canonicalText(value.replaceAll(/\s+/g, ' ').trim())
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(canonical)
  const entries = Object.entries(value as Fields).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, canonical(each)]))
}

function canonicalText(text: string): Json {
  if (NUMBER.test(text)) return Number(text)
  const { before, whole = '', decimals = '0', behind } = AMOUNT.exec(text)?.groups ?? {}
  const currency = before ?? behind
  if (currency === undefined || (before !== undefined && behind !== undefined)) return text
  // The only sign that is that of one currency.
  return `${Number(`${whole.replaceAll(/\D/g, '')}.${decimals}`)} ${currency === '€' ? 'EUR' : currency}`
}
