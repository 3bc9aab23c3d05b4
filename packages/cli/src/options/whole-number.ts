// Whole numbers as they are typed on a command line.
import { AvocetError } from '@avocet/core'

/**
 * A whole number of at least `min`.
 *
 * @throws AVO_USAGE when it is none.
 */
export function parseWholeNumber(text: string, name: string, min: number): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number) || number < min) {
    throw new AvocetError('AVO_USAGE', `${name}: expected a whole number of at least ${min}, got '${text}'`)
  }
  return number
}
