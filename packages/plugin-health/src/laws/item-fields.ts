// The fields of an item as they are compared: by dotted path, numbers out of price texts, long texts by hash.
import { crc32 } from 'node:zlib'

/** A text of at most 24 characters as it is, a longer one as `#` and its hash. A list counts by its length. A field that is missing, null or empty has none. */
export type Value = number | string | boolean

/** Its key, then its values by the table of fields; null: it has none. */
export type ItemValues = readonly [key: string, ...values: (Value | null)[]]

/** By path. */
export type ItemFields = Readonly<Record<string, Value>>

/** ItemFields of an item that are looked at. */
export const MAX_FIELDS = 24
const MAX_DEPTH = 2
const SHORT_TEXT = 24
/** A moment says when the page was read, not what it says. */
const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|$)/
const FIRST_MOMENT = 1_000_000_000
/** `€ 1.299,50`, `12.50 EUR`, `US$ 5`, `12.50`: a number with a sign of a currency beside it, or with decimals. */
const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|kr\.?|z\u0142|K\u010d|Ft|lei|Fr\.)`
const AMOUNT = new RegExp(String.raw`^(${CURRENCY}?)\s*(-?\d[\d.,\s'’]*)\s*(${CURRENCY}?)$`, 'u')
const MONEY = /price|amount|cost|preis|prix|precio/i
/** By which an item is found again where the spider names no key. */
const IDENTITIES = ['sku', 'id', 'gtin', 'url', 'name', 'title']

/** Those of an item as JSON text. */
export function itemFieldsOf(json: string): ItemFields {
  const found: Record<string, Value> = {}
  addFields(JSON.parse(json), '', found)
  return found
}

/** What an item among several is found again by; undefined where it has nothing of that kind. */
export function identityOf(fields: ItemFields): string | undefined {
  const name = IDENTITIES.find((each) => fields[each] !== undefined)
  return name && String(fields[name])
}

/** Whether a field is named as amounts of money are. */
export function isMoney(name: string): boolean {
  return MONEY.test(name)
}

/** Whether a value is an amount of money, by its field or its decimals. */
export function isAmount(name: string, value: Value | null): boolean {
  return typeof value === 'number' && (isMoney(name) || !Number.isInteger(value))
}

/** A text as it is kept. */
export function textValue(text: string): string {
  const plain = text.trim().replaceAll(/\s+/g, ' ')
  return plain.length > SHORT_TEXT ? `#${crc32(plain).toString(36)}` : plain
}

function addFields(value: unknown, path: string, to: Record<string, Value>, depth = 0): void {
  if (Object.keys(to).length >= MAX_FIELDS || value === null || value === undefined || value === '') return
  if (typeof value === 'number') {
    if (value < FIRST_MOMENT) to[path] = value
  } else if (typeof value === 'boolean') to[path] = value
  else if (typeof value === 'string') addText(value, path, to)
  else if (Array.isArray(value)) {
    if (value.length > 0) to[path] = value.length
  } else if (typeof value === 'object' && depth < MAX_DEPTH)
    for (const [name, each] of Object.entries(value)) addFields(each, path === '' ? name : `${path}.${name}`, to, depth + 1)
}

function addText(text: string, path: string, to: Record<string, Value>): void {
  if (MOMENT.test(text)) return
  const [, before = '', digits, after = ''] = (text.length <= SHORT_TEXT && AMOUNT.exec(text.trim())) || []
  const unit = before.trim() || after.trim()
  if (digits === undefined || (unit === '' && !/[.,]/.test(digits))) to[path] = textValue(text)
  else {
    to[path] = amountIn(digits)
    if (unit !== '') to[`${path} (unit)`] = unit
  }
}

/** The last separator is that of decimals where one or two digits follow it. */
function amountIn(text: string): number {
  const [, whole = text, decimals = ''] = /^(.*?)(?:[.,](\d{1,2}))?\s*$/.exec(text) ?? []
  return Number(`${whole.replaceAll(/[^\d-]/g, '')}.${decimals || '0'}`)
}
