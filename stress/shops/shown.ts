// What a page shows of a product, before it is text; and how shops write it: the same price in many ways, from one visit to the next.
import type { Availability } from '@avocet/extract'
import type { ShopTraits } from './shop-traits.ts'

/** A page says of a product what is here, true or not; nothing where a field is absent. */
export interface Shown {
  readonly name: string
  readonly sku?: string | undefined
  /** Cents, or a text in place of a price. */
  readonly price?: number | string | undefined
  /** ISO 4217. */
  readonly currency?: string | undefined
  /** A word of shops where it is none of ours. */
  readonly availability?: Availability | `"${string}"` | undefined
  /** In place of the price, for people. */
  readonly note?: string
}

/** Chance of one visit of one page: the same number for the same place, in [0, 1). */
export type Look = (place: number) => number

/** One of `list`, by the chance of the visit. */
export function oneOf<T>(list: readonly [T, ...T[]], look: Look, place: number): T {
  return list[Math.floor(look(place) * list.length)] ?? list[0]
}

/** A price for machines: as a number of JSON, or with quotes, with zeros or without. */
export function machinePrice(price: number | string, look: Look): string {
  if (typeof price === 'string') return JSON.stringify(price)
  const whole = (price / 100).toFixed(2)
  const [short] = [String(price / 100)]
  return oneOf([`"${whole}"`, `"${short}"`, short, whole], look, 11)
}

const SIGNS: Readonly<Record<string, string>> = { EUR: '€', GBP: '£', USD: 'US$', CHF: 'CHF', PLN: 'zł', SEK: 'kr' }

/** A price for people, in the language of the shop, its sign before it or after it. */
export function peoplePrice(price: number | string, currency: string | undefined, traits: ShopTraits, look: Look): string {
  if (typeof price === 'string') return price
  const [whole = '', cents = ''] = (price / 100).toFixed(2).split('.')
  const [thousands, point] = traits.language === 'en' ? [',', '.'] : traits.language === 'de' ? ['.', ','] : ['\u202F', ',']
  const amount = whole.replace(/(\d)(?=(?:\d{3})+$)/g, `$1${thousands}`) + point + cents
  if (currency === undefined) return amount
  const sign = SIGNS[currency] ?? currency
  return oneOf(
    [`${sign}${traits.language === 'en' ? '' : ' '}${amount}`, `${amount} ${sign}`, `${amount}\u00A0${currency}`],
    look,
    12,
  )
}

const STOCK: Readonly<Record<ShopTraits['language'], Readonly<Partial<Record<Availability, string>>>>> = {
  en: { 'in-stock': 'In stock', 'out-of-stock': 'Out of stock', limited: 'Only 3 left', 'pre-order': 'Pre-order now' },
  de: {
    'in-stock': 'Auf Lager',
    'out-of-stock': 'Nicht auf Lager',
    limited: 'Nur noch 3 Stück',
    'pre-order': 'Jetzt vorbestellen',
  },
  fr: { 'in-stock': 'En stock', 'out-of-stock': 'Rupture de stock', limited: 'Plus que 3 articles', 'pre-order': 'Précommande' },
}

/** Words of the shop for whether something can be bought. How few are left is another number each time. */
export function stockWords(availability: NonNullable<Shown['availability']>, { language }: ShopTraits, look: Look): string {
  if (availability.startsWith('"')) return availability.slice(1, -1)
  const words = STOCK[language][availability as Availability] ?? availability
  return availability === 'limited' ? words.replace('3', String(2 + Math.floor(look(13) * 7))) : words
}

const NAMES: Readonly<Partial<Record<Availability, string>>> = {
  ...{ 'in-stock': 'InStock', 'out-of-stock': 'OutOfStock', limited: 'LimitedAvailability', 'pre-order': 'PreOrder' },
}

/** As schema.org has it, with its address or without. */
export function stockName(availability: NonNullable<Shown['availability']>, look: Look): string {
  if (availability.startsWith('"')) return availability.slice(1, -1)
  const name = NAMES[availability as Availability] ?? availability
  return oneOf(['https://schema.org/', 'http://schema.org/', 'https://schema.org/', ''], look, 14) + name
}
