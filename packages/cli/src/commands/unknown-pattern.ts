// What is said of a pattern that a command does not know: the one that was probably meant, and those that there are.
import { AvocetError, didYouMean } from '@avocet/core'
import { formatCount } from '../text/quantity.ts'

/** More are in `avocet scope list`. */
const MAX_NAMED = 5
const STATE = { accept: 'closed', forget: 'accepted' } as const

/** The error of `avocet scope ACTION` about `pattern`, where `known` are those that it could be. */
export function unknownPattern(
  action: keyof typeof STATE,
  { pattern, known }: { readonly pattern: string; readonly known: readonly string[] },
): AvocetError {
  const state = STATE[action]
  const more = known.length - MAX_NAMED
  const names = known.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${formatCount(more)} more (avocet scope list)` : '')
  const those = known.length === 0 ? `nothing is ${state}` : `${state}: ${names}`
  const ahead = action === 'accept' ? '; --ahead accepts a pattern before it is closed' : ''
  return new AvocetError(
    'AVO_USAGE',
    `scope ${action}: expected a pattern that is ${state}, got '${pattern}'${didYouMean(pattern, known)}; ${those}${ahead}`,
  )
}
