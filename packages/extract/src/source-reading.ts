// What one source of a page says of its product, and what of it was not understood.
import { availabilityOf, type Availability } from './availability.ts'
import type { OfferSource, OfferVariant, ProductFacts, UnreadFact } from './offer.ts'
import type { Price, PriceReading } from './price.ts'

/** What one source says. */
export interface SourceReading {
  readonly source: OfferSource
  readonly facts: ProductFacts
  readonly variants: readonly OfferVariant[]
  readonly unread: readonly UnreadFact[]
}

/** What people put between the digits of a GTIN. */
const BETWEEN = /[\s-]/g
const GTIN_LENGTHS: ReadonlySet<number> = new Set([8, 12, 13, 14])
const MAX_TEXT = 200
/** Enough to see what is wrong. */
const MAX_UNREAD = 100

/** Reads the facts of one source, and notes what it cannot read. */
export class FactReader {
  readonly unread: UnreadFact[] = []
  readonly #source: OfferSource

  constructor(source: OfferSource) {
    this.#source = source
  }

  price(reading: PriceReading, text: string, fact: 'price' | 'listPrice' = 'price'): Price | undefined {
    if (reading.price !== undefined) return reading.price
    if (reading.reason !== 'empty') this.note(fact, text, reading.reason)
    return undefined
  }

  gtin(text: string | undefined): string | undefined {
    const gtin = text === undefined ? undefined : gtinOf(text)
    if (text !== undefined && gtin === undefined) this.note('gtin', text, 'check-digit')
    return gtin
  }

  availability(text: string | undefined): Availability | undefined {
    const availability = text === undefined ? undefined : availabilityOf(text)
    if (text !== undefined && availability === undefined) this.note('availability', text, 'unknown')
    return availability
  }

  /** Notes it once, however often it is there. */
  note(fact: UnreadFact['fact'], text: string, reason: UnreadFact['reason']): void {
    const cut = text.slice(0, MAX_TEXT)
    const isNoted = this.unread.some((noted) => noted.fact === fact && noted.text === cut && noted.reason === reason)
    if (!isNoted && this.unread.length < MAX_UNREAD) this.unread.push({ source: this.#source, fact, text: cut, reason })
  }
}

/** `facts` without what is undefined. */
export function stated(facts: { readonly [Fact in keyof ProductFacts]: ProductFacts[Fact] | undefined }): ProductFacts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))
}

/**
 * The digits of a Global Trade Item Number (EAN, UPC, ISBN-13), without spaces and hyphens; undefined where the length or the check digit is wrong.
 * Source: GS1 General Specifications §7.9.
 *
 * @example
 * ```ts
 * gtinOf('4-006381-333931') // '4006381333931'
 * gtinOf('4006381333932') // undefined
 * ```
 */
export function gtinOf(text: string): string | undefined {
  const digits = text.trim().replaceAll(BETWEEN, '')
  // Nothing but zeros fits its check digit, and is what shops write that have none.
  if (!GTIN_LENGTHS.has(digits.length) || !/^\d+$/.test(digits) || /^0+$/.test(digits)) return undefined
  const sum = Array.from(digits.slice(0, -1))
    .toReversed()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1)) ? digits : undefined
}
