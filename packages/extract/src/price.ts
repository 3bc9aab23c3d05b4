// Reads a price as it is written on pages. What could mean two things is not read, unless a hint decides; then there is a reason in place of the price.
import { CURRENCY_MARK, currencyNamed, meantByAll, withoutCurrencies } from './currencies.ts'
import { plainPriceText, readNumber, type NumberHint } from './number-text.ts'
import { hasOtherWords, isFromAfter, isOtherAmount, joinsRange, saidBefore, saidWithoutNumber } from './price-words.ts'

/** An amount of money, without its currency. */
export interface Amount {
  /** Decimal text with a point, as many decimals as were written: `1299.00`. Compare and store this one. */
  readonly text: string
  /** The same as a number, for sorting and the like. */
  readonly value: number
}

/** A price: what was read of one text, or of several that agree. */
export interface Price extends Amount {
  /** Highest amount of a range; the price itself is the lowest. */
  readonly high?: Amount
  /** Whether it is a lower bound: "from 12.99". */
  readonly isFrom: boolean
  /** ISO 4217 code; undefined where nothing says which one, as with `$` alone. */
  readonly currency?: string
  /** What it is the price of, as written, when that is a unit: `kg`, `100 g`, `month`. */
  readonly per?: string
}

/** What is known of a price before it is read. */
export interface PriceHint {
  /** ISO 4217 code, for texts that name none, or one of several: `$`. */
  readonly currency?: string
  /** Separator of decimals. */
  readonly decimal?: '.' | ','
  /** BCP 47 tag, which decides `decimal`: `de-DE`. */
  readonly locale?: string
}

/** Why a text has no price. */
export type PriceProblem =
  | 'empty'
  | 'no-number'
  | 'ambiguous'
  | 'malformed'
  | 'too-large'
  | 'too-long'
  | 'negative'
  | 'several'
  | 'several-currencies'
  | 'on-request'
  | 'up-to'
  | 'approximate'
  | 'multiplied'
  | 'not-the-price'

/** A price, or why there is none. */
export type PriceReading = { readonly price: Price } | { readonly price: undefined; readonly reason: PriceProblem }

