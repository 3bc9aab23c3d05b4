// A price as people write it, in one spelling: ASCII digits, one kind of space, and marks that leave no doubt where the cents begin.

/** A separator of decimals that can be nothing else. */
export const CERTAIN_DECIMAL = '\u066B'
/** A separator of thousands that can be nothing else. */
export const CERTAIN_GROUP = "'"

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
