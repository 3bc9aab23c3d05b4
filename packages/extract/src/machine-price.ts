// Reads a price that is meant for machines: a number of JSON, or text in which a point is that of decimals, as schema.org and Open Graph want it.
//
// Shops write what they show there as well, so other texts are read as people's prices. One text is both: `1.299` is 1.299 by the rules of schema.org, and
// 1299 in the templates of half of Europe, with quotes or without. It is not read without a hint.
import type { Json } from '@avocet/core'
import { currencyNamed, minorDigits } from './currencies.ts'
import { amountOf, decimalOf, parsePrice, type PriceHint, type PriceReading } from './price.ts'

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
