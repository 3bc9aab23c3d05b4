// Numbers above 0 as they are typed on a command line: `0.5`, `20`.
import { AvocetError } from '@avocet/core'

/** Whatever is larger was not meant. */
const MOST = 1_000_000

/**
 * A number above 0.
 *
 * @throws AVO_USAGE when it is none.
 */
export function parsePositive(text: string, name: string): number {
  const number = /^(?:\d+(?:\.\d+)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  if (!(number > 0 && number <= MOST))
    throw new AvocetError('AVO_USAGE', `${name}: expected a number above 0 such as 0.5 or 20, got '${text}'`)
  return number
}
