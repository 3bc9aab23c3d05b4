// Which patterns `avocet scope accept` means: those that are closed, by either of their names, all of a host, and all hosts of a domain.
import { AvocetError } from '@avocet/core'
import { didYouMean, siteOf } from '@avocet/core/plugin'
import { SECRET_REFERENCE, type FrontierReader } from '@avocet/core/store'
import { closedAtRest, GAINS_PART, hostsOf, Orders, typedPattern } from '@avocet/core/tools'
import type { HostKeying } from '../store/open-store.ts'
import { commandName } from '../text/command-line.ts'
import { printable } from '../text/printable.ts'
import { formatCount } from '../text/quantity.ts'

const WHOLE_HOST = '/**'
const ANY_HOST = '*.'

/** What is to be accepted. */
interface Acceptable {
  /** As the store has them. */
  readonly patterns: readonly string[]
  /** Those of them of which nothing is closed. */
  readonly ahead: readonly string[]
  /** What is to be said of those that were typed in another way, a line each. */
  readonly renamed: readonly string[]
}

/** What was typed, as the store names it. Throws AVO_USAGE for a pattern that is not closed and not accepted ahead, and for what is none. */
export async function acceptablePatterns(
  reader: FrontierReader,
  { patterns: given, ahead: isAhead }: { readonly patterns: readonly string[]; readonly ahead: boolean },
  keying: HostKeying,
): Promise<Acceptable> {
  const { accepted } = await Orders.of(reader)
  const closed = (await allClosed(reader)).filter((pattern) => !accepted.has(pattern))
  const known = [...closed, ...accepted]
  const patterns: string[] = []
  const ahead: string[] = []
  const renamed: string[] = []
  for (const typed of given) {
    const host = await reader.host(typed.slice(0, Math.max(0, typed.indexOf('/'))))
    const found = sameOf(known, typed, keying)
    const pattern = found ?? typedPattern(plainly(typed), keying, host?.hostKey)
    patterns.push(pattern)
    if (plainly(pattern) !== plainly(typed)) renamed.push(`${printable(typed)} matches the pattern ${printable(pattern)}`)
    if (found !== undefined || closed.some((each) => isWithin(each, pattern))) continue
    if (!isAhead && !(await isWide(reader, pattern))) throw unknownPattern('accept', { pattern, known: closed })
    ahead.push(pattern)
  }
  return { patterns: [...new Set(patterns)], ahead: [...new Set(ahead)], renamed }
}

async function allClosed(reader: FrontierReader): Promise<readonly string[]> {
  const patterns: string[] = []
  for await (const { hostKey, memory } of hostsOf(reader, [GAINS_PART]))
    patterns.push(...closedAtRest(hostKey, memory[GAINS_PART]).map(({ pattern }) => pattern))
  return patterns
}

/** That one of `known` that `typed` means: letter by letter, as messages show it, or as the crawl names it. */
export function sameOf(known: readonly string[], typed: string, keying: HostKeying): string | undefined {
  const plain = plainly(typed)
  const found = known.find((each) => each === typed) ?? known.find((each) => plainly(each) === plain)
  if (found !== undefined) return found
  const named = typedPattern(plain, keying)
  return known.find((each) => plainly(each) === named)
}

/** In messages the reference stands for the value of a secret parameter, and in a path for a secret. */
function plainly(pattern: string): string {
  return pattern.replaceAll(SECRET_REFERENCE, '*')
}

/** Whether `closed` is opened by all of its host. */
function isWithin(closed: string, pattern: string): boolean {
  return isOfHost(pattern) && closed.startsWith(pattern.slice(0, -'**'.length))
}

/** All of a host, and not of a folder. */
function isOfHost(pattern: string): boolean {
  return pattern.indexOf('/') === pattern.length - WHOLE_HOST.length && pattern.endsWith(WHOLE_HOST)
}

/** Whether it is all of a host, or of a domain, that the store knows. */
async function isWide(reader: FrontierReader, pattern: string): Promise<boolean> {
  if (isOfHost(pattern)) return (await reader.host(pattern.slice(0, -WHOLE_HOST.length))) !== undefined
  if (!pattern.startsWith(ANY_HOST)) return false
  const site = pattern.slice(ANY_HOST.length)
  for await (const { hostKey } of hostsOf(reader, [])) if (siteOf(hostKey) === site) return true
  return false
}

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
  const names =
    known.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${formatCount(more)} more (${commandName()} scope list)` : '')
  const those = known.length === 0 ? `nothing is ${state}` : `${state}: ${names}`
  const ahead = action === 'accept' ? '; --ahead accepts a pattern before it is closed' : ''
  return new AvocetError(
    'AVO_USAGE',
    `scope ${action}: expected a pattern that is ${state}, got '${pattern}'${didYouMean(pattern, known)}; ${those}${ahead}`,
  )
}
