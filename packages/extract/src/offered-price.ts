// The price of an offer of schema.org: its own, that of its specifications, or the span of an aggregate; and the price of several offers together.
import type { Json } from '@avocet/core'
import { typesOf, type JsonLdNode } from '@avocet/page'
import { currencyNamed, minorDigits } from './currencies.ts'
import { amountOf, decimalOf, parsePrice, type Amount, type Price, type PriceHint, type PriceReading } from './price.ts'
import type { FactReader } from './source-reading.ts'
import { oneOrAll, rawOf, thingsOf, thingText, type ById } from './thing.ts'

/** What an offer costs. */
export interface OfferedPrice {
  readonly price: Price | undefined
  readonly listPrice: Price | undefined
}

/** How prices are read. */
export interface PriceContext {
  readonly reader: FactReader
  readonly hint: PriceHint
  readonly byId: ById
}

/** Prices that nobody pays today. Source: schema.org/PriceTypeEnumeration. */
const LIST_PRICES = /(?:ListPrice|SRP|MSRP|StrikethroughPrice|RegularPrice|SuggestedRetailPrice)$/
const NOT_ASKED = /(?:MinimumAdvertisedPrice|InvoicePrice)$/

/** Source: schema.org/PriceSpecification. */
const CHARGES: ReadonlySet<string> = new Set(['DeliveryChargeSpecification', 'PaymentChargeSpecification'])

/** No unit, or that of a piece. Source: UN/CEFACT Recommendation 20. */
const PIECES: ReadonlySet<string> = new Set(['', 'C62', 'H87', 'EA', 'PCE'])

/** The price of `offer`. */
export function offeredPrice(offer: JsonLdNode, context: PriceContext): OfferedPrice {
  const specifications = thingsOf(offer, 'priceSpecification', context.byId).filter(isForAll)
  const listed = specifications.find((one) => LIST_PRICES.test(thingText(one, 'priceType') ?? ''))
  const asking = askingPrices(specifications)
  const [asked] = asking
  const isAggregate = typesOf(offer).includes('AggregateOffer')
  const currency =
    thingText(offer, 'priceCurrency') ??
    (asked && thingText(asked, 'priceCurrency')) ??
    (listed && thingText(listed, 'priceCurrency'))
  const hint = { ...context.hint, ...(currency !== undefined && { currency }) }
  const read = (value: Json | undefined, fact: 'price' | 'listPrice'): Price | undefined =>
    value === undefined
      ? undefined
      : context.reader.price(readMachinePrice(value, hint), typeof value === 'string' ? value : JSON.stringify(value), fact)
  // With and without taxes, by quantity, as instalments: of several that differ nobody knows which is meant.
  const specified = oneOrAll(asking.flatMap((one) => rawPrice(one) ?? []))
  const low = read(rawPrice(offer), 'price') ?? read(specified, 'price') ?? read(rawOf(offer, 'lowPrice'), 'price')
  const high = isAggregate || rawOf(offer, 'highPrice') !== undefined ? read(rawOf(offer, 'highPrice'), 'price') : undefined
  const top = high ?? (asked && read(rawOf(asked, 'maxPrice'), 'price'))
  return {
    price: low && ranged(low, { top, isAggregate }),
    listPrice: listed && read(rawPrice(listed), 'listPrice'),
  }
}

/** The price of several: the same, or from the lowest to the highest. With several currencies only that of the hint counts. */
export function priceOfAll(prices: readonly Price[], { reader, hint }: PriceContext): Price | undefined {
  const currencies = new Set(prices.map(({ currency }) => currency))
  const counted =
    currencies.size > 1 && hint.currency !== undefined ? prices.filter(({ currency }) => currency === hint.currency) : prices
  const [first] = counted
  if (first === undefined || (currencies.size > 1 && hint.currency === undefined)) {
    if (prices.length > 0)
      reader.note('price', prices.map(({ text, currency = '' }) => `${text} ${currency}`.trim()).join(', '), 'several-currencies')
    return undefined
  }
  const { high: _, ...low } = counted.reduce((least, price) => (price.value < least.value ? price : least), first)
  const high = counted
    .map((price): Amount => price.high ?? price)
    .reduce((most, price) => (price.value > most.value ? price : most))
  return high.value > low.value ? { ...low, high: { text: high.text, value: high.value } } : low
}