/** Longer texts are no prices. */
const MAX_CHARACTERS = 200
const NUMBER = /\d+(?:(?:[.,'\u066B]| (?=\d{3}(?!\d)))\d+)*/g
/** Of a discount or a tax: no part of the price. */
const PERCENTAGE = /[-+–]? ?\d+(?:[.,]\d+)? ?%|% ?\d+/g
/** Behind an amount: `$12.99 20% off`. */
const OFF =
  /(?<=\d\D{1,6})\d+(?:[.,]\d+)? ?% ?(?:off|discount|rabatt?u?|nachlass|de réduction|de remise|korting|(?:de )?descuento|dto|(?:di )?sconto|скидки)(?!\p{L})/giu
const MULTIPLIER =
  /^ ?(?:[万億萬亿천만千]|(?:mio|mrd|mln|mill?|milli(?:on|onen|ons|ard|arden|ardi)|mili(?:on|ony|onów|oni|oane)|mill(?:ón|ones)|milh(?:ão|ões)|mille|miljoen|billions?|bn|mn|thousand|tausend|tsd|tys|tis|tūkst|tuh|тыс|млн|млрд|lakhs?|crores?|cr)(?!\p{L}))/iu
/** Hundredths: `99p`, `99 ct`. Russian roubles are `99 p.`, and `p&p` is postage. */
const IN_CENTS = /^ ?(?:¢|(?:p(?!\.)|c|ct|cts|cents?)(?![\p{L}&]))/iu
const CENTS = /[.,\u066B]\d{2}$/
/** In capitals and small letters they differ: `12 m` is a length. */
const LETTER_MULTIPLIER = /^[kKM](?!\p{L})/u
const TIMES = /^ ?[x×✕]/iu
/** A unit after a slash or "per"; `c/u` and `p/kg` are "each" and "per". */
const UNIT =
  /(?<=\d[^/]*?)(?:(?<!\p{L})[cp]?\/|(?<=\p{L})\/|(?<!\p{L})(?:per|pro|je|par|al|por|za|each|за)(?= ))\s?((?:\d+(?:[.,]\d+)? ?)?\p{L}[\p{L}²³]{0,15})/iu
/** The price of a unit, beside that of the whole. */
const UNIT_IN_BRACKETS = /\([^()]*(?:\/|(?<!\p{L})(?:per|pro|je|par|al|por|za)(?!\p{L}))[^()]*\)/iu
/** `12€99` and `12 € 99`, where the mark is not that of a number behind it. */
const MARK_FOR_POINT = /^([^¤]*?(?<![\d.,' ])\d+) ?¤ ?(\d{2})(?![\d.,'])([^¤]*)$/

/**
 * Reads the price that `text` is, with what is known of it. Never guesses: `1.299` alone is `ambiguous`.
 *
 * @example
 * ```ts
 * // amounts.ts
 * import { parsePrice } from '@avocet/extract'
 *
 * parsePrice('1.299,00 €').price // { text: '1299.00', value: 1299, isFrom: false, currency: 'EUR' }
 * parsePrice('from £12–15').price?.high // { text: '15', value: 15 }
 * parsePrice('1.299', { decimal: ',' }).price?.text // '1299'
 * ```
 */
export function parsePrice(text: string, hint: PriceHint = {}): PriceReading {
  if (text.length > MAX_CHARACTERS) return none('too-long')
  const plain = plainPriceText(text)
  if (plain === '') return none('empty')
  const { text: marked, marks } = withoutCurrencies(plain)
  const meant = meantByAll(marks)
  if (marks.length > 1 && meant.length === 0) return none('several-currencies')
  const currencies = currenciesOf(marks.length === 0 ? undefined : meant, hint)
  const { rest, per } = withoutUnit(withoutPercentages(marked))
  const found = [...rest.replace(MARK_FOR_POINT, '$1\u066B$2¤$3').matchAll(NUMBER)]
  const known = { currencies, per, hint }
  return found.length === 0 ? withoutNumber(plain, known) : withNumbers(found, known)
}

interface Known {
  /** What the currency may be. */
  readonly currencies: readonly string[]
  readonly per: string | undefined
  readonly hint: PriceHint
}

function withNumbers(found: readonly RegExpExecArray[], known: Known): PriceReading {
  const [first, second] = found
  if (first === undefined) return none('no-number')
  const text = first.input
  const before = text.slice(0, first.index)
  const said = saidBefore(before.replaceAll(CURRENCY_MARK, ' '))
  const isRange = found.length === 2 && second !== undefined && joinsRange(between(first, second), said === 'between')
  if (/(?:^|[\s(¤])[-–—]¤?$|^[-–—] ?¤? ?$/.test(before)) return none('negative')
  const after = text.slice(first.index + first[0].length).replaceAll(CURRENCY_MARK, ' ')
  const isNamed = text.includes(CURRENCY_MARK)
  const around = { before: before.replaceAll(CURRENCY_MARK, ' '), amount: first[0], after, hasCurrency: isNamed }
  if (found.length === 1 && isOtherAmount(around)) return none('not-the-price')
  if (said === 'up-to' || said === 'approximate') return none(said)
  for (const number of found) {
    const rest = text.slice(number.index + number[0].length)
    // `£9.99p` is in pounds.
    const isInCents = IN_CENTS.test(rest) && !(isNamed && CENTS.test(number[0]))
    if (MULTIPLIER.test(rest) || LETTER_MULTIPLIER.test(rest) || isInCents) return none('multiplied')
    if (TIMES.test(rest)) return none('several')
  }
  // "Pack 2 129.99" is two numbers, and "1 299.00" is one.
  if (first[0].includes(' ') && hasOtherWords(before.replaceAll(CURRENCY_MARK, ''))) return none('ambiguous')
  const amounts = amountsOf(found, known)
  if (typeof amounts === 'string') return none(amounts)
  const [low, high] = amounts
  if (low === undefined) return none('no-number')
  const isOne = amounts.every(({ value }) => value === low.value)
  if (!isOne && !(isRange && high !== undefined && high.value > low.value)) return none('several')
  const isFrom = isOne && (said === 'from' || (said === 'between' && found.length === 1) || isFromAfter(after.trim()))
  return { price: priceOf(low, known, { isFrom, ...(!isOne && high !== undefined && { high }) }) }
}

/** The amounts, or why there is one that cannot be read. One that can be read alone decides about the others. */
function amountsOf(found: readonly RegExpExecArray[], { currencies, per, hint }: Known): readonly Amount[] | PriceProblem {
  const numberHint: NumberHint = { decimal: decimalOf(hint), currencies, isPerUnit: per !== undefined }
  const certain = found.flatMap(([token]) => /([.,])\d{1,2}$/.exec(token)?.[1] ?? [])[0]
  const shared = numberHint.decimal ?? (certain === '.' || certain === ',' ? certain : undefined)
  const amounts: Amount[] = []
  for (const [token] of found) {
    const reading = readNumber(token, found.length > 1 ? { ...numberHint, decimal: shared } : numberHint)
    if (reading.text === undefined) return reading.reason
    amounts.push(amountOf(reading.text))
  }
  return amounts
}

function withoutNumber(plain: string, known: Known): PriceReading {
  const said = saidWithoutNumber(plain)
  return said === 'free' ? { price: priceOf(amountOf('0'), known, { isFrom: false }) } : none(said ?? 'no-number')
}

/** An amount of decimal text. */
export function amountOf(text: string): Amount {
  return { text, value: Number(text) }
}

/** The separator of decimals that a hint says. */
export function decimalOf({ decimal, locale }: PriceHint): '.' | ',' | undefined {
  if (decimal !== undefined || locale === undefined) return decimal
  const separator = new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value
  return separator === '.' || separator === ',' ? separator : undefined
}

function priceOf(low: Amount, { currencies, per }: Known, found: Pick<Price, 'isFrom' | 'high'>): Price {
  const [currency, another] = currencies
  return {
    ...low,
    ...found,
    ...(currency !== undefined && another === undefined && { currency }),
    ...(per !== undefined && { per }),
  }
}

/** What the mark may mean; of several the hint chooses. The text counts more than the hint. */
function currenciesOf(marked: readonly string[] | undefined, { currency }: PriceHint): readonly string[] {
  const hinted = currency === undefined ? undefined : currencyNamed(currency)
  if (marked === undefined) return hinted === undefined ? [] : [hinted]
  return hinted !== undefined && marked.includes(hinted) ? [hinted] : marked
}

function withoutPercentages(text: string): string {
  return text.replaceAll(OFF, ' ').replaceAll(PERCENTAGE, ' ')
}

function withoutUnit(text: string): { readonly rest: string; readonly per: string | undefined } {
  const outside = text.replace(UNIT_IN_BRACKETS, ' ')
  const given = /\d/.test(outside) ? outside : text
  const unit = UNIT.exec(given)
  if (unit === null) return { rest: given, per: undefined }
  const per = unit[1]?.trim()
  return { rest: given.slice(0, unit.index) + given.slice(unit.index + unit[0].length), per }
}

function between(first: RegExpExecArray, second: RegExpExecArray): string {
  return first.input
    .slice(first.index + first[0].length, second.index)
    .replaceAll(CURRENCY_MARK, ' ')
    .trim()
}

function none(reason: PriceProblem): PriceReading {
  return { price: undefined, reason }
}
