// Reads one number of a price: which of its separators is that of decimals, if the number itself tells, or a hint does. Otherwise it stays unread.
//
// A separator that comes twice groups thousands; of two kinds the last one is that of decimals; what has not three digits after it is as well. That leaves one
// separator with three digits after it, `1.299`: thousands where the currency has no three decimals, because nobody writes a third digit of cents, unless
// the separator is the one that the currency is written with.
import { minorDigits, separatorOf } from './currencies.ts'
import { CERTAIN_DECIMAL, CERTAIN_GROUP } from './price-text.ts'

/** What is known of the number. */
export interface NumberHint {
  /** Separator of decimals. */
  readonly decimal?: '.' | ',' | undefined
  /** What the currency may be; none: unknown. */
  readonly currencies: readonly string[]
  /** A price by weight or volume has more decimals: `1.299 €/l`. */
  readonly isPerUnit: boolean
}

/** What was read: decimal text without leading zeros, or why there is none. */
export type NumberReading =
  | { readonly text: string }
  | { readonly text: undefined; readonly reason: 'ambiguous' | 'malformed' | 'too-large' }

/** More digits are no price, and no longer exact as a number. */
const MAX_DIGITS = 15
/** Thousands, or the lakh and crore of India: the last group has three digits, the others two or three. */
const GROUPS = /^\d{1,3}(?:G\d{3})+$|^\d{1,2}(?:G\d{2})+G\d{3}$/
const AMBIGUOUS: NumberReading = { text: undefined, reason: 'ambiguous' }
const MALFORMED: NumberReading = { text: undefined, reason: 'malformed' }

/** Reads `token`: digits with separators between them. */
export function readNumber(token: string, hint: NumberHint): NumberReading {
  const separators = token.replaceAll(/\d/g, '')
  const kinds = [...new Set(separators)]
  const last = separators.at(-1)
  if (last === undefined) return result(token, '')
  if (kinds.length > 2) return MALFORMED
  if (isCertainGroup(last)) return kinds.length === 1 ? grouped(token, last) : MALFORMED
  if (kinds.length === 2) return separators.indexOf(last) === separators.length - 1 ? withDecimals(token, last) : MALFORMED
  if (last === CERTAIN_DECIMAL) return separators.length === 1 ? withDecimals(token, last) : MALFORMED
  if (separators.length > 1) return hint.decimal === last ? MALFORMED : grouped(token, last)
  return single(token, last, hint)
}

/** One point or one comma. */
function single(token: string, separator: string, hint: NumberHint): NumberReading {
  const [whole = '', rest = ''] = token.split(separator)
  const mayBeThousands = rest.length === 3 && /^[1-9]\d{0,2}$/.test(whole)
  if (!mayBeThousands) return withDecimals(token, separator)
  if (hint.decimal !== undefined) return hint.decimal === separator ? withDecimals(token, separator) : grouped(token, separator)
  const { currencies } = hint
  if (currencies.length === 0 || currencies.some((currency) => minorDigits(currency) === 3)) return AMBIGUOUS
  if (currencies.every((currency) => minorDigits(currency) === 0)) return grouped(token, separator)
  return hint.isPerUnit || separatorOf(currencies) === separator ? AMBIGUOUS : grouped(token, separator)
}

function withDecimals(token: string, separator: string): NumberReading {
  const at = token.lastIndexOf(separator)
  const whole = token.slice(0, at)
  const group = /\D/.exec(whole)?.[0]
  if (group !== undefined && !GROUPS.test(whole.replaceAll(group, 'G'))) return MALFORMED
  return result(group === undefined ? whole : whole.replaceAll(group, ''), token.slice(at + 1))
}

function grouped(token: string, separator: string): NumberReading {
  return GROUPS.test(token.replaceAll(separator, 'G')) ? result(token.replaceAll(separator, ''), '') : MALFORMED
}

function isCertainGroup(separator: string): boolean {
  return separator === CERTAIN_GROUP || separator === ' '
}

function result(whole: string, decimals: string): NumberReading {
  if (whole.length + decimals.length > MAX_DIGITS) return { text: undefined, reason: 'too-large' }
  const plain = whole.replace(/^0+(?=\d)/, '')
  return { text: decimals === '' ? plain : `${plain}.${decimals}` }
}
