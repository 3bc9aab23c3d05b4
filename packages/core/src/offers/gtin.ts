// Global Trade Item Numbers: of 8, 12, 13 or 14 digits, the last of which proves the others.

/** What people put between the digits. */
const BETWEEN = /[\s-]/g
const LENGTHS: ReadonlySet<number> = new Set([8, 12, 13, 14])

/**
 * The digits of a GTIN (EAN, UPC, ISBN-13), without spaces and hyphens; undefined where the length or the check digit is wrong.
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
  if (!LENGTHS.has(digits.length) || !/^\d+$/.test(digits) || /^0+$/.test(digits)) return undefined
  const sum = Array.from(digits.slice(0, -1))
    .toReversed()
    .reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 3 : 1), 0)
  return (10 - (sum % 10)) % 10 === Number(digits.at(-1)) ? digits : undefined
}
