// Checks what a user wrote: out of range, unknown or of the wrong type is said at once, with what was expected.
import { AvocetError } from '@avocet/core'

/** Throws unless `options` is an object of known names. */
export function checkOptions(where: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw wrong(where, 'an object of options', options)
  for (const name of Object.keys(options)) {
    if (!names.includes(name))
      throw new AvocetError('AVO_CONFIG_INVALID', `${where}: expected one of the options ${names.join(', ')}, got '${name}'`)
  }
}

/** `value` if it is a finite number above `above` or of at least `least`. */
export function atLeast(
  what: string,
  value: unknown,
  { above, least }: { readonly above?: number; readonly least?: number },
): number {
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (above !== undefined ? value > above : value >= (least ?? 0)) return value
  }
  throw wrong(what, above !== undefined ? `a number above ${above}` : `a number of at least ${least ?? 0}`, value)
}

/** `value` if it is below `limit`. */
export function below(what: string, value: number, limit: number): number {
  if (value < limit) return value
  throw wrong(what, `below ${limit}`, value)
}

/** `value` if it is a whole number of at least 1. */
export function count(what: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw wrong(what, 'a whole number of at least 1', value)
}

/** The error that says what `what` should have been. */
export function wrong(what: string, expected: string, got: unknown): AvocetError {
  return new AvocetError('AVO_CONFIG_INVALID', `expected ${what} to be ${expected}, got ${shown(got)}`)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