function ranged(low: Price, { top, isAggregate }: { readonly top: Price | undefined; readonly isAggregate: boolean }): Price {
  if (top === undefined) return isAggregate ? { ...low, isFrom: true } : low
  return top.value > low.value ? { ...low, high: { text: top.text, value: top.value } } : low
}

function rawPrice(node: JsonLdNode): Json | undefined {
  return rawOf(node, 'price') ?? rawOf(node, 'minPrice')
}

/** Those that ask a price; not that of a kilogram, where there is another. */
function askingPrices(specifications: readonly JsonLdNode[]): readonly JsonLdNode[] {
  const all = specifications.filter((one) => !LIST_PRICES.test(thingText(one, 'priceType') ?? '') && rawPrice(one) !== undefined)
  const whole = all.filter((one) => PIECES.has(thingText(one, 'unitCode') ?? ''))
  return whole.length > 0 ? whole : all
}

/** Not the price of a unit beside that of the whole, nor one for members alone, nor what is paid beside it. */
function isForAll(specification: JsonLdNode): boolean {
  if (typesOf(specification).some((type) => CHARGES.has(type))) return false
  if (specification['referenceQuantity'] !== undefined || specification['validForMemberTier'] !== undefined) return false
  return !NOT_ASKED.test(thingText(specification, 'priceType') ?? '')
}

// Reads a price that is meant for machines: a number of JSON, or text in which a point is that of decimals, as schema.org and Open Graph want it.
//
// Shops write what they show there as well, so other texts are read as people's prices. One text is both: `1.299` is 1.299 by the rules of schema.org, and
// 1299 in the templates of half of Europe, with quotes or without. It is not read without a hint.

const PLAIN = /^\d{1,15}(?:\.\d{1,10})?$/
const THREE_DECIMALS = /^[1-9]\d{0,2}\.\d{3}$/

/** Reads `value`, whose currency is that of the hint. */
export function readMachinePrice(value: Json | undefined, hint: PriceHint): PriceReading {
  if (typeof value === 'number') return numberOf(value, hint)
  if (typeof value !== 'string') return { price: undefined, reason: 'empty' }
  const text = value.trim()
  return PLAIN.test(text) ? readText(text, hint) : parsePrice(text, hint)
}

function readText(text: string, hint: PriceHint): PriceReading {
  if (!mayBeThousands(text, hint)) return exact(text, hint)
  return decimalOf(hint) === ',' ? parsePrice(text, hint) : { price: undefined, reason: 'ambiguous' }
}

function numberOf(value: number, hint: PriceHint): PriceReading {
  if (value < 0) return { price: undefined, reason: 'negative' }
  // No price, and written with an exponent or without its last digits.
  if (!(value < 1e15)) return { price: undefined, reason: 'too-large' }
  const text = String(value)
  if (!/^\d+(?:\.\d+)?$/.test(text)) return { price: undefined, reason: 'malformed' }
  // A template may write what it shows without quotes. How people write decimals there says nothing of JSON.
  return mayBeThousands(text, hint) ? { price: undefined, reason: 'ambiguous' } : exact(text, hint)
}

function mayBeThousands(text: string, hint: PriceHint): boolean {
  const currency = codeOf(hint)
  const hasThree = currency !== undefined && minorDigits(currency) === 3
  return THREE_DECIMALS.test(text) && !hasThree && decimalOf(hint) !== '.'
}

function exact(text: string, hint: PriceHint): PriceReading {
  const currency = codeOf(hint)
  return { price: { ...amountOf(text.replace(/^0+(?=\d)/, '')), isFrom: false, ...(currency !== undefined && { currency }) } }
}

function codeOf({ currency }: PriceHint): string | undefined {
  return currency === undefined ? undefined : currencyNamed(currency)
}
