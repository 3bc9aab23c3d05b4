// A price as people write it, in one spelling, and the numbers in it: which of their separators is that of decimals. What could be either stays unread.
//
// A separator that comes twice groups thousands; of two kinds the last one is that of decimals; what has not three digits after it is as well. That leaves one
// separator with three digits after it, `1.299`: thousands where the currency has no three decimals, because nobody writes a third digit of cents, unless
// the separator is the one that the currency is written with.
import { minorDigits, separatorOf } from './currencies.ts'

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

/** A separator of decimals that can be nothing else. */
const CERTAIN_DECIMAL = '\u066B'
/** A separator of thousands that can be nothing else. */
const CERTAIN_GROUP = "'"

/** Code points of the digit 0 in the scripts of the world, in which the nine others follow. Source: Unicode 16, general category Nd. */
const ZEROS = [
  ...[0x06_60, 0x06_f0, 0x07_c0, 0x09_66, 0x09_e6, 0x0a_66, 0x0a_e6, 0x0b_66, 0x0b_e6, 0x0c_66, 0x0c_e6, 0x0d_66, 0x0d_e6],
  ...[
    0x0e_50, 0x0e_d0, 0x0f_20, 0x10_40, 0x10_90, 0x17_e0, 0x18_10, 0x19_46, 0x19_d0, 0x1a_80, 0x1a_90, 0x1b_50, 0x1b_b0, 0x1c_40,
  ],
  ...[
    0x1c_50, 0xa6_20, 0xa8_d0, 0xa9_00, 0xa9_d0, 0xa9_f0, 0xaa_50, 0xab_f0, 0xff_10, 0x1_d7_ce, 0x1_d7_d8, 0x1_d7_e2, 0x1_d7_ec,
    0x1_d7_f6,
  ],
]
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹'
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

/** `text` in the one spelling. */
export function plainPriceText(text: string): string {
  return (
    text
      .replaceAll(/[\p{Cf}]/gu, '')
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/\p{Nd}/gu, asciiDigit)
      // `12⁹⁹` has its cents raised.
      .replaceAll(
        /(\d)[.,]? ?([⁰¹²³⁴⁵⁶⁷⁸⁹]{2})(?![⁰¹²³⁴⁵⁶⁷⁸⁹\p{L}])/gu,
        (_, digit: string, cents: string) => `${digit}${CERTAIN_DECIMAL}${lowered(cents)}`,
      )
      .replaceAll(/(?<=\d)·(?=\d)/g, CERTAIN_DECIMAL)
      .replaceAll(/(?<=\d)[’‘ʼ´`＇\u066C](?=\d)/g, CERTAIN_GROUP)
      .replaceAll('，', ',')
      .replaceAll('．', '.')
      .replaceAll('／', '/')
      .replaceAll('￥', '¥')
      .replaceAll('＄', '$')
      .replaceAll(/[−－]/g, '-')
      // No whole: `.99`, `CHF -.50`. After a letter, or a sign in its place, the point is that of an abbreviation: `Rs.499`, `Rs .499`, `₹.499`.
      .replaceAll(/(?<![\p{L}\d.,'/₹₨৳]|\bRs )[-–—]?[.,](?=\d)/gu, `0${CERTAIN_DECIMAL}`)
      // No cents: `12.–`, `12,-`, `12,--`.
      .replaceAll(/(?<=\d)[.,] ?[-–—]{1,2}(?! ?\d)/g, `${CERTAIN_DECIMAL}-`)
      .replaceAll(`${CERTAIN_DECIMAL}-`, '')
      .trim()
  )
}

function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  if (code < 128) return digit
  const zero = ZEROS.find((candidate) => code >= candidate && code < candidate + 10)
  return zero === undefined ? digit : String(code - zero)
}

function lowered(raised: string): string {
  return Array.from(raised, (digit) => String(RAISED.indexOf(digit))).join('')
}
